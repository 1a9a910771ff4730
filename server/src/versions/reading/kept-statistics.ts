import type { JsonObject } from '@nmp/formats/json'
import type { Context } from '../../context.ts'

type Statistics = Record<string, JsonObject | null>

const MOST_KEPT = 64
const kept = new WeakMap<Context, Map<string, Promise<Statistics>>>()

/** Measured once for however many ask, and kept for those who ask next. */
export function keepStatistics(
  context: Context,
  digest: string,
  measure: () => Promise<Statistics>,
): Promise<Statistics> {
  const known = kept.get(context) ?? new Map<string, Promise<Statistics>>()
  kept.set(context, known)
  const found = known.get(digest) ?? measure()
  known.delete(digest)
  known.set(digest, found)
  found.catch(() => known.delete(digest))
  const oldest = known.keys().next().value
  if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest)
  return found
}

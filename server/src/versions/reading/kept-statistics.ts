import { BoundedMap } from '@nmp/formats/bounded-map'
import type { JsonObject } from '@nmp/formats/json'
import type { Context } from '../../context.ts'

type Statistics = Record<string, JsonObject | null>

const mostKept = 64
const kept = new WeakMap<Context, BoundedMap<string, Promise<Statistics>>>()

/** Measured once for however many ask, and kept for those who ask next. */
export function keepStatistics(
  context: Context,
  digest: string,
  measure: () => Promise<Statistics>,
): Promise<Statistics> {
  const known = kept.get(context) ?? new BoundedMap<string, Promise<Statistics>>(mostKept)
  kept.set(context, known)
  const found = known.get(digest) ?? measure()
  known.set(digest, found)
  found.catch(() => known.delete(digest))
  return found
}

import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { programVersion } from '../config.ts'
import type { Context } from '../context.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { Reply } from '../http/route.ts'
import { findUrlExpiry } from './urls.ts'

export const conditions = Type.Object({ 'if-none-match': Type.Optional(Type.String()) })

/** The answer, or 304 where the caller has it. `make` runs only when it is needed: what may be refused is made before. */
export function answerConditionally<T>(
  context: Context,
  seen: SeenDataset,
  ifNoneMatch: string | undefined,
  make: () => T,
): Reply<T> {
  const etag = makeEtag(context, seen)
  const isPublic = seen.dataset.visibility === 'public'
  const headers = { etag, 'cache-control': isPublic ? 'no-cache' : 'private, no-cache' }
  const known = ifNoneMatch === undefined ? [] : ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return new Reply(undefined as T, { status: 304, headers })
  return new Reply(make(), { headers })
}

const etags = new WeakMap<SeenDataset, { expiry: number; etag: string }>()

/** An answer changes with the read model, the dataset's row, what is annotated, the caller's role, the window in which media URLs are equal, and the program. */
function makeEtag(context: Context, seen: SeenDataset): string {
  const expiry = findUrlExpiry()
  const known = etags.get(seen)
  if (known?.expiry === expiry) return known.etag
  const { dataset, revision, role, derived } = seen
  const updatedAt = dataset.updatedAt.getTime()
  const said = [updatedAt, dataset.annotationKeys, role, derived?.isSourceOpen, derived?.filesStatus]
  const facts = [revision.id, revision.readModelDigest, ...said, expiry, programVersion, context.commit]
  const etag = `"${createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 32)}"`
  etags.set(seen, { expiry, etag })
  return etag
}

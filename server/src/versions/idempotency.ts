import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { writeCanonicalJson } from '../canonical-json.ts'
import type { Database } from '../db/database.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { idempotencyFingerprint, idempotencyKey, nullable } from '../http/schemas.ts'
import { findVersionByKey, type Version } from './repository.ts'

/** As imports take them: a key in the body or the header, and a fingerprint of one's own. */
export const keyFields = {
  idempotency_key: Type.Optional(nullable(idempotencyKey)),
  idempotency_fingerprint: Type.Optional(nullable(idempotencyFingerprint)),
}
export const keyHeaders = Type.Object({ 'idempotency-key': Type.Optional(idempotencyKey) })
type KeyHeaders = Static<typeof keyHeaders>

interface KeyedBody {
  idempotency_key?: string | null
  idempotency_fingerprint?: string | null
}

export interface RequestKey {
  key: string
  fingerprint: string
}

export function checkKey({ idempotency_key: inBody }: KeyedBody, { 'idempotency-key': inHeader }: KeyHeaders): void {
  if (inHeader !== undefined && typeof inBody === 'string' && inHeader !== inBody)
    throw invalidValue(['header', 'idempotency-key'], 'the header and the body give different keys; send one', inHeader)
}

/** The fingerprint is of everything but the key itself. */
export function readKey(body: KeyedBody, headers: KeyHeaders): RequestKey | null {
  const { idempotency_key: inBody, idempotency_fingerprint: given, ...meaning } = body
  const key = inBody ?? headers['idempotency-key']
  if (key === undefined) return null
  return { key, fingerprint: given ?? createHash('sha256').update(writeCanonicalJson(meaning)).digest('hex') }
}

/** The version that the key was used for; another request under the same key is refused. */
export async function findMade(
  db: Database,
  projectId: string,
  asked: RequestKey | null,
): Promise<Version | undefined> {
  const found = asked && (await findVersionByKey(db, projectId, asked.key))
  if (!found) return undefined
  if (found.idempotencyFingerprint === asked.fingerprint) return found
  throw new ServiceError(
    'idempotency_key_reuse',
    `The idempotency key ${JSON.stringify(asked.key)} belongs to another version of the project. Choose a new key.`,
  )
}

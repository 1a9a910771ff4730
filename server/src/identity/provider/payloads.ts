import { createHash } from 'node:crypto'
import { type Database, inTransaction } from '../../db/database.ts'
import type { SecretBox } from '../../secrets/box.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { deleteAllPayloads, listPayloads, type Payload, replacePayload } from './repository.ts'

/** What can be used by whoever holds its id. Those of the others name a thing, and open nothing without a signed cookie. */
const bearers = new Set(['RefreshToken', 'AuthorizationCode', 'DeviceCode', 'Session', 'AccessToken'])

/** How a payload is found: a bearer by its hash, as personal access tokens are. It has 256 random bits, so a plain hash is enough. */
export const rowIdOf = (model: string, id: string): string =>
  bearers.has(model) ? createHash('sha256').update(id).digest('base64url') : id

/** The parts of a payload that somebody could use. */
interface SecretParts {
  jti?: string | undefined
  deviceCode?: string | undefined
  cookie?: string | undefined
}

type StoredPayload = Payload & { sealed?: string; session?: { cookie?: string } }

const placeOf = (model: string, rowId: string): string => `oidc ${model} ${rowId}`

function takeSecrets(model: string, payload: StoredPayload): { parts: SecretParts; rest: StoredPayload } {
  const { jti, deviceCode, session, ...rest } = payload as StoredPayload & { jti?: string; deviceCode?: string }
  const { cookie, ...shown } = session ?? {}
  const isBearer = bearers.has(model)
  return {
    parts: { ...(isBearer ? { jti } : {}), deviceCode, cookie },
    rest: { ...rest, ...(isBearer || jti === undefined ? {} : { jti }), ...(session ? { session: shown } : {}) },
  }
}

function putSecrets(rest: StoredPayload, { jti, deviceCode, cookie }: SecretParts): Payload {
  const { sealed: _, ...payload } = rest
  return {
    ...payload,
    ...(jti === undefined ? {} : { jti }),
    ...(deviceCode === undefined ? {} : { deviceCode }),
    ...(cookie === undefined ? {} : { session: { ...payload.session, cookie } }),
  }
}

/** A payload as the database may hold it: what it says of whom stays readable, for statements; what opens something is sealed. */
export async function sealPayload(
  seal: (text: string, place: string) => string | Promise<string>,
  model: string,
  rowId: string,
  payload: Payload,
): Promise<Payload> {
  const { parts, rest } = takeSecrets(model, payload)
  if (Object.values(parts).every((part) => part === undefined)) return payload
  return { ...rest, sealed: await seal(JSON.stringify(parts), placeOf(model, rowId)) }
}

/** A payload as the provider gave it. Throws where it was sealed by another key, or changed. */
export async function openPayload(
  open: (text: string, place: string) => string | Promise<string>,
  model: string,
  rowId: string,
  stored: StoredPayload,
): Promise<Payload> {
  if (!stored.sealed) {
    const { sealed: _, ...payload } = stored
    return payload
  }
  return putSecrets(stored, JSON.parse(await open(stored.sealed, placeOf(model, rowId))) as SecretParts)
}

/** Sign-ins under way and sessions, of a database whose key is lost. */
export const forgetPayloads = (db: Database): Promise<void> => deleteAllPayloads(db)

const batch = 500

/** Seals what a program before this one has stored in the clear, a batch at a time. */
export async function sealPayloads(db: Database, secrets: Secrets): Promise<void> {
  for (;;) {
    const count = await inTransaction(db, async (trx) => {
      const rows = await listPayloads(trx, [...bearers, 'Interaction'], { sealed: false, limit: batch })
      for (const { model, id, payload } of rows) {
        const rowId = rowIdOf(model, id)
        const sealed = await sealPayload(secrets.seal, model, rowId, payload)
        // An interaction that holds nothing secret is marked, so that it is not looked at again.
        await replacePayload(trx, { model, id }, rowId, { sealed: '', ...sealed })
      }
      return rows.length
    })
    if (count < batch) return
  }
}

/** With another key, in the caller's transaction. */
export async function resealPayloads(trx: Database, from: SecretBox, to: SecretBox): Promise<void> {
  let after: { model: string; id: string } | undefined
  for (;;) {
    const rows = await listPayloads(trx, [...bearers, 'Interaction'], { sealed: true, limit: batch, after })
    for (const { model, id, payload } of rows) {
      if (!(payload as StoredPayload).sealed) continue
      const opened = await openPayload(from.open, model, id, payload)
      await replacePayload(trx, { model, id }, id, await sealPayload(to.seal, model, id, opened))
    }
    if (rows.length < batch) return
    after = rows.at(-1)
  }
}

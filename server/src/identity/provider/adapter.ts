import { type Adapter, errors } from 'oidc-provider'
import { type Database, inTransaction } from '../../db/database.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { insertRevokedSession } from '../repository.ts'
import { openPayload, rowIdOf, sealPayload } from './payloads.ts'
import {
  consumePayload,
  deleteGrant,
  deletePayload,
  deletePayloadsOfGrant,
  findPayload,
  type Payload,
  upsertPayload,
} from './repository.ts'

/** Longer than any access token that a grant has signed. */
const revocationMs = 2 * 3_600_000

/** Ends a grant: what was issued under it is deleted, and its access tokens, which carry its id as `sid`, are refused. */
export const endGrant = (db: Database, grantId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    await deleteGrant(trx, grantId)
    await insertRevokedSession(trx, grantId, new Date(Date.now() + revocationMs))
  })

/** Where the provider keeps what it must remember: one table for all its models. */
export const createAdapterFactory =
  (db: Database, secrets: Secrets) =>
  (model: string): Adapter => {
    const find = async (by: Parameters<typeof findPayload>[2]): Promise<Payload | undefined> => {
      // Nothing is stored under such a name, and PostgreSQL refuses to look.
      if (Object.values(by).some((name) => name.includes('\0'))) return undefined
      const row = await findPayload(db, model, by)
      return row && openPayload(secrets.open, model, row.id, row.payload)
    }
    return {
      async upsert(id, payload, expiresInSeconds) {
        const expiresAt = expiresInSeconds ? new Date(Date.now() + expiresInSeconds * 1000) : undefined
        const rowId = rowIdOf(model, id)
        const stored = await sealPayload(secrets.seal, model, rowId, payload as Payload)
        await upsertPayload(db, model, rowId, stored, expiresAt)
      },
      find: (id) => find({ id: rowIdOf(model, id) }),
      findByUid: (uid) => find({ uid }),
      findByUserCode: (userCode) => find({ userCode }),
      async consume(id) {
        // The provider looked before it came here; two requests may have looked at once.
        if (!(await consumePayload(db, model, rowIdOf(model, id)))) throw new errors.InvalidGrant('already consumed')
      },
      destroy: (id) => (model === 'Grant' ? endGrant(db, id) : deletePayload(db, model, rowIdOf(model, id))),
      revokeByGrantId: (grantId) => deletePayloadsOfGrant(db, model, grantId),
    }
  }

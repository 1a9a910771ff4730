import { type Adapter, errors } from 'oidc-provider'
import { type Database, inTransaction } from '../../db/database.ts'
import { insertRevokedSession } from '../repository.ts'
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
  (db: Database) =>
  (model: string): Adapter => ({
    async upsert(id, payload, expiresInSeconds) {
      const expiresAt = expiresInSeconds ? new Date(Date.now() + expiresInSeconds * 1000) : undefined
      await upsertPayload(db, model, id, payload as Payload, expiresAt)
    },
    find: (id) => findPayload(db, model, { id }),
    findByUid: (uid) => findPayload(db, model, { uid }),
    findByUserCode: (userCode) => findPayload(db, model, { userCode }),
    async consume(id) {
      // The provider looked before it came here; two requests may have looked at once.
      if (!(await consumePayload(db, model, id))) throw new errors.InvalidGrant('already consumed')
    },
    destroy: (id) => (model === 'Grant' ? endGrant(db, id) : deletePayload(db, model, id)),
    revokeByGrantId: (grantId) => deletePayloadsOfGrant(db, model, grantId),
  })

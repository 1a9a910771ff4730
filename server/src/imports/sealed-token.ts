import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { getSharedSecret } from '../secrets/settings.ts'

const nonceBytes = 12
const tagBytes = 16

/** Of the secrets of the database, so that a dump of it opens nothing. */
const getKey = async (db: Database, secrets: Secrets): Promise<Buffer> =>
  createHash('sha256')
    .update(await getSharedSecret(db, secrets, 'source_token_key'))
    .digest()

/** AES-256-GCM, bound to the import: a sealed token copied to another row does not open. */
async function sealToken(db: Database, secrets: Secrets, importId: string, token: string): Promise<Buffer> {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', await getKey(db, secrets), nonce).setAAD(Buffer.from(importId))
  const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
}

export async function openToken(db: Database, secrets: Secrets, importId: string, sealed: Buffer): Promise<string> {
  try {
    const cipher = createDecipheriv('aes-256-gcm', await getKey(db, secrets), sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    cipher.setAAD(Buffer.from(importId)).setAuthTag(sealed.subarray(-tagBytes))
    return cipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + cipher.final('utf8')
  } catch (error) {
    throw new ServiceError(
      'conflict',
      'The stored token of the source cannot be decrypted. Start a new import with the token.',
      {
        cause: error,
      },
    )
  }
}

/** Seals a token for an import whose id is not known yet. */
export const sealerOf = (
  { db, secrets }: { db: Database; secrets: Secrets },
  token: string | null | undefined,
): ((importId: string) => Promise<Buffer>) | null =>
  token ? (importId) => sealToken(db, secrets, importId, token) : null

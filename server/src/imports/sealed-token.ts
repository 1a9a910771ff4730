import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { getSharedSecret } from '../db/settings.ts'
import { ServiceError } from '../errors.ts'

const nonceBytes = 12
const tagBytes = 16

/** A key that only processes of this database have; a dump of the imports alone opens nothing without program_settings. */
const getKey = async (db: Database): Promise<Buffer> =>
  createHash('sha256')
    .update(await getSharedSecret(db, 'source_token_key'))
    .digest()

/** AES-256-GCM, bound to the import: a sealed token copied to another row does not open. */
export async function sealToken(db: Database, importId: string, token: string): Promise<Buffer> {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', await getKey(db), nonce).setAAD(Buffer.from(importId))
  const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
}

export async function openToken(db: Database, importId: string, sealed: Buffer): Promise<string> {
  try {
    const cipher = createDecipheriv('aes-256-gcm', await getKey(db), sealed.subarray(0, nonceBytes), {
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

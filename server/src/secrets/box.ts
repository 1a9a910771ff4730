import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16
const form = /^v1\.([0-9a-f]{16})\.([\w-]+)$/

/** Seals short texts with one key: AES-256-GCM, each bound to its place, so that one copied to another row does not open. */
export interface SecretBox {
  /** Names the key without telling anything of it. */
  keyId: string
  seal(text: string, place: string): string
  /** Throws where the text was sealed by another key, for another place, or was changed. */
  open(sealed: string, place: string): string
}

export function createSecretBox(secret: string): SecretBox {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `nmp secrets ${purpose}`, 32))
  const key = derive('v1')
  const keyId = createHmac('sha256', derive('id')).update('id').digest('hex').slice(0, 16)
  return {
    keyId,
    seal(text, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${keyId}.${bytes.toString('base64url')}`
    },
    open(sealed, place) {
      const [, id, text = ''] = form.exec(sealed) ?? []
      if (id !== keyId) throw new Error(`The secret of ${place} was sealed by another key.`)
      const bytes = Buffer.from(text, 'base64url')
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes))
      return cipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + cipher.final('utf8')
    },
  }
}

export const keyIdOf = (sealed: string): string | undefined => form.exec(sealed)?.[1]

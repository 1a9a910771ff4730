import { randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from 'jose'
import type { Database } from '../db/database.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { changeSecretSetting, getSecretSetting } from '../secrets/settings.ts'

/** A private ES256 key as JWK. */
export type SigningKey = JWK & { kid: string }

interface StoredKey {
  jwk: SigningKey
  created_at: string
}

interface StoredKeys {
  keys: StoredKey[]
}

const settingName = 'signing_keys'

/** No session token lives longer, so a key this long out of use has nothing left to verify. */
export const longestSessionMinutes = 7 * 24 * 60

/** The program's own keys, newest first; the newest signs, all verify. Made by whichever process asks first. */
export async function getSigningKeys(db: Database, secrets: Secrets): Promise<[SigningKey, ...SigningKey[]]> {
  const stored = await getSecretSetting(
    db,
    secrets,
    settingName,
    async () => ({ keys: [await createKey()] }) satisfies StoredKeys,
  )
  const [newest, ...older] = (stored as StoredKeys).keys.map(({ jwk }) => jwk)
  if (!newest) throw new Error(`The setting ${settingName} in the database holds no key. Rotate the keys.`)
  return [newest, ...older]
}

/**
 * A new key signs from now on. Those before it go on verifying while a token they signed can live; `dropOld` ends that at
 * once, and with it every session: for a key that leaked. Running processes follow within half a minute.
 */
export async function rotateSigningKeys(db: Database, secrets: Secrets, { dropOld = false } = {}): Promise<SigningKey> {
  const made = await createKey()
  await getSecretSetting(db, secrets, settingName, async () => ({ keys: [] }) satisfies StoredKeys)
  await changeSecretSetting(db, secrets, settingName, (value) => {
    const { keys } = value as StoredKeys
    // A key went out of use when the one before it in the list was made.
    const kept = keys.filter((_, index) => {
      const retiredAt = index === 0 ? Date.now() : Date.parse(keys[index - 1]?.created_at ?? '')
      return Date.now() - retiredAt < longestSessionMinutes * 60_000
    })
    return { keys: dropOld ? [made] : [made, ...kept] } satisfies StoredKeys
  })
  return made.jwk
}

export const toPublicKeys = (keys: readonly SigningKey[]): JSONWebKeySet => ({
  keys: keys.map(({ d: _private, ...rest }) => rest),
})

/** What signs cookies and form tokens, newest first. */
export async function getCookieKeys(db: Database, secrets: Secrets): Promise<[string, ...string[]]> {
  const make = async () => ({ keys: [randomBytes(32).toString('base64url')] })
  const stored = await getSecretSetting(db, secrets, 'cookie_keys', make)
  const [newest, ...older] = (stored as { keys: string[] }).keys
  if (!newest)
    throw new Error('The setting cookie_keys in the database holds no key. Delete the row; a new one is made.')
  return [newest, ...older]
}

async function createKey(): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return { jwk: { ...jwk, kid, alg: 'ES256', use: 'sig' }, created_at: new Date().toISOString() }
}

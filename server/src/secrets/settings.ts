import { randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { changeSetting, deleteSetting, findSetting, storeSetting, storeSettingOnce } from '../db/settings.ts'
import type { SecretBox } from './box.ts'
import type { Secrets } from './secrets.ts'

/** Settings of the database that nobody may read who has only the database: each is stored as `{"sealed": "…"}`. */
const secretSettings = [
  'signing_keys',
  'cookie_keys',
  'object_url_key',
  'media_url_key',
  'hub_link_key',
  'source_token_key',
] as const
type SecretSetting = (typeof secretSettings)[number]

const placeOf = (name: SecretSetting): string => `setting ${name}`

const readSealed = (value: unknown): string | undefined => {
  const sealed = typeof value === 'object' && value !== null && 'sealed' in value ? value.sealed : undefined
  return typeof sealed === 'string' ? sealed : undefined
}

async function openValue(secrets: Secrets, name: SecretSetting, stored: unknown): Promise<unknown> {
  const sealed = readSealed(stored)
  if (sealed === undefined) throw new Error(`The setting ${name} in the database is not sealed. Restart the program.`)
  return JSON.parse(await secrets.open(sealed, placeOf(name)))
}

const sealValue = async (secrets: Secrets, name: SecretSetting, value: unknown) => ({
  sealed: await secrets.seal(JSON.stringify(value), placeOf(name)),
})

/** The value that stands; where there is none, the one that `make` gives to whichever process asks first. */
export async function getSecretSetting(
  db: Database,
  secrets: Secrets,
  name: SecretSetting,
  make: () => Promise<unknown>,
): Promise<unknown> {
  const stored =
    (await findSetting(db, name)) ?? (await storeSettingOnce(db, name, await sealValue(secrets, name, await make())))
  return openValue(secrets, name, stored)
}

export const changeSecretSetting = (
  db: Database,
  secrets: Secrets,
  name: SecretSetting,
  change: (value: unknown) => unknown,
): Promise<void> =>
  changeSetting(db, name, async (stored) => sealValue(secrets, name, change(await openValue(secrets, name, stored))))

/** A random secret, made by whichever process asks first. */
export async function getSharedSecret(db: Database, secrets: Secrets, name: SecretSetting): Promise<string> {
  return String(await getSecretSetting(db, secrets, name, async () => randomBytes(32).toString('base64url')))
}

/** Seals what a program before this one has stored in the clear. */
export async function sealSettings(db: Database, secrets: Secrets): Promise<void> {
  for (const name of secretSettings) {
    const stored = await findSetting(db, name)
    if (stored !== undefined && readSealed(stored) === undefined)
      await storeSetting(db, name, await sealValue(secrets, name, stored))
  }
}

/** With another key, in the caller's transaction. */
export async function resealSettings(db: Database, from: SecretBox, to: SecretBox): Promise<void> {
  for (const name of secretSettings) {
    const sealed = readSealed(await findSetting(db, name))
    if (sealed !== undefined)
      await storeSetting(db, name, { sealed: to.seal(from.open(sealed, placeOf(name)), placeOf(name)) })
  }
}

/** They are made anew where they are next asked for. */
export async function forgetSettings(db: Database): Promise<void> {
  for (const name of secretSettings) await deleteSetting(db, name)
}

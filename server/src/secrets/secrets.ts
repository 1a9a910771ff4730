import type { Config } from '../config.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { findSetting, storeSetting, waitForOtherStarts } from '../db/settings.ts'
import { ServiceError } from '../errors.ts'
import { createSecretBox, keyIdOf, type SecretBox } from './box.ts'
import { findKeyFile, findNextKey, keyFileIn, makeKeyFile, shortestKey, takeNextKey } from './key-file.ts'

/** What of the database only processes with its key can read. */
export interface Secrets {
  seal(text: string, place: string): Promise<string>
  /** Throws where the text was changed, or belongs elsewhere. */
  open(sealed: string, place: string): Promise<string>
}

export type KeySettings = Pick<Config, 'NMP_SECRET_KEY' | 'NMP_DATA_DIR'>

const settingName = 'secret_key'

/**
 * The secrets of a database with the key that is set, or that of the data folder, which is made where the database knows none yet. Refuses a
 * key that is not the database's: what it cannot open would be taken for gone, and everybody signed out.
 */
export async function openSecrets(db: Database, settings: KeySettings): Promise<Secrets> {
  let box = await inTransaction(db, async (trx) => {
    await waitForOtherStarts(trx)
    const known = await findKeyId(trx)
    const found = await loadBox(settings, known)
    if (known === undefined) await recordKey(trx, found)
    return found
  })
  /** The key may be rotated while this process runs: that of a file is followed, a set one needs a restart. */
  const follow = async (keyId: string | undefined): Promise<void> => {
    if (keyId === box.keyId) return
    const found = await loadBox(settings, keyId).catch((cause: unknown) => {
      throw new ServiceError('not_ready', 'The secret key was rotated. Restart this process with the new one.', {
        cause,
        retryAfterSeconds: 30,
      })
    })
    box = found
  }
  return {
    async seal(text, place) {
      await follow(await findKeyId(db))
      return box.seal(text, place)
    },
    async open(sealed, place) {
      await follow(keyIdOf(sealed))
      return box.open(sealed, place)
    },
  }
}

/** The id of the key that the database was given; undefined where it has none yet. */
export async function findKeyId(db: Database): Promise<string | undefined> {
  const stored = (await findSetting(db, settingName)) as { id?: unknown } | undefined
  return typeof stored?.id === 'string' ? stored.id : undefined
}

export const recordKey = (db: Database, { keyId }: SecretBox): Promise<void> =>
  storeSetting(db, settingName, { id: keyId })

/** The box of the key that is set or in the file; throws where it is not the one that is known. */
export async function loadBox(settings: KeySettings, known: string | undefined): Promise<SecretBox> {
  const set = settings.NMP_SECRET_KEY
  if (set !== undefined) return requireKnown(createBoxOf(set, 'NMP_SECRET_KEY'), known, 'NMP_SECRET_KEY')
  const path = keyFileIn(settings.NMP_DATA_DIR)
  const secret = await findKeyFile(path)
  const box = secret === undefined ? undefined : createSecretBox(secret)
  if (known !== undefined && box?.keyId !== known) {
    // A rotation that was cut off after the database took the new key.
    const next = await findNextKey(path)
    if (next !== undefined && createSecretBox(next).keyId === known) {
      await takeNextKey(path)
      return createSecretBox(next)
    }
  }
  if (box) return requireKnown(box, known, path)
  if (known !== undefined)
    throw new Error(
      `The secrets of this database are encrypted with the key ${known}, and there is none here: ${path} does not exist and NMP_SECRET_KEY is not set. ${remedy}`,
    )
  return createSecretBox(await makeKeyFile(path))
}

export function createBoxOf(secret: string, name: string): SecretBox {
  if (secret.length < shortestKey)
    throw new Error(
      `${name} is too short to be a key: at least ${shortestKey} characters, such as those of openssl rand -base64 32.`,
    )
  return createSecretBox(secret)
}

function requireKnown(box: SecretBox, known: string | undefined, where: string): SecretBox {
  if (known === undefined || box.keyId === known) return box
  throw new Error(
    `The secrets of this database are encrypted with the key ${known}, and ${where} holds another, ${box.keyId}. ${remedy}`,
  )
}

const remedy =
  'Every process of one database needs the same key: set NMP_SECRET_KEY to it, or bring the file secret.key from the data folder of where the program ran before. If the key is lost, npm run -s admin -- secrets reset makes new secrets, and everybody signs in again.'

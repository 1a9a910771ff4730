import { randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import * as repository from './repository.ts'

/** What every process of one database shares and nobody configures. */
export const { findSetting, storeSettingOnce, storeSetting, changeSetting, waitForOtherStarts } = repository

/** A random secret, made by whichever process asks first. */
export async function getSharedSecret(db: Database, name: string): Promise<string> {
  const stored =
    (await findSetting(db, name)) ?? (await storeSettingOnce(db, name, randomBytes(32).toString('base64url')))
  return String(stored)
}

const publicUrlName = 'public_url'

/** The address the running server is reached at, so that operator commands beside it sign sessions it accepts. */
export const recordPublicUrl = (db: Database, publicUrl: string): Promise<void> =>
  storeSetting(db, publicUrlName, publicUrl)

export async function findPublicUrl(db: Database): Promise<string | undefined> {
  const stored = await findSetting(db, publicUrlName)
  return typeof stored === 'string' ? stored : undefined
}

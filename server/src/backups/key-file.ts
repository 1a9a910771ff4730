import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isErrno, syncFolder } from '../storage/folder/durable-file.ts'

const format = /^nmp-backup-key-1:([A-Za-z0-9_-]{43})$/

export interface BackupKey {
  path: string
  bytes: Buffer
  /** Says which key it is and nothing about it. */
  id: string
  /** The name of a content in a folder of backups: who has no key cannot ask whether a content is there. */
  nameContent(sha256: string): string
}

/** A new key, in a file of its owner alone. Never writes over one: what it sealed would be lost. */
export async function createBackupKey(file: string): Promise<BackupKey> {
  const path = resolve(file)
  const made = await open(path, 'wx', 0o600).catch((error) => {
    if (isErrno(error, 'EEXIST'))
      throw new Error(`${path} exists already. Choose another name: backups that a key has sealed need that key.`)
    throw error
  })
  try {
    await made.write(`nmp-backup-key-1:${randomBytes(32).toString('base64url')}\n`)
    await made.sync()
  } finally {
    await made.close()
  }
  await syncFolder(dirname(path))
  return readBackupKey(path)
}

export async function readBackupKey(file: string | undefined): Promise<BackupKey> {
  if (!file)
    throw new Error(
      'Which key? Say --key FILE or set NMP_BACKUP_KEY_FILE. `npm run -s admin -- backup-key FILE` makes one.',
    )
  const path = resolve(file)
  const text = await readFile(path, 'utf8').catch((error) => {
    if (isErrno(error, 'ENOENT'))
      throw new Error(`There is no key file ${path}. \`npm run -s admin -- backup-key ${path}\` makes one.`)
    throw new Error(`The key file ${path} cannot be read: ${error.message}.`)
  })
  const found = format.exec(text.trim())?.[1]
  if (found === undefined)
    throw new Error(`${path} holds no key of backups. Give the file that \`admin backup-key\` made.`)
  const bytes = Buffer.from(found, 'base64url')
  const nameKey = Buffer.from(hkdfSync('sha256', bytes, '', 'nmp backup names', 32))
  return {
    path,
    bytes,
    id: createHash('sha256').update('nmp backup key id').update(bytes).digest('hex').slice(0, 12),
    nameContent: (sha256) => createHmac('sha256', nameKey).update(sha256).digest('hex'),
  }
}

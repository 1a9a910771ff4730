import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile, DurableFolder, isErrno, writeStream } from '../storage/folder/durable-file.ts'
import type { BackupKey } from './key-file.ts'
import { seal, UnsealError, unseal } from './sealed.ts'

const markerName = 'nmp-backups.json'
const format = 'nmp-backups-1'
/** What a killed writer left; a slow one is not that slow. */
const leftHours = 24

type Bytes = AsyncIterable<Uint8Array>

/**
 * A folder of backups. Every file but the marker is sealed under its own name and appears whole or not at all:
 * `chains/CHAIN/…` are the database's (see chain.ts), `blobs/xx/NAME` the contents, each once.
 */
export interface BackupFolder {
  root: string
  key: BackupKey
  durable: DurableFolder
}

/** One that is there. With `begin` an empty one becomes a folder of backups. */
export async function openBackupFolder(path: string, key: BackupKey, begin = false): Promise<BackupFolder> {
  const root = await realpath(path).catch(() => {
    throw new Error(`There is no folder ${path}. Make it, or check that its disk is mounted.`)
  })
  const folder = { root, key, durable: new DurableFolder(root) }
  const marker = await readMarker(root)
  if (marker === undefined) {
    const names = await readdir(root)
    if (!begin) throw new Error(`${root} is not a folder of backups: it has no ${markerName}.`)
    if (names.some((name) => name !== 'lost+found'))
      throw new Error(`${root} has other files in it. Give the backups an empty folder of their own.`)
    await writeMarker(folder)
  } else if (marker.key_id !== key.id) {
    throw new Error(
      `${root} was begun with the key ${marker.key_id}, and ${key.path} holds the key ${key.id}. Give the right one with --key or NMP_BACKUP_KEY_FILE.`,
    )
  }
  return folder
}

/** Writes a sealed file to the disk, then gives it its name; what fails leaves nothing. Answers its size. */
export async function writeSealed(folder: BackupFolder, name: string, body: Bytes): Promise<number> {
  const temporary = await makeTemporary(folder)
  const file = await createFile(temporary)
  try {
    const { sizeBytes } = await writeStream(file, seal(folder.key.bytes, name, body))
    await folder.durable.publishFile(temporary, join(folder.root, name), false)
    return sizeBytes
  } catch (error) {
    await rm(temporary, { force: true })
    throw describeDiskError(error, folder.root)
  } finally {
    await file.close()
  }
}

/** A name for what is not whole yet, on the same disk. */
export async function makeTemporary({ root }: BackupFolder): Promise<string> {
  await mkdir(join(root, 'tmp'), { recursive: true, mode: 0o700 })
  return join(root, 'tmp', randomBytes(8).toString('hex'))
}

export async function* readSealed({ root, key }: BackupFolder, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* unseal(key.bytes, name, createReadStream(join(root, name), { highWaterMark: 1 << 18 }))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw new Error(`${join(root, name)} is missing.`, { cause: error })
    if (!(error instanceof UnsealError)) throw error
    throw new Error(
      `${join(root, name)} is damaged: ${error.message}. Bring that file back from a copy of the folder, or choose another minute.`,
      { cause: error },
    )
  }
}

export const contentName = ({ key }: BackupFolder, sha256: string): string => contentPath(key.nameContent(sha256))

export const contentPath = (name: string): string => `blobs/${name.slice(0, 2)}/${name}`

export const isThere = (folder: BackupFolder, name: string): Promise<boolean> =>
  access(join(folder.root, name)).then(
    () => true,
    (error) => {
      if (isErrno(error, 'ENOENT')) return false
      throw error
    },
  )

/** Names of files in a folder of the folder; none where it is not there. */
export const listNames = (folder: BackupFolder, name: string): Promise<string[]> =>
  readdir(join(folder.root, name)).catch((error) => {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  })

export async function sweepTemporary(folder: BackupFolder): Promise<void> {
  const olderThan = Date.now() - leftHours * 3_600_000
  for (const name of await listNames(folder, 'tmp')) {
    const path = join(folder.root, 'tmp', name)
    if ((await stat(path)).mtimeMs < olderThan) await rm(path, { recursive: true, force: true })
  }
}

export const describeDiskError = (error: unknown, place: string): unknown =>
  isErrno(error, 'ENOSPC', 'EDQUOT')
    ? new Error(`The disk of ${place} is full. Make room there, or give a folder on another disk.`, { cause: error })
    : error

interface Marker {
  format: typeof format
  key_id: string
}

async function readMarker(root: string): Promise<Marker | undefined> {
  const text = await readFile(join(root, markerName), 'utf8').catch((error) => {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  })
  if (text === undefined) return undefined
  const marker = parseMarker(text)
  if (marker?.format !== format || typeof marker.key_id !== 'string')
    throw new Error(`${join(root, markerName)} is damaged, or a newer program made it.`)
  return marker
}

const parseMarker = (text: string): Marker | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function writeMarker(folder: BackupFolder): Promise<void> {
  const temporary = await makeTemporary(folder)
  const file = await createFile(temporary)
  try {
    const marker: Marker = { format, key_id: folder.key.id }
    await file.write(`${JSON.stringify(marker)}\n`)
    await file.sync()
    await folder.durable.publishFile(temporary, join(folder.root, markerName), false)
  } catch (error) {
    throw describeDiskError(error, folder.root)
  } finally {
    await file.close()
    await rm(temporary, { force: true })
  }
}

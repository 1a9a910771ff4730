import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { isErrno, syncFolder } from '../storage/folder/durable-file.ts'
import { type ArchiveWriter, createArchive } from './archive.ts'
import { type Base, baseName, type Chain } from './chain.ts'
import { compress } from './compression.ts'
import { type BackupFolder, describeDiskError, makeTemporary } from './folder.ts'
import { type Lsn, nameLsn } from './lsn.ts'
import { beginBase, type EndedBase, endBase, type Session } from './repository.ts'
import { seal } from './sealed.ts'

/** Kept as folders without what is in them: PostgreSQL makes it anew, or it belongs to the one that was copied. */
const emptied = new Set(
  [
    'pg_wal',
    'pg_replslot',
    'pg_dynshmem',
    'pg_notify',
    'pg_serial',
    'pg_snapshots',
    'pg_stat_tmp',
    'pg_subtrans',
  ].concat('log'),
)
const leftOut =
  /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init[^/]*|pgsql_tmp[^/]*|backup_label(\.old)?|tablespace_map(\.old)?|recovery\.signal|standby\.signal|current_logfiles|backup_manifest|t\d+_\d+(_\w+)?(\.\d+)?)$/
/** Last, as pg_basebackup has it. */
const controlFile = 'global/pg_control'
const readBytes = 1 << 20

export const foldersName = 'folders.json'
export const labelName = 'backup_label'
export const clusterPrefix = 'data/'

export interface BaseDraft {
  /** Once the log up to its end is in the folder, everything up to `until`. */
  publish(until: number): Promise<Base>
  discard(): Promise<void>
  startLsn: Lsn
  stopLsn: Lsn
  sizeBytes: number
}

/**
 * A copy of the cluster's files while the server writes to them: between `pg_backup_start` and `pg_backup_stop` its log holds whole
 * pages, and what was read in the middle of a change is made right by playing that log.
 */
export async function copyCluster(
  session: Session,
  folder: BackupFolder,
  chain: Chain,
  dataFolder: string,
): Promise<BaseDraft> {
  const path = await makeTemporary(folder)
  const startLsn = await beginBase(session)
  let ended: EndedBase | undefined
  const archive = await createArchive(path, (tar) => seal(folder.key.bytes, sealedName(chain, startLsn), compress(tar)))
  try {
    const { folders, files } = await listCluster(dataFolder)
    const list = Buffer.from(JSON.stringify(folders))
    await archive.addStream(foldersName, list.length, Readable.from([list]))
    for (const file of files) await addFile(archive, dataFolder, file)
    await addFile(archive, dataFolder, controlFile)
    ended = await endBase(session)
    const label = Buffer.from(ended.labelFile)
    await archive.addStream(labelName, label.length, Readable.from([label]))
    await archive.finish()
  } catch (error) {
    if (!ended) await endBase(session).catch(() => undefined)
    throw describeDiskError(error, folder.root)
  } finally {
    await archive.close()
  }
  const { stopLsn } = ended
  return {
    startLsn,
    stopLsn,
    sizeBytes: (await stat(path)).size,
    async publish(until) {
      const base = { until, startLsn, stopLsn }
      const name = baseName(base)
      await rename(path, join(folder.root, chain.path, name))
      await syncFolder(join(folder.root, chain.path))
      chain.bases.push({ ...base, name })
      return { ...base, name }
    },
    discard: () => rm(path, { force: true }),
  }
}

/** Its whole name has its end in it, which is known when all else is written. No two bases of a chain start at one place. */
export const sealedName = ({ path }: Chain, startLsn: Lsn): string => `${path}/base from ${nameLsn(startLsn)}`

async function listCluster(dataFolder: string): Promise<{ folders: string[]; files: string[] }> {
  const folders: string[] = []
  const files: string[] = []
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(dataFolder, folder), { withFileTypes: true }).catch(skipGone)
    for (const entry of entries ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (leftOut.test(path)) continue
      if (entry.isDirectory()) {
        folders.push(path)
        if (!emptied.has(path)) await walk(path)
      } else if (entry.isFile() && path !== controlFile) files.push(path)
    }
  }
  await walk('')
  return { folders, files }
}

/** A table that is dropped meanwhile takes its file along, and the log says so. */
const skipGone = (error: unknown): undefined => {
  if (isErrno(error, 'ENOENT')) return undefined
  throw error
}

async function addFile(archive: ArchiveWriter, dataFolder: string, path: string): Promise<void> {
  const full = join(dataFolder, path)
  const found = await stat(full).catch(skipGone)
  if (found) await archive.addStream(`${clusterPrefix}${path}`, found.size, readPadded(full, found.size))
}

/** As many bytes as were there at first: what a file grew by, or shrank to, the log says. */
async function* readPadded(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r').catch(skipGone)
  try {
    for (let at = 0; at < sizeBytes; ) {
      const wanted = Math.min(readBytes, sizeBytes - at)
      const read = await file?.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
      const bytes = read && read.bytesRead > 0 ? read.buffer.subarray(0, read.bytesRead) : Buffer.alloc(wanted)
      yield bytes
      at += bytes.length
    }
  } finally {
    await file?.close()
  }
}

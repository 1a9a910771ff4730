import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { RestoredCluster } from '../db/restored-cluster.ts'
import { createFile, writeAll } from '../storage/folder/durable-file.ts'
import { readArchive } from './archive.ts'
import type { Chain, LogEntry } from './chain.ts'
import { clusterPrefix, foldersName, labelName, sealedName } from './cluster-copy.ts'
import { decompress } from './compression.ts'
import type { BackupFolder } from './folder.ts'
import { openEntry } from './log-entry.ts'
import { type LogShape, segmentName, segmentStart } from './lsn.ts'
import { unseal } from './sealed.ts'
import type { Target } from './targets.ts'

/** The files of a cluster as they were copied. PostgreSQL brings them to the disk before it plays the log. */
export async function unpackBase(folder: BackupFolder, target: Target, cluster: RestoredCluster): Promise<void> {
  await readBase(folder, target, async ({ name, body }) => {
    if (name === foldersName) {
      for (const path of (await json(Readable.from(body))) as string[]) await makeFolder(cluster, path)
    } else if (name === labelName) await writeFile(cluster, labelName, body)
    else if (name.startsWith(clusterPrefix)) await writeFile(cluster, name.slice(clusterPrefix.length), body)
  })
}

/** Every entry of a base, each whole; throws when it is not what was written. */
export const readBase = (
  folder: BackupFolder,
  { chain, base }: Pick<Target, 'chain' | 'base'>,
  see: Parameters<typeof readArchive>[1],
): Promise<void> =>
  readArchive(join(folder.root, chain.path, base.name), see, (file) =>
    decompress(unseal(folder.key.bytes, sealedName(chain, base.startLsn), file)),
  )

async function makeFolder(cluster: RestoredCluster, path: string): Promise<void> {
  const place = locate(cluster, path)
  await mkdir(place, { recursive: true, mode: 0o700 })
  await cluster.own(place)
}

async function writeFile(cluster: RestoredCluster, path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const place = locate(cluster, path)
  const file = await createFile(place)
  try {
    let at = 0
    for await (const chunk of body) {
      await writeAll(file, chunk, at)
      at += chunk.byteLength
    }
  } finally {
    await file.close()
  }
  await cluster.own(place)
}

const locate = ({ dataFolder }: RestoredCluster, path: string): string => {
  const place = join(dataFolder, path)
  if (normalize(place) !== place || !place.startsWith(`${dataFolder}/`) || dirname(place).length < dataFolder.length)
    throw new Error(`The backup names the file ${JSON.stringify(path)}, which is outside of the database.`)
  return place
}

/** A stretch of the log, into the files that PostgreSQL plays it from. */
export async function unpackLog(
  folder: BackupFolder,
  chain: Chain,
  entry: LogEntry,
  { cluster, shape }: { cluster: RestoredCluster; shape: LogShape },
): Promise<void> {
  const { log } = await openEntry(folder, chain, entry)
  let at = entry.fromLsn
  let file: FileHandle | undefined
  try {
    for await (const chunk of log) {
      for (let taken = 0; taken < chunk.byteLength; ) {
        const start = segmentStart(at, shape)
        if (at === start || !file) {
          await file?.close()
          file = await openSegment(cluster, segmentName(at, shape), shape)
        }
        const step = Math.min(chunk.byteLength - taken, shape.segmentBytes - Number(at - start))
        await writeAll(file, chunk.subarray(taken, taken + step), Number(at - start))
        taken += step
        at += BigInt(step)
      }
    }
  } finally {
    await file?.close()
  }
  if (at !== entry.toLsn) throw new Error(`${chain.path}/${entry.name} holds less of the log than its name says.`)
}

/** As long as PostgreSQL wants it, zeros where nothing is known. */
async function openSegment(cluster: RestoredCluster, name: string, { segmentBytes }: LogShape): Promise<FileHandle> {
  const path = join(cluster.dataFolder, 'pg_wal', name)
  const file = await open(path, 'a+', 0o600)
  await file.close()
  const opened = await open(path, 'r+')
  await opened.truncate(segmentBytes)
  await cluster.own(path)
  return opened
}

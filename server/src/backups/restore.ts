import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit } from '../audit/service.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { readSchemaVersion } from '../db/migrations.ts'
import { findPostmaster, isProcessAlive } from '../db/postmaster.ts'
import { makeRestoredCluster, type RestoredCluster } from '../db/restored-cluster.ts'
import type { Log } from '../log.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { syncFolder } from '../storage/folder/durable-file.ts'
import { listChains, readFacts, selectEntries } from './chain.ts'
import { type BackupFolder, describeDiskError } from './folder.ts'
import { type Lsn, nameLsn, segmentStart } from './lsn.ts'
import { findPlayedLsn, findSchemaVersion, forgetUnfinished, setPassword } from './repository.ts'
import { isEmptyFolder, type RestoredContents, restoreContents } from './restore-contents.ts'
import { chooseTarget, renderTime } from './targets.ts'
import { unpackBase, unpackLog } from './unpack.ts'

const draftPattern = /^restoring\.(\d+)$/

export interface RestoreOptions {
  folder: BackupFolder
  config: Config
  log: Log
  /** In milliseconds; undefined: the last moment there is. */
  at: number | undefined
  isPartial: boolean
}

export interface RestoredFolder {
  at: number
  contents: RestoredContents
}

/** A new data folder with the database of that time and the contents that it names. It gets its names when all of it is there. */
export async function restoreFolder(options: RestoreOptions): Promise<RestoredFolder> {
  const { folder, config } = options
  const dataDir = config.NMP_DATA_DIR
  await requireNew(dataDir)
  const target = chooseTarget(folder.root, await listChains(folder), options.at)
  const facts = await readFacts(folder, target.chain)
  const firstLsn = segmentStart(target.base.startLsn, facts)
  const entries = selectEntries(target.chain, target.base, target.at, firstLsn)
  const wasThere = existsSync(dataDir)
  const draft = await makeDraft(dataDir)
  try {
    const cluster = await makeRestoredCluster(join(draft, 'postgres'), options.log, config.NMP_POSTGRES_BIN)
    if (cluster.postgresMajor !== facts.postgresMajor)
      throw new Error(
        `The backup is of PostgreSQL ${facts.postgresMajor}, and this program brings ${cluster.postgresMajor}. Restore it with nmp ${facts.programVersion}, or set NMP_POSTGRES_BIN. Nothing was changed.`,
      )
    await unpackBase(folder, target, cluster)
    for (const entry of entries) await unpackLog(folder, target.chain, entry, { cluster, shape: facts })
    const endLsn = entries.at(-1)?.toLsn ?? target.base.stopLsn
    const contents = await playAndFill(options, { cluster, draft, at: target.at, endLsn })
    await takePlace(draft, dataDir)
    return { at: target.at, contents }
  } catch (error) {
    throw describeDiskError(error, dataDir)
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 })
    // Only when nothing has come of it is it empty.
    if (!wasThere) await rmdir(dataDir).catch(() => undefined)
  }
}

async function requireNew(dataDir: string): Promise<void> {
  const postgres = join(dataDir, 'postgres')
  if (findPostmaster(join(postgres, 'data')))
    throw new Error(
      `A program is running on ${dataDir}. Stop it, and restore into a new folder (NMP_DATA_DIR). Nothing was changed.`,
    )
  if (existsSync(postgres))
    throw new Error(
      `${dataDir} has a database already. Restore into a new folder (NMP_DATA_DIR), or move ${postgres} out of the way. Nothing was changed.`,
    )
}

async function makeDraft(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  for (const name of await readdir(dataDir)) {
    const maker = Number(draftPattern.exec(name)?.[1])
    if (maker && !isProcessAlive(maker)) await rm(join(dataDir, name), { recursive: true, force: true })
  }
  const draft = join(dataDir, `restoring.${process.pid}`)
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  return draft
}

interface Playing {
  cluster: RestoredCluster
  draft: string
  at: number
  endLsn: Lsn
}

async function playAndFill(options: RestoreOptions, playing: Playing): Promise<RestoredContents> {
  const { folder, config, log, isPartial } = options
  const { cluster, draft, at, endLsn } = playing
  const server = await cluster.play(options.at === undefined ? undefined : new Date(at))
  const database = openDatabase({ connection: server.connection, log, statementSeconds: 0 })
  try {
    const { pool } = database
    // No commit is later than the time that was asked for: then all of the log must have been played.
    const played = await findPlayedLsn(pool)
    if (server.isToEnd && played < endLsn)
      throw new Error(
        `The database's log cannot be read beyond ${nameLsn(played)}, and should go to ${nameLsn(endLsn)}. Choose an earlier minute. Nothing was changed.`,
      )
    const store = describeStorage(config, '', '')
    if (store.kind === 'folder' && (await isEmptyFolder(store.folder))) store.folder = join(draft, 'objects')
    const contents = await restoreContents(pool, { folder, store, isPartial })
    await forgetUnfinished(pool)
    await setPassword(pool, server.connection.user, server.connection.password)
    // A database of an older program gets the tables of this one when it is started.
    if ((await findSchemaVersion(pool)) === (await readSchemaVersion()))
      await recordAudit(database.db, 'operator', {
        action: 'backup.restore',
        resource: { kind: 'database', id: 'database' },
        detail: { at: renderTime(at), contents: contents.count + contents.kept },
      })
    return contents
  } finally {
    await database.close()
    await server.stop()
  }
}

/** Objects first: a data folder with a database is one that can be started. */
async function takePlace(draft: string, dataDir: string): Promise<void> {
  for (const name of ['restore-access.conf', 'start.log']) await rm(join(draft, 'postgres', name), { force: true })
  for (const name of ['objects', 'postgres']) {
    if (!existsSync(join(draft, name))) continue
    // Made empty by whoever made the folder.
    await rm(join(dataDir, name), { recursive: name === 'objects', force: true })
    await rename(join(draft, name), join(dataDir, name))
  }
  await syncFolder(dataDir)
}

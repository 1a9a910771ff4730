import type { Context } from '../context.ts'
import type { Connection } from '../db/database.ts'
import { type ObjectStorage, withoutGuard } from '../storage/storage.ts'
import { type BackupFolder, openBackupFolder } from './folder.ts'
import { readBackupKey } from './key-file.ts'
import { type Pruned, pruneFolder } from './prune.ts'
import { dropSlots, inFreeSession, inPatientSession } from './repository.ts'
import { beginChain, findOwnChain, openWork, takeBase, takeLog } from './take.ts'

const hour = 3_600_000
const forgottenBytes = 2 ** 30

/** Settings that cannot work are refused when the program starts, not found out when a backup is needed. */
export function requireBackupSettings({
  NMP_BACKUP_DIR,
  NMP_BACKUP_KEY_FILE,
  NMP_DATABASE_URL,
}: Context['config']): void {
  if (NMP_BACKUP_DIR === undefined) return
  if (NMP_DATABASE_URL !== undefined) throw new Error(ownServer('NMP_BACKUP_DIR is'))
  if (NMP_BACKUP_KEY_FILE === undefined)
    throw new Error(
      'NMP_BACKUP_DIR is set without NMP_BACKUP_KEY_FILE. Make a key with `npm run -s admin -- backup-key FILE` and name it there.',
    )
}

export const ownServer = (what: string): string =>
  `${what} for the embedded PostgreSQL. The one of NMP_DATABASE_URL is restored to a minute by its own tools (pg_basebackup and its archive_command, pgBackRest, the snapshots of whoever runs it); \`backup FILE\` works with it.`

/** Brings the folder of NMP_BACKUP_DIR up to now: of all processes one does it at a time. */
export async function keepBackups(
  { config, connection, storage, log }: Pick<Context, 'config' | 'connection' | 'log'> & { storage: ObjectStorage },
  signal: AbortSignal,
): Promise<void> {
  if (!connection || config.NMP_DATABASE_URL !== undefined) return
  if (config.NMP_BACKUP_DIR === undefined) {
    // Another process of this data folder may have the setting, and then none is this far behind.
    await inFreeSession(connection, (session) => dropSlots(session, forgottenBytes))
    return
  }
  const folder = await openBackupFolder(config.NMP_BACKUP_DIR, await readBackupKey(config.NMP_BACKUP_KEY_FILE), true)
  await inFreeSession(connection, async (session) => {
    const given = { session, folder, storage: withoutGuard(storage), dataDir: config.NMP_DATA_DIR, signal }
    const work = await openWork(given)
    const chain = (await findOwnChain(work)) ?? (await beginChain(work, false))
    const lastBase = chain.bases.at(-1)?.until ?? 0
    const isBaseDue = Date.now() - lastBase >= config.NMP_BACKUP_BASE_HOURS * hour
    const { contents } = isBaseDue ? await takeBase(work, chain) : await takeLog(work, chain, 'added')
    for (const sha256 of contents.damaged)
      log.error({ sha256 }, 'a content is damaged or gone and could not be backed up')
    if (isBaseDue) await pruneFolder(folder, Date.now() - config.NMP_BACKUP_KEEP_DAYS * 24 * hour)
  })
}

export interface BackupByHand {
  folder: BackupFolder
  storage: ObjectStorage
  dataDir: string
  /** In the folder that the program keeps up to date, and so part of what is there. */
  isKept: boolean
}

/** A copy of the database at once, and everything up to its end; waits for whoever writes to a folder of backups just now. */
export const takeBackup = (connection: Connection, { isKept, ...given }: BackupByHand): ReturnType<typeof takeBase> =>
  inPatientSession(connection, async (session) => {
    const work = await openWork({ ...given, session })
    const chain = (isKept && (await findOwnChain(work))) || (await beginChain(work, !isKept))
    return takeBase(work, chain)
  })

export const pruneBackup = (connection: Connection, folder: BackupFolder, keepFrom: number): Promise<Pruned> =>
  inPatientSession(connection, () => pruneFolder(folder, keepFrom))

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { chooseAccount } from './account.ts'
import { locatePostgres } from './binaries.ts'
import { own, readMajorVersion } from './cluster.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './embedded.ts'

/** As long as a long log takes. */
const playSeconds = 24 * 3600
/** What PostgreSQL says when no commit in its log is later than the time that was asked for. */
const endedBefore = 'recovery ended before configured recovery target was reached'

export interface RestoredCluster {
  /** `data` in it is where the files of a cluster go. */
  folder: string
  dataFolder: string
  postgresMajor: number
  /** Gives a file or folder to the account that the server will run as. */
  own(path: string): Promise<void>
  /** Plays the log that is in pg_wal, up to a time or to its end, and answers the server, which lets its account in without a password. */
  play(until: Date | undefined): Promise<EmbeddedPostgres & { isToEnd: boolean }>
}

/** A folder for a cluster whose files come from a backup. */
export async function makeRestoredCluster(
  folder: string,
  log: Log,
  binFolder: string | undefined,
): Promise<RestoredCluster> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const dataFolder = join(folder, 'data')
  const account = chooseAccount(folder, dataFolder, log)
  const binaries = await locatePostgres({ binFolder, linkFolder: join(folder, 'lib') })
  await mkdir(dataFolder, { mode: 0o700 })
  await own(dataFolder, account)
  const accessFile = join(folder, 'restore-access.conf')
  const open = (target: Record<string, string>): Promise<EmbeddedPostgres> =>
    openEmbeddedPostgres({
      folder,
      log,
      binFolder,
      startSeconds: playSeconds,
      maxLaunches: 1,
      settings: {
        hba_file: accessFile,
        // It answers when all is played.
        hot_standby: 'off',
        restore_command: 'false',
        recovery_target_action: 'promote',
        logging_collector: 'off',
        ...target,
      },
    })
  return {
    folder,
    dataFolder,
    postgresMajor: await readMajorVersion(binaries),
    own: (path) => own(path, account),
    async play(until) {
      for (const [path, text] of [
        [accessFile, 'local all all trust\n'],
        [join(dataFolder, 'recovery.signal'), ''],
      ] as const) {
        await writeFile(path, text, { mode: 0o600 })
        await own(path, account)
      }
      if (!until) return { ...(await open({})), isToEnd: true }
      try {
        return { ...(await open({ recovery_target_time: renderTarget(until) })), isToEnd: false }
      } catch (error) {
        if (!describeError(error).includes(endedBefore)) throw error
        return { ...(await open({})), isToEnd: true }
      }
    },
  }
}

/** Before it has read its settings PostgreSQL knows no names of zones, `Z` included. */
const renderTarget = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00')

import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import type pg from 'pg'
import { recordAudit } from '../audit/service.ts'
import { type Config, listUnknownSettings, loadConfig } from '../config.ts'
import { programName } from '../db/database.ts'
import { findKeyFile, keyFileIn } from '../secrets/key-file.ts'
import { createBoxOf, findKeyId, loadBox } from '../secrets/secrets.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { StorageConfig } from '../storage/storage.ts'
import { findJoinedStoreId } from '../storage/store-id.ts'
import type { AdminCommand, AdminContext } from './command.ts'
import { connectOperator } from './connect-operator.ts'
import { type MovedObjects, moveObjects } from './move-objects.ts'
import { moveRows, requireNewDatabase } from './move-rows.ts'

const tellMilliseconds = 5000

export const move: AdminCommand = {
  name: ['move'],
  positionals: ['SETTINGS'],
  options: {
    'objects-only': { type: 'boolean', default: false },
    partial: { type: 'boolean', default: false },
  },
  optionUsage: ['[--objects-only]', '[--partial]'],
  about:
    'Bring everything to another place: from the embedded database and folder to PostgreSQL and S3, or back. SETTINGS is a file with the settings of the new place (NAME=value). Stop the program first; --objects-only goes ahead while it runs, so that little is left for then.',
  async run(context, [file = ''], options) {
    const target = await readSettings(file)
    const onlyObjects = options['objects-only'] === true
    if (!onlyObjects) await requireStopped(context.pool)
    const keyNote = await bringKey(context, target)
    const database = await connectOperator(target)
    try {
      await requireNewDatabase(database.pool)
      const objects = await bringObjects(context, target)
      const { damaged } = objects ?? { damaged: [] }
      if (damaged.length > 0 && options.partial !== true) throw new Error(describeDamage(damaged))
      if (onlyObjects)
        return `${describeObjects(objects)}. Now stop the program and say it again without --objects-only: only what is new since is left.`
      const { tables, rows } = await moveRows(context.pool, database.pool)
      const event = {
        action: 'database.move',
        resource: { kind: 'database', id: (await findJoinedStoreId(context.db)) ?? 'database' },
        detail: { rows, objects: objects?.copied ?? 0, missing: damaged.length },
      }
      await recordAudit(database.db, 'operator', event)
      await recordAudit(context.db, 'operator', event)
      return [
        `${tables} tables with ${rows} rows; ${describeObjects(objects)}.`,
        ...(damaged.length > 0 ? [`${damaged.length} damaged contents were left behind (--partial).`] : []),
        keyNote,
        `Start the program with the settings of ${file}. Here everything is as it was: do not start it here again, or there are two.`,
      ].join('\n')
    } finally {
      await database.close()
    }
  },
}

async function readSettings(file: string): Promise<Config> {
  const words = await readFile(resolve(file), 'utf8').catch((cause) => {
    throw new Error(`The file of settings ${resolve(file)} cannot be read. Nothing was changed.`, { cause })
  })
  const settings = parseEnv(words)
  const [unknown] = listUnknownSettings(settings)
  if (unknown !== undefined)
    throw new Error(`${file} sets ${unknown}, which no setting is called. Nothing was changed.`)
  if (!settings.NMP_DATABASE_URL && !settings.NMP_DATA_DIR)
    throw new Error(`${file} must name NMP_DATABASE_URL or NMP_DATA_DIR: where to? Nothing was changed.`)
  return loadConfig(settings)
}

/** PostgreSQL lists a session for a moment after its process has ended. */
const endingMilliseconds = 3_000

/** What is written here while rows are moved would be in neither place, or in the wrong one. */
async function requireStopped(pool: pg.Pool): Promise<void> {
  const count = async (): Promise<number> => {
    const { rows } = await pool.query<{ sessions: number }>(
      'select count(*) as sessions from pg_stat_activity where datname = current_database() and application_name = $1',
      [programName],
    )
    return Number(rows[0]?.sessions ?? 0)
  }
  let sessions = await count()
  for (const end = performance.now() + endingMilliseconds; sessions > 0 && performance.now() < end; ) {
    await sleep(100)
    sessions = await count()
  }
  if (sessions > 0)
    throw new Error(
      `The program is running on this database (${sessions} sessions). Stop every process of it first, or bring the objects ahead with --objects-only while it runs. Nothing was changed.`,
    )
}

/** The secrets move as they are, so the new place needs the key of this one. Answers what is to be done about it. */
async function bringKey({ db, config }: AdminContext, target: Config): Promise<string> {
  const known = await findKeyId(db)
  const { keyId } = await loadBox(config, known)
  const there = target.NMP_SECRET_KEY ?? (await findKeyFile(keyFileIn(target.NMP_DATA_DIR)))
  if (there !== undefined) {
    if (createBoxOf(there, 'NMP_SECRET_KEY').keyId === keyId) return 'Its secret key is that of the old place.'
    throw new Error(
      `The new place has another secret key than this one (${keyId}), and could not open what is sealed with it. Set NMP_SECRET_KEY of the new place to the key of this one${config.NMP_SECRET_KEY ? '' : `, which is in ${keyFileIn(config.NMP_DATA_DIR)}`}. Nothing was changed.`,
    )
  }
  if (config.NMP_SECRET_KEY) return 'Set NMP_SECRET_KEY there to that of this place.'
  await mkdir(target.NMP_DATA_DIR, { recursive: true })
  await copyFile(keyFileIn(config.NMP_DATA_DIR), keyFileIn(target.NMP_DATA_DIR))
  return `The secret key was copied to ${keyFileIn(target.NMP_DATA_DIR)}; processes on other machines need it as NMP_SECRET_KEY.`
}

/** Undefined where both places share one store. */
async function bringObjects({ db, pool, config }: AdminContext, target: Config): Promise<MovedObjects | undefined> {
  const [here, there] = [describeStorage(config, '', ''), describeStorage(target, '', '')]
  if (locate(here) === locate(there)) return undefined
  const storeId = await findJoinedStoreId(db)
  if (storeId === undefined)
    throw new Error('The program has never been started on this database: there is nothing to move.')
  const from = await openStorage(here)
  try {
    const to = await openStorage(there)
    try {
      return await moveObjects(pool, from, to, storeId, tellEverySoOften())
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

const locate = (storage: StorageConfig): string =>
  storage.kind === 'folder'
    ? resolve(storage.folder)
    : JSON.stringify([storage.endpoint, storage.bucket, storage.prefix ?? ''])

function tellEverySoOften(): (moved: MovedObjects) => void {
  let last = Date.now()
  return ({ copied, copiedBytes, kept }) => {
    if (Date.now() - last < tellMilliseconds) return
    last = Date.now()
    process.stderr.write(`${copied} objects of ${copiedBytes} bytes${kept > 0 ? `, ${kept} were there` : ''}\n`)
  }
}

function describeObjects(moved: MovedObjects | undefined): string {
  if (!moved) return 'the objects stay where they are, both places share them'
  const { copied, copiedBytes, kept } = moved
  return `${copied} objects of ${copiedBytes} bytes${kept > 0 ? ` (${kept} were there already)` : ''}`
}

const describeDamage = (damaged: readonly string[]): string =>
  `${damaged.length} contents are damaged here (${damaged.slice(0, 3).join(', ')}), and no row was moved. \`npm run -s admin -- check --deep\` says which imports need them; --partial moves without them, and what needs them answers 502 until their bytes come in.`

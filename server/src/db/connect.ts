import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { type Connection, type OpenDatabase, openDatabase, withoutPooler } from './database.ts'
import { openEmbeddedPostgres } from './embedded.ts'
import { migrateDatabase } from './migrations.ts'
import { checkServer, warnOfPooler } from './server-check.ts'

export interface ConnectedDatabase extends OpenDatabase {
  connection: Connection
  isEmbedded: boolean
}

type DatabaseSettings = Pick<Config, 'NMP_DATABASE_URL' | 'NMP_DATA_DIR' | 'NMP_POSTGRES_BIN'> &
  Partial<Pick<Config, 'NMP_DATABASE_DIRECT_URL' | 'NMP_DATABASE_POOL'>> & { applicationName?: string }

/** The configured database, or the embedded one of the data folder; migrated, or refused when a newer program made it. */
export async function connectDatabase(config: DatabaseSettings, log: Log): Promise<ConnectedDatabase> {
  const embedded = config.NMP_DATABASE_URL
    ? undefined
    : await openEmbeddedPostgres({
        folder: join(config.NMP_DATA_DIR, 'postgres'),
        log,
        binFolder: config.NMP_POSTGRES_BIN,
      })
  const connection: Connection = embedded?.connection ?? {
    connectionString: config.NMP_DATABASE_URL ?? '',
    directUrl: config.NMP_DATABASE_DIRECT_URL,
    ...(config.NMP_DATABASE_POOL ? { most: config.NMP_DATABASE_POOL } : {}),
  }
  const database = openDatabase({ connection, log, applicationName: config.applicationName })
  const close = async (): Promise<void> => {
    await database.close()
    await embedded?.stop()
  }
  try {
    await checkServer(database.pool, config.NMP_DATABASE_URL)
    if (!embedded && config.NMP_DATABASE_DIRECT_URL) {
      await migratePastPooler(connection, config.NMP_DATABASE_DIRECT_URL, log)
      await warnOfPooler(database.pool, log)
    } else await migrateDatabase(database.pool)
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, connection, isEmbedded: embedded !== undefined, close }
}

async function migratePastPooler(connection: Connection, directUrl: string, log: Log): Promise<void> {
  const direct = openDatabase({ connection: withoutPooler(connection), log, maxConnections: 1 })
  try {
    await checkServer(direct.pool, directUrl)
    await migrateDatabase(direct.pool)
  } finally {
    await direct.close()
  }
}

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { type Connection, type OpenDatabase, openDatabase } from './database.ts'
import { openEmbeddedPostgres } from './embedded.ts'
import { migrateDatabase } from './migrations.ts'
import { checkServer } from './server-check.ts'

export interface ConnectedDatabase extends OpenDatabase {
  connection: Connection
  isEmbedded: boolean
}

type DatabaseSettings = Pick<Config, 'NMP_DATABASE_URL' | 'NMP_DATA_DIR' | 'NMP_POSTGRES_BIN'>

/** The configured database, or the embedded one of the data folder; migrated, or refused when a newer program made it. */
export async function connectDatabase(config: DatabaseSettings, log: Log): Promise<ConnectedDatabase> {
  const embedded = config.NMP_DATABASE_URL
    ? undefined
    : await openEmbeddedPostgres({
        folder: join(config.NMP_DATA_DIR, 'postgres'),
        log,
        binFolder: config.NMP_POSTGRES_BIN,
      })
  const connection: Connection = embedded?.connection ?? { connectionString: config.NMP_DATABASE_URL ?? '' }
  const database = openDatabase({ connection, log })
  const close = async (): Promise<void> => {
    await database.close()
    await embedded?.stop()
  }
  try {
    await checkServer(database.pool, config.NMP_DATABASE_URL)
    await migrateDatabase(database.pool)
  } catch (error) {
    await close()
    throw error
  }
  return { ...database, connection, isEmbedded: embedded !== undefined, close }
}

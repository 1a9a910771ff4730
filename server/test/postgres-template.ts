import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { type Connection, openDatabase } from '../src/db/database.ts'
import { openEmbeddedPostgres } from '../src/db/embedded.ts'
import { migrateDatabase } from '../src/db/migrations.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server on which each test file clones the migrated template. */
    testServer: { connection: Connection; template: string }
  }
}

/** Of PostgreSQL's `statement_timeout`: to make and drop a database takes as long as a busy disk takes. */
export const unlimited = 0

/** One PostgreSQL for the whole run: NMP_TEST_DATABASE_URL, or the embedded one in a temporary folder. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const log = pino({ level: 'silent' })
  const url = process.env.NMP_TEST_DATABASE_URL
  const folder = await mkdtemp(join(tmpdir(), 'nmp-test-'))
  process.env.NMP_TEST_FOLDER = folder
  const embedded = url
    ? undefined
    : await openEmbeddedPostgres({
        folder: join(folder, 'postgres'),
        log,
        settings: {
          fsync: 'off',
          full_page_writes: 'off',
          max_connections: '300',
          // Each dropped database is a checkpoint, which otherwise waits for a disk that the tests of media keep busy.
          checkpoint_flush_after: '0',
        },
      })
  const connection: Connection = embedded ? embedded.connection : { connectionString: url ?? '' }
  const template = `nmp_template_${process.pid}`
  const server = openDatabase({ connection, log, statementSeconds: unlimited })
  await server.pool.query(`create database ${template}`)
  const database = openDatabase({ connection: onDatabase(connection, template), log })
  await migrateDatabase(database.pool)
  await database.close()
  project.provide('testServer', { connection, template })
  return async () => {
    await server.pool.query(`drop database ${template} with (force)`)
    await server.close()
    await embedded?.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The same server, another database. */
export const onDatabase = (connection: Connection, database: string): Connection => {
  if (!('connectionString' in connection)) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}

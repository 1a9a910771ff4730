import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { inject } from 'vitest'
import { type Connection, type OpenDatabase, openDatabase } from '../src/db/database.ts'
import { onDatabase, unlimited } from './postgres-template.ts'

export interface TestDatabase extends OpenDatabase {
  connection: Connection
}

interface TestDatabaseOptions {
  maxConnections?: number
  /** Without a schema, for tests of how it comes about. */
  isEmpty?: boolean
  /** As whom PostgreSQL shows its sessions; the program, where nothing is said. */
  applicationName?: string
}

/** A migrated database of the test file's own, cloned from the template; `close` drops it. */
export const createTestDatabase = async ({
  maxConnections = 10,
  isEmpty = false,
  applicationName,
}: TestDatabaseOptions = {}): Promise<TestDatabase> => {
  const { connection: serverConnection, template } = inject('testServer')
  const log = pino({ level: 'silent' })
  const name = `nmp_test_${randomBytes(6).toString('hex')}`
  const server = openDatabase({ connection: serverConnection, log, maxConnections: 1, statementSeconds: unlimited })
  await server.pool.query(`create database ${name} template ${isEmpty ? 'template0' : template}`)
  const connection = onDatabase(serverConnection, name)
  const database = openDatabase({ connection, log, maxConnections, applicationName })
  return {
    ...database,
    connection,
    close: async () => {
      await database.close()
      await server.pool.query(`drop database ${name} with (force)`)
      await server.close()
    },
  }
}

/** The address of a database as settings name it. */
export const databaseUrl = (connection: Connection): string => {
  if ('connectionString' in connection) return connection.connectionString
  const { user = '', password = '', database, host = '', port } = connection
  const query = new URLSearchParams({ host, port: String(port) })
  return `postgres://${user}:${encodeURIComponent(String(password))}@localhost/${database}?${query}`
}

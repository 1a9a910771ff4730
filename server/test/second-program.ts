import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { openDatabase } from '../src/db/database.ts'
import type { TestProgram } from './program.ts'

/** Another process of the same installation, as far as it shares nothing with the first but its database and its settings. */
export async function openSecondProgram({
  context,
  url,
}: TestProgram): Promise<{ url: string; close(): Promise<void> }> {
  const { config, connection } = context
  if (!connection) throw new Error('The first program has no connection to open another one by.')
  const log = pino({ level: 'silent' })
  // Of its own, since what a process keeps of the database is kept by its pool.
  const database = openDatabase({ connection, log })
  const app = await createApp({ config, log, db: database.db, connection, publicUrl: url })
  const server = createServer(app.handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await app.close()
      await database.close()
    },
  }
}

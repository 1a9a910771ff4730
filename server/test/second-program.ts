import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import type { TestProgram } from './program.ts'

/** Another process of the same installation, as far as it shares nothing with the first but its database and its settings. */
export async function openSecondProgram({
  context,
  url,
}: TestProgram): Promise<{ url: string; close(): Promise<void> }> {
  const { config, db } = context
  const app = await createApp({ config, log: pino({ level: 'silent' }), db, publicUrl: url })
  const server = createServer(app.handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await app.close()
    },
  }
}

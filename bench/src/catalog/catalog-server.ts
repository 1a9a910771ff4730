import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../../../server/src/app.ts'
import { loadConfig } from '../../../server/src/config.ts'
import { type Connection, openDatabase } from '../../../server/src/db/database.ts'

/**
 * One process of the catalog bench: `ours CONNECTION FOLDER` is the whole program over a database and a folder of objects; `raw PAGE`
 * stringifies the same page object for each request. Says its port, then its CPU time whenever it is asked.
 */
const [, , kind, first = '', folder = ''] = process.argv

const answerRaw = (page: unknown): RequestListener => {
  return (_request, response) => {
    const text = JSON.stringify(page)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }
}

const createOurs = async (): Promise<RequestListener> => {
  const config = loadConfig({ NMP_RATE_LIMIT: '0', NMP_DATA_DIR: folder, NMP_LOG_LEVEL: 'warn' })
  const log = pino({ level: 'warn' })
  const { db } = openDatabase({ connection: JSON.parse(first) as Connection, log })
  const app = await createApp({ config, log, db, publicUrl: 'http://127.0.0.1' })
  return app.handle
}

const server = createServer(kind === 'raw' ? answerRaw(JSON.parse(first)) : await createOurs())
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const { rss, arrayBuffers } = process.memoryUsage()
  process.send?.({ cpuMicroseconds: user + system, rss, arrayBuffers })
})
process.on('disconnect', () => process.exit(0))

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { anyone } from '../../../server/src/access/access.ts'
import { loadConfig } from '../../../server/src/config.ts'
import type { Context } from '../../../server/src/context.ts'
import { noPeers } from '../../../server/src/db/peers.ts'
import { createRequestMeter } from '../../../server/src/http/request-meter.ts'
import { defineRoute } from '../../../server/src/http/route.ts'
import { items, oneOf } from '../../../server/src/http/schemas.ts'
import { createHttpListener } from '../../../server/src/http/server.ts'
import { createLog } from '../../../server/src/log.ts'
import { createMetrics } from '../../../server/src/metrics.ts'
import { createItems } from './http-items.ts'

/** One process of the HTTP bench: says its port, then its CPU time whenever it is asked. `raw` or `ours` as first argument. */

const list = { items: createItems() }

const answerRaw: RequestListener = (_request, response) => {
  const text = JSON.stringify(list)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

const listItems = defineRoute({
  id: 'list_items',
  method: 'GET',
  path: '/items',
  tag: 'Platform',
  summary: 'List items from memory',
  description: 'A list as the program answers it, for the bench.',
  credentials: 'none',
  access: anyone,
  query: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    status: Type.Optional(oneOf(['queued', 'running', 'succeeded', 'failed', 'canceled'])),
  }),
  response: items(Type.Unknown()),
  handle: async () => list,
})

/** The whole door with its defaults: security headers, rate limit (high enough not to strike), meter, log, validation. */
const createOurs = async (): Promise<RequestListener> => {
  const config = loadConfig({ NMP_RATE_LIMIT: '1000000' })
  const metrics = createMetrics()
  const untouched = undefined as never
  const context: Context = {
    config,
    publicUrl: 'http://127.0.0.1',
    commit: null,
    db: untouched,
    replica: untouched,
    connection: undefined,
    peers: noPeers,
    log: createLog(config.NMP_LOG_LEVEL),
    sendMail: untouched,
    storage: untouched,
    incoming: untouched,
    outgoing: untouched,
    diskReserve: untouched,
    mediaUrlKey: '',
    readables: [],
    metrics,
    secrets: { seal: async (text) => text, open: async (text) => text },
    closers: [],
  }
  const listener = await createHttpListener({
    context,
    routes: [listItems],
    meter: createRequestMeter(metrics),
    authenticate: async () => undefined,
    countBadCredential: async () => undefined,
    authorize: async () => ({}),
    mounts: [],
  })
  return listener.handle
}

const server = createServer(process.argv[2] === 'raw' ? answerRaw : await createOurs())
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicroseconds: user + system })
})
process.on('disconnect', () => process.exit(0))

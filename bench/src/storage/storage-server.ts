import { createReadStream, statSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadConfig } from '../../../server/src/config.ts'
import type { Context } from '../../../server/src/context.ts'
import { mountListener } from '../../../server/src/http/mount.ts'
import { createObjectListener } from '../../../server/src/http/object-listener.ts'
import { createRequestMeter } from '../../../server/src/http/request-meter.ts'
import { createHttpListener } from '../../../server/src/http/server.ts'
import { createLog } from '../../../server/src/log.ts'
import { createMetrics } from '../../../server/src/metrics.ts'
import { openStorage } from '../../../server/src/storage/open-storage.ts'
import { signedObjectPath } from '../../../server/src/storage/serving/signed-url.ts'
import type { StorageConfig } from '../../../server/src/storage/storage.ts'

/** One process of the storage bench: `raw FILE` pipes a file, `ours STORAGE` is the whole door over a folder of objects. Says its port. */

const [, , mode = '', argument = ''] = process.argv

const answerRaw: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': statSync(argument).size })
  createReadStream(argument).pipe(response)
}

const createOurs = async (): Promise<RequestListener> => {
  const config = loadConfig({ NMP_RATE_LIMIT: '1000000' })
  const metrics = createMetrics()
  const log = createLog(config.NMP_LOG_LEVEL)
  const storage = await openStorage(JSON.parse(argument) as StorageConfig)
  // All that the door to objects touches.
  const context = { config, log, storage, publicUrl: '', metrics } as unknown as Context
  const listener = await createHttpListener({
    context,
    routes: [],
    meter: createRequestMeter(metrics),
    authenticate: async () => undefined,
    countBadCredential: async () => undefined,
    authorize: async () => ({}),
    mounts: [mountListener([signedObjectPath.slice(0, -1)], createObjectListener(storage, log))],
  })
  return listener.handle
}

const server = createServer(mode === 'raw' ? answerRaw : await createOurs())
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))

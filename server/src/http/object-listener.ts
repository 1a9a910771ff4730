import { notFound } from '../errors.ts'
import type { Log } from '../log.ts'
import type { FolderStorage } from '../storage/folder.ts'
import { serveSignedObject } from '../storage/serve.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { describeFailure } from './failures.ts'
import type { MountedListener } from './mount.ts'
import { sendBody } from './send-body.ts'

/** Serves the signed URLs of the local folder. Those of S3 lead to S3, so with it there is nothing here. */
export const createObjectListener =
  (storage: ObjectStorage, log: Log): MountedListener =>
  async (request, response, { requestId }) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      if (storage.kind !== 'folder') throw notFound()
      const { method = 'GET', url = '', headers } = request
      const answer = await serveSignedObject(storage as FolderStorage, {
        method,
        url,
        headers,
        body: request,
        signal: gone.signal,
      })
      response.writeHead(answer.status, answer.headers)
      if (answer.body) await sendBody(response, answer.body)
      else response.end()
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      const failure = describeFailure(error, requestId, log)
      response.writeHead(failure.status, { ...failure.headers, 'content-type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify(failure.body))
    }
  }

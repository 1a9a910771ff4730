import { notFound } from '../errors.ts'
import type { Log } from '../log.ts'
import { serveSignedObject } from '../storage/serving/serve.ts'
import { isServed } from '../storage/serving/served-storage.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { sendBody } from './bodies/send-body.ts'
import { describeFailure } from './failures.ts'
import type { MountedListener } from './mount.ts'

/** Serves signed URLs. Those of a bucket that clients reach themselves lead there, so with it there is nothing here. */
export const createObjectListener =
  (storage: ObjectStorage, log: Log): MountedListener =>
  async (request, response, { requestId }) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      if (!isServed(storage)) throw notFound()
      const { method = 'GET', url = '', headers } = request
      const answer = await serveSignedObject(storage, {
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

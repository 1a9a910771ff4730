import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable } from 'node:stream'
import type { Caller } from '../access/principal.ts'

/** What one request to the upload door carries through the tus library, which hands its store an id and a stream only. */
export interface UploadRequest {
  caller: Caller | undefined
  /** The request's bytes. They go past the library, whose web streams copy each chunk and cost more than the hashing. */
  body: Readable
  /** Somebody else wants the upload: keep what has come and end. */
  stopping: AbortController
  /** Of the bytes of this request: algorithm and base64, as the client sent it. */
  checksum: string | undefined
  /** Names the lock this request holds; every write carries it. */
  lockToken: string
  /** Of the whole file, once it has come: the answer says it, so that the client can compare. */
  storedSha256: string | undefined
  /** What was thrown, before the library made a plain text of it. */
  failure: unknown
}

const current = new AsyncLocalStorage<UploadRequest>()

export const runUploadRequest = <T>(request: UploadRequest, work: () => Promise<T>): Promise<T> =>
  current.run(request, work)

export const getUploadRequest = (): UploadRequest => {
  const request = current.getStore()
  if (!request) throw new Error('outside of a request to the upload door')
  return request
}

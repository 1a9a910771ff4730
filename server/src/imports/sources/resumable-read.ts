import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../errors.ts'
import { type ContentCheck, createContentCheck } from './content-check.ts'
import type { ByteSpan, RemoteFile } from './remote-file.ts'
import { readBody } from './response-body.ts'
import { isPassing, waitForNextTry } from './retries.ts'
import { readSegments } from './segments.ts'
import type { TransferLimits } from './transfer-limits.ts'

/** An answer to a request for a part must be that part: of a file of the same size, from the byte that was asked. */
export const requireSpan = (
  response: IncomingMessage,
  range: ByteSpan | undefined,
  remote: Pick<RemoteFile, 'file' | 'host'>,
): void => {
  const { statusCode } = response
  if (statusCode === 200) return
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers['content-range'] ?? '') ?? []
  const { sizeBytes } = remote.file
  const fits = statusCode === 206 && range && Number(from) === range.from
  if (fits && (sizeBytes === null || total === '*' || Number(total) === sizeBytes)) return
  response.destroy()
  if (fits || statusCode === 416) throw describeChange(remote)
  throw new ServiceError(
    'source_corrupt',
    `${remote.host} answered with a different part of ${remote.file.path} than requested.`,
  )
}

/** Reads a file to its end over any number of connections, and checks it. */
export async function* readRemoteFile(
  remote: RemoteFile,
  limits: TransferLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const check = createContentCheck(remote.file)
  if ((remote.file.sizeBytes ?? 0) >= limits.parallelFromBytes && remote.canResume()) {
    for await (const chunk of readSegments(remote, limits, signal)) {
      check.update(chunk)
      yield chunk
    }
  }
  // What is left: all of it, or the rest where the source does not serve parts.
  if (check.bytes === 0 || check.bytes !== remote.file.sizeBytes) yield* readOnward(remote, check, limits, signal)
  check.finish()
}

async function* readOnward(
  remote: RemoteFile,
  check: ContentCheck,
  limits: TransferLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const size = remote.file.sizeBytes
  let failures = 0
  let mark = check.bytes
  for (;;) {
    try {
      const range = check.bytes > 0 && remote.canResume() ? { from: check.bytes } : undefined
      const response = await remote.open(range, signal)
      for await (const chunk of skipKnown(response, remote, check, limits, signal)) {
        check.update(chunk)
        yield chunk
      }
      if (size === null || check.bytes >= size) return
      throw new ServiceError(
        'source_unavailable',
        `${remote.host} ended ${remote.file.path} after ${check.bytes} of ${size} bytes, repeatedly.`,
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error)) throw error
      if (check.bytes - mark >= limits.progressBytes) failures = 0
      mark = check.bytes
      failures += 1
      if (failures >= limits.attempts) throw error
      await waitForNextTry(error, failures, limits, signal)
    }
  }
}

/** The part of an answer that has not been read yet. An answer from the start must first repeat what is known. */
async function* skipKnown(
  response: IncomingMessage,
  remote: RemoteFile,
  check: ContentCheck,
  limits: TransferLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const known = check.bytes
  const body = readBody(response, remote.host, limits, signal)
  if (response.statusCode === 206 || known === 0) {
    yield* body
    return
  }
  const prefix = check.createPrefixCheck()
  let seen = 0
  for await (const chunk of body) {
    const rest = Math.min(Math.max(known - seen, 0), chunk.byteLength)
    seen += chunk.byteLength
    if (rest > 0) {
      prefix.update(chunk.subarray(0, rest))
      if (seen >= known && !prefix.isSame()) throw describeChange(remote)
    }
    if (rest < chunk.byteLength) yield chunk.subarray(rest)
  }
}

export const describeChange = ({ file, host }: Pick<RemoteFile, 'file' | 'host'>): ServiceError =>
  new ServiceError('source_changed', `${file.path} changed at ${host} while it was read. Import it again.`)

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../errors.ts'
import { createNameGuard } from './file-names.ts'
import { followRedirects } from './redirects.ts'
import type { RemoteFile } from './remote-file.ts'
import { readBody, requirePlainBody } from './response-body.ts'
import { describeChange, readRemoteFile, requireSpan } from './resumable-read.ts'
import { describeOverload, inTries, isPassingStatus } from './retries.ts'
import type { OpenSource, SourceFile, UrlRequest } from './source.ts'
import { openSourceDoor, requireAllowedAddress, type SourceDoor } from './source-door.ts'
import type { TransferLimits } from './transfer-limits.ts'
import { nameFile } from './url-name.ts'

const probeBytes = 512

/** One file at a plain address: an HDF5 file, or an archive of a dataset. */
export const openUrl: OpenSource<UrlRequest> = async ({ config }, { url }, signal, limits) => {
  const door = openSourceDoor(config.NMP_SOURCE_ALLOW, limits)
  const start = requireAllowedAddress(url, config.NMP_SOURCE_ALLOW)
  start.hash = ''
  const { head, address, response } = await inTries(() => probe(door, start, limits, signal), limits, signal)
  const sizeBytes = findSize(response)
  const maxBytes = config.NMP_SOURCE_MAX_BYTES
  const tooLarge = new ServiceError(
    'source_too_large',
    `The file at ${start.hostname} is larger than the ${maxBytes} bytes allowed in one import (NMP_SOURCE_MAX_BYTES).`,
  )
  if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge
  if (sizeBytes === 0 || head.length === 0) throw refuse(start, 'answered with an empty file')
  const path = nameFile([start, address], response, head)
  if (path === undefined) throw refuse(start, describeStranger(response))
  createNameGuard(start.hostname).addFile(path)
  const file: SourceFile = { path, sizeBytes, sha256: null }
  const remote = openRemote(door, start, file, response)
  return {
    revision: null,
    uri: start.href,
    files: [file],
    async *read(_file, during) {
      let bytes = 0
      for await (const chunk of readRemoteFile(remote, limits, during)) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) throw tooLarge
        yield chunk
      }
    },
  }
}

/** The first bytes: what the file is, how large, and whether parts of it can be had. */
const probe = async (door: SourceDoor, start: URL, limits: TransferLimits, signal: AbortSignal) => {
  const answer = await openAddress(door, start, { range: `bytes=0-${probeBytes - 1}` }, signal)
  const { statusCode, headers } = answer.response
  if (statusCode === 206 && !/^bytes 0-/.test(headers['content-range'] ?? ''))
    throw refuse(start, 'answered with a different part than requested')
  const chunks: Uint8Array[] = []
  let size = 0
  if (statusCode !== 416)
    for await (const chunk of readBody(answer.response, start.hostname, limits, signal)) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size >= probeBytes) break
    }
  return { ...answer, head: Buffer.concat(chunks).subarray(0, probeBytes) }
}

const describeStranger = ({ headers }: IncomingMessage): string =>
  /html/i.test(headers['content-type'] ?? '')
    ? 'answered with a web page instead of a file. Give the address of the file itself'
    : 'answered with a file that is neither HDF5 (.hdf5, .h5, .hdf) nor an archive (.tar, .tar.gz, .tgz, .zip)'

const refuse = (start: URL, what: string): ServiceError =>
  new ServiceError('source_invalid', `${start.hostname} ${what}.`)

/** An answer that brings the file, whole or in part, after its redirects; all else is refused in words. */
export const openAddress = async (
  door: SourceDoor,
  start: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
) => {
  const { response, address } = await followRedirects(door, start, { headers, signal })
  const status = response.statusCode ?? 0
  requirePlainBody(response, start.hostname)
  if (status === 200 || status === 206 || status === 416) return { response, address }
  response.destroy()
  if (isPassingStatus(status)) throw describeOverload(start.hostname, status, response.headers)
  if (status === 404 || status === 410)
    throw new ServiceError(
      'source_not_found',
      `There is no file at this address of ${start.hostname} (status ${status}). Check the address.`,
    )
  if (status === 401 || status === 403)
    throw new ServiceError(
      'source_forbidden',
      `${start.hostname} refuses this address (status ${status}). Give one that can be opened without signing in, for example a signed link that has not expired.`,
    )
  throw refuse(start, `answered with status ${status}`)
}

/** The file as it was when it was first seen: a later answer of another state is refused. */
const openRemote = (door: SourceDoor, start: URL, file: SourceFile, first: IncomingMessage): RemoteFile => {
  const { etag } = first.headers
  const strongTag = etag && !etag.startsWith('W/') ? etag : undefined
  const validator = strongTag ?? first.headers['last-modified']
  const acceptsParts = first.statusCode === 206
  const remote: RemoteFile = {
    file,
    host: start.hostname,
    canResume: () => acceptsParts && validator !== undefined,
    async open(range, signal) {
      const headers: Record<string, string> = range
        ? {
            range: `bytes=${range.from}-${range.to === undefined ? '' : range.to - 1}`,
            ...(validator === undefined ? {} : { 'if-range': validator }),
          }
        : {}
      const { response } = await openAddress(door, start, headers, signal)
      requireSpan(response, range, remote)
      const now = response.headers.etag
      const hasChanged = strongTag !== undefined && now !== undefined && now !== strongTag
      const hasOtherSize =
        file.sizeBytes !== null && findSize(response) !== null && findSize(response) !== file.sizeBytes
      if (!hasChanged && !hasOtherSize) return response
      response.destroy()
      throw describeChange(remote)
    },
  }
  return remote
}

/** Of the whole file. */
const findSize = ({ statusCode, headers }: IncomingMessage): number | null => {
  const text = statusCode === 206 ? /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length']
  const size = Number(text ?? Number.NaN)
  return Number.isSafeInteger(size) ? size : null
}

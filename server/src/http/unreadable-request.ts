import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../errors.ts'

/**
 * For the server's `clientError`: what the parser refuses never becomes a request, and node would answer it with a bare status line.
 * An answer that has begun cannot be taken back, so then the connection only ends.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const begun = (socket as Duplex & { _httpMessage?: ServerResponse })._httpMessage?.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || begun) return void socket.destroy()
  const refusal = describeUnreadable(error.code)
  const body = JSON.stringify({ detail: refusal.message, code: refusal.code, request_id: randomUUID() })
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function describeUnreadable(code: string | undefined): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', 'The headers together are larger than 16 KiB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request did not arrive in time.')
    default:
      return new ServiceError('malformed_request', 'This is not a valid HTTP request.')
  }
}

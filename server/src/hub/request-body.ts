import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../errors.ts'

const largestBytes = 1024 * 1024

/** The whole body, where it is small by its nature. */
export async function readBody(request: IncomingMessage, mostBytes = largestBytes): Promise<Buffer> {
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    sizeBytes += piece.byteLength
    if (sizeBytes > mostBytes) throw new ServiceError('body_too_large', `The body has more than ${mostBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

export async function readJson(request: IncomingMessage, mostBytes = largestBytes): Promise<Record<string, unknown>> {
  const text = (await readBody(request, mostBytes)).toString('utf8')
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new ServiceError('malformed_request', 'The body is no JSON object.')
}

/** Every value of one field, from a form or from JSON. */
export async function readForm(request: IncomingMessage, field: string): Promise<string[]> {
  if (!/json/.test(request.headers['content-type'] ?? ''))
    return new URLSearchParams((await readBody(request)).toString('utf8')).getAll(field)
  const value = (await readJson(request))[field]
  return (Array.isArray(value) ? value : [value]).filter((entry): entry is string => typeof entry === 'string')
}

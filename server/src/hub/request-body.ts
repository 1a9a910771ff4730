import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../errors.ts'

const largestBytes = 1024 * 1024

/** A body piece by piece. Whoever stops early leaves the rest where it is, and the connection open for an answer. */
export async function* streamBody(request: IncomingMessage, mostBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += piece.byteLength
    if (sizeBytes > mostBytes) throw new ServiceError('body_too_large', `The body has more than ${mostBytes} bytes.`)
    yield piece
  }
}

/** Before a refusal: a client that is still sending would not hear it. */
export async function dropBody(request: IncomingMessage, mostBytes: number): Promise<void> {
  for await (const _ of streamBody(request, mostBytes));
}

/** The whole body, where it is small by its nature. */
export const readBody = async (request: IncomingMessage, mostBytes = largestBytes): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(streamBody(request, mostBytes)))

export async function readJson(request: IncomingMessage, mostBytes = largestBytes): Promise<Record<string, unknown>> {
  const text = (await readBody(request, mostBytes)).toString('utf8')
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new ServiceError('malformed_request', 'The body is not a JSON object.')
}

/** Every value of some fields, from a form or from JSON. */
export async function readForm<Field extends string>(
  request: IncomingMessage,
  fields: readonly Field[],
): Promise<Partial<Record<Field, string[]>>> {
  if (!/json/.test(request.headers['content-type'] ?? '')) {
    const form = new URLSearchParams((await readBody(request)).toString('utf8'))
    return Object.fromEntries(fields.map((field) => [field, form.getAll(field)])) as Record<Field, string[]>
  }
  const json = await readJson(request)
  const listOf = (value: unknown) =>
    (Array.isArray(value) ? value : [value]).filter((entry) => entry !== undefined && entry !== null).map(String)
  return Object.fromEntries(fields.map((field) => [field, listOf(json[field])])) as Record<Field, string[]>
}

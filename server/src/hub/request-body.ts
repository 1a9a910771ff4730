import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { createKeyedLimiter, createLimiter } from '@nmp/formats/limiter'
import { ServiceError } from '../errors.ts'
import { bodyTooLarge } from '../http/bodies/held-bodies.ts'
import type { JsonBounds } from '../http/bodies/json-bounds.ts'
import { type ParsedJson, parseBeside, parseJson } from '../http/bodies/json-thread.ts'
import type { ReceivedBody } from '../http/bodies/received-body.ts'
import { type BodyBounds, smallBody } from '../http/route.ts'
import { noNul } from './hub-answer.ts'
import type { HubRequest } from './hub-request.ts'

/** A body piece by piece. Whoever stops early leaves the rest where it is, and the connection open for an answer. */
export async function* streamBody(request: IncomingMessage, mostBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += piece.byteLength
    if (sizeBytes > mostBytes) throw new ServiceError('body_too_large', `The body has more than ${mostBytes} bytes.`)
    yield piece
  }
}

/** What one upload is worked on before others are answered: a client beside us sends megabytes in the time between two looks. */
const turnBytes = 128 * 1024

/** The same pieces, some at a time. */
export async function* inTurns(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    yield piece
    bytes += piece.byteLength
    if (bytes < turnBytes) continue
    bytes = 0
    await setImmediate()
  }
}

/**
 * Large uploads by LFS and Xet, by person: nobody's slow line stops another. On S3 each holds up to four parts of 8 MiB; in a folder two
 * buffers of 1 MiB.
 */
export const uploading = createKeyedLimiter(4)

/** Before a refusal: a client that is still sending would not hear it. */
export async function dropBody(request: IncomingMessage, mostBytes: number): Promise<void> {
  for await (const _ of streamBody(request, mostBytes));
}

/** What says itself that it is too large is not read. */
export function requireSize({ headers }: IncomingMessage, mostBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw bodyTooLarge(mostBytes)
}

type Received = Pick<HubRequest, 'request' | 'context' | 'caller' | 'address' | 'signal'>

/** Gives the whole body to `work`, once it is here; until then a large one is on the disk, and nobody's memory. */
export async function withBody<T>(
  { request, context, caller, address }: Received,
  mostBytes: number,
  work: (body: ReceivedBody) => Promise<T>,
): Promise<T> {
  requireSize(request, mostBytes)
  const memoryBytes = Math.min(mostBytes, smallBody.mostBytes)
  const person = caller?.userId ?? address
  const pieces = request.iterator({ destroyOnReturn: false })
  const body = await context.incoming.receive(pieces, { person, mostBytes, memoryBytes })
  try {
    return await work(body)
  } finally {
    await body.close()
  }
}

const mostDepth = 16
/** Large bodies that are in memory at a time, each for as long as it is parsed: one of each person, two in all. */
const ofEach = createKeyedLimiter(1)
const inAll = createLimiter(2)

const withBytes = <T>(
  call: Received,
  mostBytes: number,
  parse: (body: Buffer, isLarge: boolean) => T | Promise<T>,
): Promise<T> =>
  withBody(call, mostBytes, (body) => {
    const read = async (): Promise<T> => {
      // Whoever has gone leaves their turn to the next.
      call.signal.throwIfAborted()
      return parse(await body.read(), body.isLarge)
    }
    return body.isLarge ? ofEach.run(call.caller?.userId ?? call.address, () => inAll.run(read)) : read()
  })

/** Within what the route can need; parsed only if there is no more in it, and a large one by another thread. */
export const readJson = (call: Received, bounds: BodyBounds = smallBody): Promise<Record<string, unknown>> =>
  withBytes(call, bounds.mostBytes, async (body, isLarge) => {
    const within = { mostDepth, mostValues: bounds.mostValues }
    // JSON writes it as an escape, so that most bodies need not be walked; asked before another thread has the bytes.
    const mayHoldNul = body.includes('\\u0000')
    const parsed = isLarge ? await parseBeside(body as Buffer<ArrayBuffer>, within) : parseHere(body, within)
    if (parsed.kind === 'excess')
      throw new ServiceError('malformed_request', `The body is refused. ${parsed.excess.sentence}.`)
    const value = parsed.kind === 'value' ? parsed.value : undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ServiceError('malformed_request', 'The body is not a JSON object.')
    if (mayHoldNul && hasNul(value)) throw noNul('body')
    return value as Record<string, unknown>
  })

const parseHere = (body: Buffer, bounds: JsonBounds): ParsedJson =>
  body.byteLength === 0 ? { kind: 'value', value: {} } : parseJson(body, bounds)

const hasNul = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, entry]) => key.includes('\0') || hasNul(entry))
}

/** Every value of some fields, from a form or from JSON. */
export async function readForm<Field extends string>(
  call: Received,
  fields: readonly Field[],
  bounds: BodyBounds,
): Promise<Partial<Record<Field, string[]>>> {
  if (!/json/.test(call.request.headers['content-type'] ?? '')) {
    const form = await withBytes(call, bounds.mostBytes, (body) => parseForm(body, bounds.mostValues))
    return Object.fromEntries(fields.map((field) => [field, form.getAll(field)])) as Record<Field, string[]>
  }
  const json = await readJson(call, bounds)
  const listOf = (value: unknown) =>
    (Array.isArray(value) ? value : [value]).filter((entry) => entry !== undefined && entry !== null).map(String)
  return Object.fromEntries(fields.map((field) => [field, listOf(json[field])])) as Record<Field, string[]>
}

function parseForm(body: Buffer, mostFields: number): URLSearchParams {
  let fields = 1
  for (let at = body.indexOf('&'); at !== -1; at = body.indexOf('&', at + 1))
    if (++fields > mostFields)
      throw new ServiceError('malformed_request', `The form has more than ${mostFields} fields.`)
  return new URLSearchParams(body.toString('utf8'))
}

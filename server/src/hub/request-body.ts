import type { IncomingMessage } from 'node:http'
import { createLimiter } from '@nmp/formats/limiter'
import { ServiceError } from '../errors.ts'
import { findJsonExcess } from '../http/json-bounds.ts'
import type { ReceivedBody } from '../http/received-body.ts'
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

/** Before a refusal: a client that is still sending would not hear it. */
export async function dropBody(request: IncomingMessage, mostBytes: number): Promise<void> {
  for await (const _ of streamBody(request, mostBytes));
}

type Received = Pick<HubRequest, 'request' | 'context' | 'caller' | 'address'>

/** Gives the whole body to `work`, once it is here; until then a large one is on the disk, and nobody's memory. */
export async function withBody<T>(
  { request, context, caller, address }: Received,
  mostBytes: number,
  work: (body: ReceivedBody) => Promise<T>,
): Promise<T> {
  const memoryBytes = Math.min(mostBytes, smallBody.mostBytes)
  const person = caller?.userId ?? address
  const body = await context.incoming.receive(request, { person, mostBytes, memoryBytes })
  try {
    return await work(body)
  } finally {
    await body.close()
  }
}

const mostDepth = 16
/** Large bodies that are in memory at a time, each for as long as it is parsed. */
const parsing = createLimiter(2)

const parseBody = <T>(call: Received, mostBytes: number, parse: (body: Buffer) => T): Promise<T> =>
  withBody(call, mostBytes, (body) =>
    body.isLarge ? parsing.run(async () => parse(await body.read())) : body.read().then(parse),
  )

/** Within what the route can need; parsed only if there is no more in it. */
export const readJson = (call: Received, bounds: BodyBounds = smallBody): Promise<Record<string, unknown>> =>
  parseBody(call, bounds.mostBytes, (body) => {
    const excess = findJsonExcess(body, { mostDepth, mostValues: bounds.mostValues })
    if (excess) throw new ServiceError('malformed_request', `The body is refused. ${excess.sentence}.`)
    let object: Record<string, unknown> | undefined
    try {
      const value: unknown = body.byteLength === 0 ? {} : JSON.parse(body.toString('utf8'))
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        object = value as Record<string, unknown>
    } catch {}
    if (object && holdsNul(body, object)) throw noNul('body')
    if (object) return object
    throw new ServiceError('malformed_request', 'The body is not a JSON object.')
  })

/** JSON writes it as an escape, so that most bodies need not be walked. */
const holdsNul = (body: Buffer, value: unknown): boolean => body.includes('\\u0000') && hasNul(value)

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
    const form = await parseBody(call, bounds.mostBytes, (body) => parseForm(body, bounds.mostValues))
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

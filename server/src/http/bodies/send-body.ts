import type { ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { FileBody } from '../../storage/serving/file-body.ts'

/** A body that writes itself and leaves the end to others. */
export type SendingBody = (target: Writable) => Promise<void>

export type StreamedBody = Readable | SendingBody

/** Gives a response its bytes and its end. One that breaks off is not ended, so that the client sees that it is not whole. */
export async function sendBody(response: ServerResponse, body: StreamedBody): Promise<void> {
  try {
    if (typeof body === 'function') await body(response)
    else if (body instanceof FileBody) await body.sendTo(response)
    else return await pipeline(body, response)
    response.end()
  } catch {
    response.destroy()
  }
}

/** The same for a route. Fastify knows plain streams only: the others are sent past it. */
export async function replyWithBody(reply: FastifyReply, body: StreamedBody | undefined): Promise<void> {
  if (typeof body !== 'function' && !(body instanceof FileBody)) return reply.send(body)
  reply.hijack()
  passHeaders(reply)
  reply.raw.writeHead(reply.statusCode)
  await sendBody(reply.raw, body)
}

/** What hooks and the handler set, onto the raw response. */
export function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
}

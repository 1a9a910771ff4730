import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type BodyBounds, smallBody } from '../route.ts'
import { abortOnClose } from './abort-on-close.ts'
import { bodyTooLarge, type HeldBodies } from './held-bodies.ts'
import { parseJsonBody } from './json-body.ts'
import { type AnswerBeside, createTurns, type PassedAnswer } from './large-requests.ts'
import { ReceivedBody } from './received-body.ts'

interface JsonBodyOptions {
  incoming: HeldBodies
  /** Without it, large bodies are parsed here too. */
  answerBeside: AnswerBeside | undefined
  personOf(request: FastifyRequest): string
}

export interface JsonBodies {
  addParser(app: FastifyInstance): void
  /** Answers a request whose body is large beside this thread; undefined where it is not. */
  answerLarge(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined
}

/** Bodies within what their route can need: small ones are parsed here, large ones nowhere near the loop that everybody waits for. */
export function createJsonBodies({ incoming, answerBeside, personOf }: JsonBodyOptions): JsonBodies {
  const answerInTurn = answerBeside && createTurns(answerBeside)

  const parse = async (request: FastifyRequest, stream: FastifyRequest['raw']): Promise<unknown> => {
    const { bodyBounds = smallBody } = request.routeOptions.config as { bodyBounds?: BodyBounds }
    const { mostBytes, mostValues } = bodyBounds
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw bodyTooLarge(mostBytes)
    const memoryBytes = answerInTurn ? Math.min(mostBytes, smallBody.mostBytes) : mostBytes
    const body = await incoming.receive(stream.iterator({ destroyOnReturn: false }), {
      person: personOf(request),
      mostBytes,
      memoryBytes,
    })
    if (body.isLarge && answerInTurn) return body
    try {
      return parseJsonBody(await body.read(), mostValues)
    } finally {
      await body.close()
    }
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply, body: ReceivedBody): Promise<FastifyReply> => {
    const { method, url, ip: address, id } = request
    const headers = { ...request.headers, 'x-request-id': id }
    const asked = { person: personOf(request), signal: abortOnClose(request, reply) }
    try {
      const passed = await answerInTurn?.(asked, { method, url, headers, address }, body)
      return sendPassed(reply, passed as PassedAnswer)
    } finally {
      await body.close()
    }
  }

  return {
    addParser(app) {
      app.addContentTypeParser('application/json', (request: FastifyRequest, stream: FastifyRequest['raw']) =>
        parse(request, stream),
      )
    },
    answerLarge: (request, reply) =>
      request.body instanceof ReceivedBody ? answer(request, reply, request.body) : undefined,
  }
}

/** Said of one connection, or made again by this one. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

function sendPassed(reply: FastifyReply, { status, headers, body }: PassedAnswer): FastifyReply {
  reply.code(status)
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !ownHeaders.has(name)) reply.header(name, value)
  return reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
}

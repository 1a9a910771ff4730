import type { FastifyReply, FastifyRequest } from 'fastify'

/** Aborted when the client goes away before it has its answer. */
export function abortOnClose(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  if (request.raw.destroyed && !request.raw.complete) controller.abort()
  return controller.signal
}

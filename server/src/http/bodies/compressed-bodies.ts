import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.ts'

/**
 * Nothing here unpacks a body, at the API, the Hub door or the uploads: what says that it is compressed is refused in words, instead of
 * being taken for what it would become (RFC 9110, 15.5.16).
 */
export function refuseCompressedBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'content-encoding': coding, 'content-length': length, 'transfer-encoding': transfer } = request.headers
    const hasBody = transfer !== undefined || Number(length ?? 0) > 0
    if (coding === undefined || !hasBody || /^(identity)?$/i.test(coding)) return done()
    done(
      new ServiceError('unsupported_media_type', 'The body is compressed (Content-Encoding). Send it as it is.', {
        headers: { 'accept-encoding': 'identity' },
      }),
    )
  })
}

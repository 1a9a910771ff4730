import { createHash, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../errors.ts'

/** What a client may hold the bytes of one request against (`Upload-Checksum`). */
export const checksumAlgorithms = ['sha256', 'sha1', 'md5'] as const

/** The tus form: the algorithm, a space, the digest in base64. */
export const openChecksum = (announced: string) => {
  const [algorithm = '', digest = '', ...rest] = announced.split(' ')
  const known = checksumAlgorithms.find((name) => name === algorithm)
  if (!known || digest === '' || rest.length > 0)
    throw new ServiceError(
      'malformed_request',
      `Upload-Checksum must be one of ${checksumAlgorithms.join(', ')}, a space, and the digest in base64.`,
    )
  const hash = createHash(known)
  const expected = Buffer.from(digest, 'base64')
  return {
    update: (chunk: Uint8Array): void => void hash.update(chunk),
    verify: (): void => {
      const actual = hash.digest()
      if (actual.byteLength === expected.byteLength && timingSafeEqual(actual, expected)) return
      throw new ServiceError(
        'checksum_mismatch',
        `The bytes of this request have the ${known} ${actual.toString('base64')}, not the announced one. They are not kept: send them again.`,
      )
    },
  }
}

/** How libvips is used in a process, and what its errors are called. */
import sharp from 'sharp'
import { FormatError } from '../../errors.ts'
import { createLimiter } from '../../limiter.ts'

export const pixelLimit = 50_000_000
const simultaneousImages = 4

sharp.cache(false)
// One libvips thread per image: callers run many small images, and threads inside one 640x480 image cost more than they give.
sharp.concurrency(1)

const images = createLimiter(simultaneousImages)

export async function withImageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await images.run(work)
  } catch (error) {
    if (error instanceof FormatError) throw error
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    if (/pixel limit/i.test(reason ?? '')) {
      throw new FormatError('limit_exceeded', `The picture has more than ${pixelLimit / 1e6} million pixels.`, {
        cause: error,
      })
    }
    throw new FormatError('container_invalid', `The picture cannot be read: ${reason}.`, { cause: error })
  }
}

export function viewBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

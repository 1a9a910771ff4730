/** The child that decodes pictures of strangers: they come by message, and pixels go back. */
import { FormatError } from '../../errors.ts'
import { parseHere } from '../child/confinement.ts'
import type { ChildMessage } from '../child/message.ts'
import { servePatiently } from '../child/server.ts'
import { decodeDepthImage, decodeImage, probeImage } from './decoding.ts'
import type { AskedShape } from './reshape.ts'

parseHere()

/** Twice a picture of 3,840 x 2,160. */
const largeFromPixels = 16_000_000

await servePatiently({
  probe: async (_params, input) => ({ head: await probeImage(takeBytes(input)) }),
  decode: async ({ isAlone, ...shape }: AskedShape, input) => {
    const bytes = takeBytes(input)
    if (!isAlone && (await isLarge(bytes))) return { head: { isLarge: true } }
    const { data, ...size } = await decodeImage(bytes, shape)
    return { head: size, body: data }
  },
  decodeDepth: async ({ isAlone, ...shape }: AskedShape, input) => {
    const bytes = takeBytes(input)
    if (!isAlone && (await isLarge(bytes))) return { head: { isLarge: true } }
    const { data, ...size } = await decodeDepthImage(bytes, shape)
    return { head: size, body: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
  },
})

async function isLarge(bytes: Uint8Array): Promise<boolean> {
  const { width, height } = await probeImage(bytes)
  return width * height > largeFromPixels
}

function takeBytes(input: Iterable<ChildMessage>): Uint8Array {
  for (const { body } of input) return body ?? new Uint8Array()
  throw new FormatError('child_failed', 'No picture was sent.')
}

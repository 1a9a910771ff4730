/** The child that decodes pictures of strangers: they come by message, and pixels go back. */
import { FormatError } from '../../errors.ts'
import { parseHere } from '../child/confinement.ts'
import type { ChildMessage } from '../child/message.ts'
import { servePatiently } from '../child/server.ts'
import { decodeDepthImage, decodeImage, probeImage } from './decoding.ts'
import type { PictureShape } from './reshape.ts'

parseHere()

await servePatiently({
  probe: async (_params, input) => ({ head: await probeImage(takeBytes(input)) }),
  decode: async (shape: PictureShape, input) => {
    const { data, ...size } = await decodeImage(takeBytes(input), shape)
    return { head: size, body: data }
  },
  decodeDepth: async (shape: PictureShape, input) => {
    const { data, ...size } = await decodeDepthImage(takeBytes(input), shape)
    return { head: size, body: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
  },
})

function takeBytes(input: Iterable<ChildMessage>): Uint8Array {
  for (const { body } of input) return body ?? new Uint8Array()
  throw new FormatError('child_failed', 'No picture was sent.')
}

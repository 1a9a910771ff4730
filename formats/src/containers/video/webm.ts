/** Packets of an MP4 in a WebM file, for browsers and players that want one: nothing is encoded. */
import { open } from 'node:fs/promises'
import { openFile } from '../../bytes.ts'
import { FormatError } from '../../errors.ts'
import { writeAll } from '../write-all.ts'
import { mediabunny } from './mediabunny.ts'

/** `from` holds AV1, VP8 or VP9; small files only, since WebM's index is put together in memory. */
export async function copyToWebm(from: string, to: string, signal?: AbortSignal): Promise<number> {
  await using source = await openFile(from)
  using input = new mediabunny.Input({
    formats: [mediabunny.MP4],
    source: new mediabunny.CustomSource({
      getSize: () => source.length(),
      read: (start, end) => source.read(start, end),
    }),
  })
  const track = await input.getPrimaryVideoTrack()
  const codec = await track?.getCodec()
  const config = await track?.getDecoderConfig()
  if (!track || !codec || !config || !['av1', 'vp8', 'vp9'].includes(codec)) {
    throw new FormatError('unsupported', `${from} has no video that WebM can hold.`)
  }
  const file = await open(to, 'wx')
  try {
    let sizeBytes = 0
    const writable = new WritableStream<{ data: Uint8Array; position: number }>({
      async write({ data, position }) {
        await writeAll(file, data, position)
        sizeBytes = Math.max(sizeBytes, position + data.byteLength)
      },
    })
    const output = new mediabunny.Output({
      format: new mediabunny.WebMOutputFormat(),
      target: new mediabunny.StreamTarget(writable as never),
    })
    const packets = new mediabunny.EncodedVideoPacketSource(codec)
    output.addVideoTrack(packets)
    await output.start()
    let isFirst = true
    for await (const packet of new mediabunny.EncodedPacketSink(track).packets()) {
      signal?.throwIfAborted()
      await packets.add(packet, isFirst ? { decoderConfig: config } : undefined)
      isFirst = false
    }
    await output.finalize()
    return sizeBytes
  } finally {
    await file.close()
  }
}

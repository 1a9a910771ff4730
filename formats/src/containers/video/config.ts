import type { SampleTable } from './table.ts'

/** Names as LeRobot's `video.codec` spells them. */
export type VideoCodec = 'av1' | 'h264' | 'hevc' | 'vp8' | 'vp9'

/** How a stream is described to a decoder: an MP4 sample entry without its changing parts (bit rates, encoder names). */
export interface DecoderConfig {
  /** Sample entry's four letters. */
  readonly format: string
  readonly width: number
  readonly height: number
  /** Boxes in a fixed order: the codec's own, then colour and pixel aspect. */
  readonly boxes: readonly Uint8Array[]
}

const codecBoxes: Readonly<Record<string, string>> = {
  av01: 'av1C',
  avc1: 'avcC',
  avc3: 'avcC',
  hvc1: 'hvcC',
  hev1: 'hvcC',
  vp08: 'vpcC',
  vp09: 'vpcC',
}

export function findConfigInTable(table: SampleTable): DecoderConfig | undefined {
  const codecBox = table.entryBoxes.get(codecBoxes[table.format] ?? '')
  if (!codecBox) return undefined
  const extra = ['colr', 'pasp'].map((type) => table.entryBoxes.get(type)).filter((box) => box !== undefined)
  return { format: table.format, width: table.width, height: table.height, boxes: [codecBox, ...extra] }
}

/** For containers other than MP4: H.264 and HEVC descriptions are the avcC and hvcC bodies; the others stay unknown. */
export function findConfigInDescription(
  codec: VideoCodec,
  description: Uint8Array | undefined,
  width: number,
  height: number,
): DecoderConfig | undefined {
  if (!description || (codec !== 'h264' && codec !== 'hevc')) return undefined
  const [format, type] = codec === 'h264' ? ['avc1', 'avcC'] : ['hvc1', 'hvcC']
  const box = Buffer.alloc(8 + description.length)
  box.writeUInt32BE(box.length, 0)
  box.write(type, 4, 'latin1')
  box.set(description, 8)
  return { format, width, height, boxes: [box] }
}

/** Equal bytes mean that packets of both streams decode in one stream. */
export function serializeConfig(config: DecoderConfig): Uint8Array {
  const head = Buffer.alloc(8)
  head.write(config.format, 0, 'latin1')
  head.writeUInt16BE(config.width, 4)
  head.writeUInt16BE(config.height, 6)
  return Buffer.concat([head, ...config.boxes])
}

/** FFmpeg's name of the pixel format, read from the codec's box. */
export function findPixelFormat(codec: VideoCodec, config: DecoderConfig | undefined): string | undefined {
  const body = config?.boxes[0]?.subarray(8)
  if (!body) return undefined
  if (codec === 'av1') return readAv1(body)
  if (codec === 'hevc') return namePixels((body[16] ?? 0) & 3, 8 + ((body[17] ?? 0) & 7))
  if (codec === 'h264') return readAvc(body)
  const bits = body[6] ?? 0
  return namePixels([1, 1, 2, 3][(bits >> 1) & 7] ?? 1, bits >> 4)
}

function readAv1(body: Uint8Array): string | undefined {
  const bits = body[2] ?? 0
  const depth = bits & 0x20 ? 12 : bits & 0x40 ? 10 : 8
  if (bits & 0x10) return namePixels(0, depth)
  return namePixels(bits & 0x08 ? (bits & 0x04 ? 1 : 2) : 3, depth)
}

/** Profiles from High on append chroma format and bit depth after the parameter sets; older writers leave them out. */
function readAvc(body: Uint8Array): string | undefined {
  const profile = body[1] ?? 0
  let position = 5
  for (const mask of [0x1f, 0xff]) {
    const count = (body[position++] ?? 0) & mask
    for (let index = 0; index < count; index++)
      position += 2 + (((body[position] ?? 0) << 8) | (body[position + 1] ?? 0))
  }
  if (![100, 110, 122, 144].includes(profile) || position + 1 >= body.length) return namePixels(1, 8)
  return namePixels((body[position] ?? 1) & 3, 8 + ((body[position + 1] ?? 0) & 7))
}

function namePixels(chroma: number, bitDepth: number): string | undefined {
  const base = ['gray', 'yuv420p', 'yuv422p', 'yuv444p'][chroma]
  return base === undefined || bitDepth === 8 ? base : `${base}${bitDepth}le`
}

interface GreyPicture {
  width: number
  height: number
  /** Row by row. */
  values: Uint16Array
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const mostPixels = 1280 * 4096

/** A PNG of one grey channel of 16 bits, which a canvas would make 8. */
export async function readGreyPng(bytes: Uint8Array<ArrayBuffer>): Promise<GreyPicture> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (signature.some((byte, at) => bytes[at] !== byte)) throw new Error('The picture is no PNG.')
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const [bits, colour, , , interlace] = bytes.subarray(24, 29)
  if (bits !== 16 || colour !== 0 || interlace !== 0 || width * height > mostPixels)
    throw new Error('The picture has another form than 16 bits of grey.')
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const size = view.getUint32(at)
    if (String.fromCharCode(...bytes.subarray(at + 4, at + 8)) === 'IDAT')
      parts.push(bytes.slice(at + 8, at + 8 + size))
    at += size + 12
  }
  const unpacked = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'))
  const lines = new Uint8Array(await new Response(unpacked).arrayBuffer())
  return { width, height, values: undoFilters(lines, width, height) }
}

const pixelBytes = 2

/** Each line begins with how its bytes were foretold: by nothing, the one to the left, the one above, both, or the likeliest of three. */
function undoFilters(lines: Uint8Array, width: number, height: number): Uint16Array {
  const lineBytes = width * pixelBytes
  if (lines.length < height * (lineBytes + 1)) throw new Error('The picture was cut off.')
  const values = new Uint16Array(width * height)
  let above = new Uint8Array(lineBytes)
  for (let y = 0; y < height; y++) {
    const start = y * (lineBytes + 1)
    const kind = lines[start] as number
    const line = lines.slice(start + 1, start + 1 + lineBytes)
    for (let at = 0; at < lineBytes; at++) {
      const left = at < pixelBytes ? 0 : (line[at - pixelBytes] as number)
      const corner = at < pixelBytes ? 0 : (above[at - pixelBytes] as number)
      line[at] = (line[at] as number) + foretell(kind, left, above[at] as number, corner)
    }
    for (let x = 0; x < width; x++)
      values[y * width + x] = ((line[x * pixelBytes] as number) << 8) | (line[x * pixelBytes + 1] as number)
    above = line
  }
  return values
}

function foretell(kind: number, left: number, up: number, corner: number): number {
  if (kind === 0) return 0
  if (kind === 1) return left
  if (kind === 2) return up
  if (kind === 3) return (left + up) >> 1
  const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

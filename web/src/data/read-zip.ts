/** Far more than a robot needs, and little enough for a tab. */
const bounds = { files: 2_000, bytes: 256 * 1024 * 1024 }

const [localMark, entryMark, endMark] = [0x04034b50, 0x02014b50, 0x06054b50]
const endBytes = 22

/** The files of a zip by path, unpacked within bounds; folders are left out. Plain zips only: no encryption, no zip64. */
export async function readZip(
  bytes: Uint8Array<ArrayBuffer>,
  most = bounds,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - endBytes
  while (end >= 0 && view.getUint32(end, true) !== endMark) end--
  if (end < 0) throw new Error('The zip has no list of its files: it may have been cut off.')
  const count = view.getUint16(end + 10, true)
  if (count > most.files) throw new Error(`The zip has more than ${most.files} files.`)
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  let at = view.getUint32(end + 16, true)
  let left = most.bytes
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== entryMark) throw new Error('The zip is damaged.')
    const [method, packedSize] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)]
    const [nameSize, extraSize, noteSize] = [28, 30, 32].map((place) => view.getUint16(at + place, true)) as [
      number,
      number,
      number,
    ]
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameSize))
    const local = view.getUint32(at + 42, true)
    at += 46 + nameSize + extraSize + noteSize
    if (path.endsWith('/')) continue
    if (local + 30 > bytes.length || view.getUint32(local, true) !== localMark) throw new Error('The zip is damaged.')
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    const content = await unpack(bytes.slice(from, from + packedSize), method, left)
    left -= content.length
    files.set(path, content)
  }
  return files
}

async function unpack(packed: Uint8Array<ArrayBuffer>, method: number, left: number) {
  if (method === 0) {
    if (packed.length > left) throw new Error(tooLarge)
    return packed
  }
  if (method !== 8) throw new Error('The zip is packed in a way that browsers do not read; use plain compression.')
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const parts: Uint8Array[] = []
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    // Counted while it is unpacked: what a header says of its size is not believed.
    if (size > left) {
      await reader.cancel()
      throw new Error(tooLarge)
    }
    parts.push(part.value)
  }
  const whole = new Uint8Array(size)
  let filled = 0
  for (const part of parts) {
    whole.set(part, filled)
    filled += part.length
  }
  return whole
}

const tooLarge = `The zip unpacks to more than ${bounds.bytes / 1024 / 1024} MB.`

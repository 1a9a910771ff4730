import { expect, test } from 'vitest'
import { readZip } from './read-zip.ts'

interface Entry {
  path: string
  text: string
  isPacked: boolean
}

const encode = (text: string) => new TextEncoder().encode(text)

async function pack(text: string): Promise<Uint8Array> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/** A record of the format: its size, and the numbers that a reader looks at, by their place in it. */
function writeRecord(size: number, mark: number, numbers: [place: number, bytes: 2 | 4, value: number][]): Uint8Array {
  const view = new DataView(new ArrayBuffer(size))
  view.setUint32(0, mark, true)
  for (const [place, bytes, value] of numbers)
    if (bytes === 2) view.setUint16(place, value, true)
    else view.setUint32(place, value, true)
  return new Uint8Array(view.buffer)
}

async function writeZip(entries: readonly Entry[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const { path, text, isPacked } of entries) {
    const [name, content, method] = [encode(path), isPacked ? await pack(text) : encode(text), isPacked ? 8 : 0]
    directory.push(
      writeRecord(46, 0x02014b50, [
        [10, 2, method],
        [20, 4, content.length],
        [28, 2, name.length],
        [42, 4, at],
      ]),
      name,
    )
    const local = writeRecord(30, 0x04034b50, [
      [8, 2, method],
      [26, 2, name.length],
    ])
    parts.push(local, name, content)
    at += local.length + name.length + content.length
  }
  const end = writeRecord(22, 0x06054b50, [
    [10, 2, entries.length],
    [16, 4, at],
  ])
  const whole = new Blob([...parts, ...directory, end] as Uint8Array<ArrayBuffer>[])
  return new Uint8Array(await whole.arrayBuffer())
}

const text = '<robot/>'.repeat(100)

test('files of a zip are read, packed or not, and folders left out', async () => {
  const zip = await writeZip([
    { path: 'arm/', text: '', isPacked: false },
    { path: 'arm/arm.urdf', text, isPacked: true },
    { path: 'arm/meshes/base.stl', text: 'solid', isPacked: false },
  ])
  const files = await readZip(zip)
  expect([...files].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)])).toEqual([
    ['arm/arm.urdf', text],
    ['arm/meshes/base.stl', 'solid'],
  ])
  await expect(readZip(zip.slice(0, -30))).rejects.toThrow('cut off')
})

test('what unpacks to more than a tab should hold is refused while it is unpacked', async () => {
  const zip = await writeZip(['a', 'b'].map((path) => ({ path, text, isPacked: true })))
  expect(zip.length).toBeLessThan(text.length)
  expect((await readZip(zip, { files: 2, bytes: 2 * text.length })).size).toBe(2)
  await expect(readZip(zip, { files: 2, bytes: 2 * text.length - 1 })).rejects.toThrow('unpacks to more')
  await expect(readZip(zip, { files: 1, bytes: 2 * text.length })).rejects.toThrow('more than 1 files')
})

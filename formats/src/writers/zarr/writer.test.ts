import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import type { Dataset } from '../../dataset.ts'
import type { CameraFeature, ColumnFeature } from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import { readTargetOptions } from '../target-options.ts'
import { zarr } from './target.ts'

const column = (name: string, shape = [2], dtype: ColumnFeature['dtype'] = 'float32'): ColumnFeature => ({
  ...{ kind: 'column', name, dtype, shape, names: null },
})
const size = { width: 8, height: 4 }
const camera = (name: string): CameraFeature => ({
  ...{ kind: 'camera', name, storage: 'video', ...size, channels: 3, info: {} },
})
const features = [
  ...[column('action'), column('observation.force', [1]), column('next.done', [1], 'bool')],
  ...[column('note', [1], 'string'), camera('observation.images.top'), camera('observation.images.wrist')],
]

function paint(length: number, first: number, brokenAt = length) {
  const read = async function* () {
    for (let frameIndex = 0; frameIndex < brokenAt; frameIndex++)
      yield { frameIndex, ...size, channels: 3, data: new Uint8Array(96).fill(first + frameIndex) }
  }
  return { kind: 'pixels' as const, frameCount: length, ...size, channels: 3, read }
}

const makeEpisode = (length: number, first: number, task: string, brokenAt?: number) => ({
  ...{ length, tasks: [task], splits: [first > 50 ? 'test' : 'train'] },
  columns: new Map<string, Float32Array | Uint8Array | string[]>([
    ['action', Float32Array.from({ length: length * 2 }, (_, at) => first + at)],
    ['observation.force', Float32Array.from({ length }, (_, at) => first + at)],
    ['next.done', Uint8Array.from({ length }, (_, at) => Number(at === length - 1))],
    ['note', new Array<string>(length).fill('')],
  ]),
  cameras: new Map([
    ['observation.images.top', paint(length, first)],
    ['observation.images.wrist', paint(length, first + 100, brokenAt)],
  ]),
})

const dataset = createMemoryDataset(features, [
  ...[makeEpisode(5, 10, 'push'), makeEpisode(9, 30, 'spoil', 3), makeEpisode(4, 60, 'pull')],
])

async function convert(given: JsonObject, source: Dataset = dataset) {
  const folder = join(await mkdtemp(join(tmpdir(), 'zarr-')), 'out')
  const told: string[] = []
  const settings = readTargetOptions(zarr, given)
  const report = await zarr.write(source, folder, { settings, onFile: ({ path }) => told.push(path) })
  expect(told.toSorted()).toEqual(report.files.map(({ path }) => path).toSorted())
  return { folder, report }
}

const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

/** The rows of an array from its chunks, by the rules of Zarr 2. */
async function readArray(root: string, path: string) {
  const { shape, chunks, dtype, compressor } = await readJson(join(root, path, '.zarray'))
  const pieces: Buffer[] = []
  for (let index = 0; index * chunks[0] < shape[0]; index++) {
    const bytes = await readFile(join(root, path, [index, ...shape.slice(1).map(() => 0)].join('.')))
    pieces.push(compressor ? zstdDecompressSync(bytes) : bytes)
  }
  const rowValues = shape.slice(1).reduce((product: number, one: number) => product * one, 1)
  const all = Buffer.concat(pieces)
  const types = { '<f4': Float32Array, '<i8': BigInt64Array, '|u1': Uint8Array, '|b1': Uint8Array } as const
  const values = new types[dtype as keyof typeof types](new Uint8Array(all).buffer)
  return { shape, chunks, values: Array.from(values.subarray(0, shape[0] * rowValues), Number) }
}

/** Every entry by the directory at the end of an archive, its sum held against its bytes; the folder. */
async function unpackStored(zip: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'zarr-unpacked-'))
  const end = zip.length - 22
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [sum, length, nameLength, offset] = [16, 20, 28, 42].map((place) =>
      place === 28 ? zip.readUInt16LE(at + place) : zip.readUInt32LE(at + place),
    ) as [number, number, number, number]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const from = offset + 30 + zip.readUInt16LE(offset + 26)
    const bytes = zip.subarray(from, from + length)
    expect([zip.readUInt32LE(offset), crc32(bytes)], name).toEqual([0x04034b50, sum])
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
    at += 46 + nameLength
  }
  expect(at).toBe(end)
  return folder
}

test('the replay buffer of diffusion policy: rows of all episodes, where they end; nothing of a broken one', async () => {
  const { folder, report } = await convert({ container: 'folder', frames_per_chunk: 4 })
  expect(report).toMatchObject({ episodeCount: 2, frameCount: 9 })
  expect(report.losses.map(({ feature }) => feature)).toEqual(['note'])
  expect(report.findings).toMatchObject([{ rule: 'episode-file-unreadable', episode: 1 }])
  const root = join(folder, 'dataset.zarr')
  expect(await readArray(root, 'meta/episode_ends')).toMatchObject({ shape: [2], values: [5, 9] })
  expect(await readArray(root, 'data/force')).toMatchObject({
    ...{ shape: [9, 1], values: [10, 11, 12, 13, 14, 60, 61, 62, 63] },
  })
  expect(await readArray(root, 'data/next_done')).toMatchObject({ shape: [9], values: [0, 0, 0, 0, 1, 0, 0, 0, 1] })
  expect((await readArray(root, 'data/task_index')).values).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1])
  const pictures = await readArray(root, 'data/wrist_rgb')
  expect(pictures).toMatchObject({ shape: [9, 4, 8, 3], chunks: [4, 4, 8, 3] })
  expect(pictures.values.filter((_, at) => at % 96 === 95)).toEqual([110, 111, 112, 113, 114, 160, 161, 162, 163])
  expect(await readJson(join(root, '.zattrs'))).toMatchObject({
    ...{ fps: 10, tasks: ['push', 'pull'], splits: { train: [0], test: [1] } },
    features: { force: { name: 'observation.force' }, top_rgb: { name: 'observation.images.top' } },
  })
})

test('an archive has the same files, and the same bytes every time', async () => {
  const [one, two] = [await convert({}), await convert({})]
  const path = join(one.folder, 'dataset.zarr.zip')
  expect(await readFile(path)).toEqual(await readFile(join(two.folder, 'dataset.zarr.zip')))
  const unpacked = await unpackStored(await readFile(path))
  expect((await readArray(unpacked, 'data/action')).values.slice(8, 12)).toEqual([18, 19, 60, 61])
  expect(await readArray(unpacked, 'data/top_rgb')).toMatchObject({ chunks: [1, 4, 8, 3], shape: [9, 4, 8, 3] })
})

test.each(['zip', 'folder'])('what was written is read back: %s', async (container) => {
  const { folder } = await convert({ container, frames_per_chunk: 2 })
  const expected = { episodeCount: 2, frameCount: 9 }
  await zarr.verify?.(folder, expected)
  await expect(zarr.verify?.(folder, { ...expected, frameCount: 10 })).rejects.toThrow('has 9 rows instead of 10')
  const path = join(folder, container === 'zip' ? 'dataset.zarr.zip' : 'dataset.zarr/data/top_rgb/1.0.0.0')
  const bytes = await readFile(path)
  const at = bytes.indexOf('top_rgb/1.0.0.0') + 20
  bytes[at] = (bytes[at] ?? 0) ^ 255
  await writeFile(path, container === 'zip' ? bytes : '')
  await expect(zarr.verify?.(folder, expected)).rejects.toThrow('What was written is not right: data/top_rgb')
})

test('JPEG XL: a picture a chunk, for the decoder that UMI registers', async () => {
  const { folder } = await convert({ container: 'folder', pictures: 'jpegxl', frames_per_chunk: 9 })
  const root = join(folder, 'dataset.zarr/data/top_rgb')
  expect(await readJson(join(root, '.zarray'))).toMatchObject({
    ...{ chunks: [1, 4, 8, 3], compressor: { id: 'imagecodecs_jpegxl', distance: 1 } },
  })
  const picture = await readFile(join(root, '8.0.0.0'))
  // A bare codestream, or the box of its container.
  expect([0xff0a, 0x0000]).toContain(picture.readUInt16BE(0))
})

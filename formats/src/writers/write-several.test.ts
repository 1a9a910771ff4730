import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { type Codec, openCodec } from '../containers/codec/codec.ts'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import { getWriter } from './index.ts'
import { readTargetOptions } from './target-options.ts'
import { type TargetWish, writeSeveral } from './write-several.ts'

const twoCameras = getFixture('lerobot/recorded-v3.0-two-cameras')
const names = ['rlds', 'zarr', 'robomimic', 'mcap']

async function listWishes(): Promise<TargetWish[]> {
  const root = await mkdtemp(join(tmpdir(), 'several-'))
  return names.map((name) => {
    const writer = getWriter(name)
    return { writer, folder: join(root, name), settings: readTargetOptions(writer) }
  })
}

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.toSorted()) hash.update(path.slice(folder.length)).update(await readFile(path))
  return hash.digest('hex')
}

/** The codec as it is, and how many times each frame left the decoder. */
function count(codec: Codec): { codec: Codec; decoded: Map<string, number> } {
  const decoded = new Map<string, number>()
  const watch = <Request, Item>(read: (request: Request) => AsyncGenerator<Item>, find: (item: Item) => number) =>
    async function* (request: Request) {
      const { camera = '', place = -1 } = (request as { shared?: { camera: string; place: number } }).shared ?? {}
      for await (const item of read(request)) {
        const key = `${camera} ${place} ${find(item)}`
        decoded.set(key, (decoded.get(key) ?? 0) + 1)
        yield item
      }
    }
  return {
    decoded,
    codec: {
      ...codec,
      decode: watch(codec.decode, ({ frameIndex }) => frameIndex),
      render: watch(codec.render, ({ frameIndex }) => frameIndex),
      decodeAndRender: watch(codec.decodeAndRender, ({ picture }) => picture.frameIndex),
    },
  }
}

test('several targets at once: each frame is decoded once, and each has the bytes that it has alone', async () => {
  await using dataset = await openDataset(await openFolder(twoCameras))
  await using own = openCodec()
  const { codec, decoded } = count(own)
  const together = await listWishes()
  const reports = await writeSeveral(dataset, together, { codec })
  expect(reports.map(({ frameCount }) => frameCount)).toEqual(names.map(() => dataset.frameCount))
  expect(decoded.size).toBe(2 * dataset.frameCount)
  expect(new Set(decoded.values())).toEqual(new Set([1]))
  for (const [at, { writer, folder, settings }] of (await listWishes()).entries()) {
    await writer.write(dataset, folder, { settings, codec: own })
    expect(await hashFolder(together[at]?.folder ?? ''), writer.name).toBe(await hashFolder(folder))
  }
}, 120_000)

test('an episode that one of them leaves out keeps nobody waiting, and a failure ends all', async () => {
  await using dataset = await openDataset(await openFolder(twoCameras))
  const [rlds, zarr, robomimic] = (await listWishes()) as [TargetWish, TargetWish, TargetWish]
  // A writer of its own rows: the first episode has none for it.
  const blind: TargetWish['writer'] = {
    ...zarr.writer,
    write: (set, folder, options) =>
      zarr.writer.write(
        { ...set, getEpisode: (at) => (at === 0 ? { ...set.getEpisode(at), length: 0 } : set.getEpisode(at)) },
        folder,
        options,
      ),
  }
  const [whole, short] = await writeSeveral(dataset, [rlds, { ...zarr, writer: blind }], {})
  expect([whole?.episodeCount, short?.episodeCount]).toEqual([dataset.episodeCount, dataset.episodeCount - 1])
  const failing = { ...robomimic.writer, write: () => Promise.reject(new Error('the disk is gone')) }
  const wishes = [
    { ...rlds, folder: `${rlds.folder}-2` },
    { ...robomimic, writer: failing },
  ]
  await expect(writeSeveral(dataset, wishes, {})).rejects.toThrow('the disk is gone')
}, 120_000)

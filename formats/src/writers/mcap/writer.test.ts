import { createHash } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { McapIndexedReader, type McapTypes } from '@mcap/core'
import { describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { encodeForeign } from '../../../test/foreign-video.ts'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import { openFile } from '../../bytes.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { Dataset, PacketFrames } from '../../dataset.ts'
import type { CameraFeature, ColumnFeature, Feature } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import type { JsonObject } from '../../json.ts'
import { openDataset } from '../../layouts/index.ts'
import { readTargetOptions } from '../target-options.ts'
import { mcap } from './target.ts'

const twoCameras = getFixture('lerobot/recorded-v3.0-two-cameras')

async function convert(source: Dataset, given: JsonObject = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), 'mcap-')), 'out')
  const report = await mcap.write(source, folder, { settings: readTargetOptions(mcap, given) })
  return { folder, report }
}

async function readTopics(path: string): Promise<Map<string, McapTypes.TypedMcapRecords['Message'][]>> {
  const bytes = await readFile(path)
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset: bigint, length: bigint) => bytes.subarray(Number(offset), Number(offset + length)),
  }
  const reader = await McapIndexedReader.Initialize({ readable })
  const topics = new Map<string, McapTypes.TypedMcapRecords['Message'][]>()
  for await (const message of reader.readMessages()) {
    const topic = reader.channelsById.get(message.channelId)?.topic ?? ''
    topics.set(topic, [...(topics.get(topic) ?? []), message])
  }
  return topics
}

describe('MCAP', () => {
  test('packets are those of the source, a message a frame on the grid; the same bytes each time', async () => {
    await using source = await openDataset(await openFolder(twoCameras))
    const [{ folder, report }, again] = [await convert(source), await convert(source)]
    expect(report).toMatchObject({ episodeCount: 6, frameCount: 313, losses: [] })
    expect(report.findings.filter(({ rule }) => rule === 'video-encoded')).toEqual([])
    const topics = await readTopics(join(folder, 'episode_000001.mcap'))
    const { length } = source.getEpisode(1)
    for (const topic of ['/action', '/observation/state', '/observation/images/top'])
      expect(topics.get(topic)?.map(({ logTime }) => logTime)).toEqual(
        Array.from({ length }, (_, frame) => BigInt(Math.round((frame * 1e9) / source.fps))),
      )
    const frames = (await source.getEpisode(1).openCamera('observation.images.top')) as PacketFrames
    await using file = await openFile(frames.file)
    await using video = await openVideo(file)
    let frame = 0
    for await (const { data } of video.readPackets(frames.startFrame, frames.startFrame + frames.frameCount)) {
      const message = topics.get('/observation/images/top')?.[frame++]?.data as Uint8Array
      expect(Buffer.from(message).includes(Buffer.from(data))).toBe(true)
    }
    const hash = async (from: string, path: string) =>
      createHash('sha256')
        .update(await readFile(join(from, path)))
        .digest('hex')
    for (const { path } of report.files) expect(await hash(folder, path), path).toBe(await hash(again.folder, path))
  })

  test('what was written is read back; a byte that changed since is refused', async () => {
    await using source = await openDataset(await openFolder(twoCameras))
    const { folder } = await convert(source, { compression: 'zstd' })
    const expected = { episodeCount: 6, frameCount: 313 }
    await mcap.verify?.(folder, expected)
    await expect(mcap.verify?.(folder, { ...expected, frameCount: 312 })).rejects.toThrow('6 episodes and 313 frames')
    const path = join(folder, 'episode_000002.mcap')
    const at = Math.floor((await stat(path)).size / 2)
    const file = await open(path, 'r+')
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at)
    await file.write(Buffer.of((buffer[0] as number) ^ 0xff), 0, 1, at)
    await file.close()
    await expect(mcap.verify?.(folder, expected)).rejects.toThrow()
  })

  test('every kind of number, NaN and text; an episode that cannot be read leaves no file behind', async () => {
    const of = (name: string, dtype: ColumnFeature['dtype']): ColumnFeature => ({
      ...{ kind: 'column', name, dtype, shape: [1], names: null },
    })
    const features: Feature[] = [of('a', 'float32'), of('b', 'int64'), of('c', 'bool'), of('d', 'string')]
    const make = (length: number) => ({
      ...{ length, tasks: ['one', 'two'], taskIndex: Uint32Array.from({ length }, (_, frame) => (frame < 2 ? 0 : 1)) },
      columns: new Map<string, Float32Array | BigInt64Array | Uint8Array | string[]>([
        ['a', Float32Array.from({ length }, (_, frame) => (frame === 1 ? Number.NaN : frame / 3))],
        ['b', BigInt64Array.from({ length }, (_, frame) => -(2n ** 40n) * BigInt(frame))],
        ['c', Uint8Array.from({ length }, (_, frame) => frame % 2)],
        ['d', Array.from({ length }, (_, frame) => `ä${frame}`)],
      ]),
    })
    const dataset = createMemoryDataset(features, [make(3), make(0), make(9)], 2)
    const { folder, report } = await convert(dataset)
    expect((await readdir(folder)).toSorted()).toEqual(['episode_000000.mcap', 'episode_000001.mcap'])
    expect(report.findings).toMatchObject([{ rule: 'episode-file-unreadable', episode: 1 }])
    const topics = await readTopics(join(folder, 'episode_000001.mcap'))
    expect(topics.get('/task')?.map(({ logTime }) => logTime)).toEqual([0n, 200_000_000n])
    const bytes = (topic: string, frame: number) => Buffer.from(topics.get(topic)?.[frame]?.data ?? [])
    expect(bytes('/a', 1).subarray(-4).readFloatLE()).toBeNaN()
    expect(bytes('/a', 5).subarray(-4).readFloatLE()).toBe(Math.fround(5 / 3))
    // Zigzag of -(2 ** 40): 2 ** 41 - 1 in seven-bit groups.
    expect([...bytes('/b', 1).subarray(-6)]).toEqual([0xff, 0xff, 0xff, 0xff, 0xff, 0x3f])
    expect(bytes('/c', 3).at(-1)).toBe(1)
    expect(bytes('/d', 8).toString()).toContain('ä8')
  })

  test('video with B-frames is encoded again without them: a picture a message, parameter sets with each keyframe', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'mcap-')), 'reordered.mp4')
    await encodeForeign(file, { bf: '3', crf: '18' })
    await using bytes = await openFile(file)
    await using video = await openVideo(bytes)
    expect(video.facts.isReordered).toBe(true)
    const camera: CameraFeature = {
      ...{
        kind: 'camera',
        name: 'observation.images.top',
        storage: 'video',
        width: 64,
        height: 48,
        channels: 3,
        info: {},
      },
    }
    const cameras = new Map([[camera.name, { kind: 'packets' as const, file, startFrame: 0, frameCount: 24 }]])
    const dataset = createMemoryDataset([camera], [{ length: 24, tasks: [''], columns: new Map(), cameras }], 7, 20)
    const { folder, report } = await convert(dataset)
    expect(report.findings.map(({ sentence }) => sentence)).toEqual([
      'The video of observation.images.top was encoded again as h264.',
    ])
    const messages = (await readTopics(join(folder, 'episode_000000.mcap'))).get('/observation/images/top') ?? []
    expect(messages).toHaveLength(24)
    const sets = messages.map(({ data }) => Buffer.from(data).includes(Buffer.of(0, 0, 0, 1, 0x67)))
    expect(sets).toEqual(Array.from({ length: 24 }, (_, frame) => frame % 2 === 0))
    expect(await readdir(folder)).toEqual(['episode_000000.mcap'])
  }, 60_000)
})

import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import { hashPackets } from '../../../test/packet-hashes.ts'
import { openFile } from '../../bytes.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { Dataset } from '../../dataset.ts'
import { type ColumnFeature, isCamera, isColumn } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { readTargetOptions } from '../target-options.ts'
import { lerobotV2 } from './target.ts'

const twoCameras = getFixture('lerobot/recorded-v3.0-two-cameras')

async function convert(source: Dataset, video = 'copy') {
  const folder = join(await mkdtemp(join(tmpdir(), 'v2-')), 'out')
  const report = await lerobotV2.write(source, folder, { settings: readTargetOptions(lerobotV2, { video }) })
  return { folder, report }
}

async function readRows(dataset: Dataset, position: number) {
  const episode = dataset.getEpisode(position)
  const rows: Record<string, unknown[]> = { task: [] }
  for await (const { columns, taskIndex, frameCount } of episode.readBlocks()) {
    for (const [name, values] of columns) rows[name] = [...(rows[name] ?? []), ...values]
    for (let row = 0; row < frameCount; row++) rows.task?.push(episode.tasks[taskIndex?.[row] ?? 0])
  }
  return rows
}

describe('LeRobot v2.1', () => {
  test('read back by our own reader: the same rows, tasks and packets', async () => {
    await using source = await openDataset(await openFolder(twoCameras))
    const { folder, report } = await convert(source)
    expect(report).toMatchObject({ episodeCount: 6, frameCount: 313, losses: [] })
    await using back = await openDataset(await openFolder(folder))
    expect(back.origin.version).toBe('v2.1')
    expect(back.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(back.features.filter(isColumn)).toEqual(source.features.filter(isColumn))
    for (let position = 0; position < 6; position++) {
      expect(await readRows(back, position)).toEqual(await readRows(source, position))
      for (const { name } of source.features.filter(isCamera))
        expect(await hashPackets(await back.getEpisode(position).openCamera(name))).toEqual(
          await hashPackets(await source.getEpisode(position).openCamera(name)),
        )
    }
    const info = JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8'))
    expect(info).toMatchObject({ total_videos: 12, total_chunks: 1, total_tasks: 3, splits: { train: '0:6' } })
  })

  test('the same dataset gives the same bytes; every file is told of once', async () => {
    await using source = await openDataset(await openFolder(twoCameras))
    const [one, two] = [await convert(source), await convert(source)]
    expect(one.report.files.map(({ path }) => path).toSorted()).toHaveLength(6 * 3 + 4)
    for (const { path } of one.report.files)
      expect(await readFile(join(one.folder, path)), path).toEqual(await readFile(join(two.folder, path)))
  })

  test('h264: AV1 is encoded again, and the report says so', async () => {
    await using source = await openDataset(await openFolder(twoCameras))
    const { folder, report } = await convert(source, 'h264')
    await using file = await openFile(join(folder, 'videos/chunk-000/observation.images.top/episode_000000.mp4'))
    await using video = await openVideo(file)
    expect(video.facts).toMatchObject({ codec: 'h264', frameCount: source.getEpisode(0).length })
    expect(report.findings.map(({ sentence }) => sentence)).toContain(
      'The video of observation.images.top was encoded again as h264.',
    )
  }, 60_000)

  test('language columns and splits that are no ranges are named as lost; a bad episode is left out', async () => {
    const state: ColumnFeature = {
      kind: 'column',
      name: 'observation.state',
      dtype: 'float32',
      shape: [1],
      names: null,
    }
    const words: ColumnFeature = { ...state, name: 'language_persistent', dtype: 'language' }
    const make = (length: number, split: string) => ({
      ...{ length, tasks: ['t'], splits: [split] },
      columns: new Map<string, Float32Array | string[]>([
        [state.name, new Float32Array(length).fill(length)],
        [words.name, new Array<string>(length).fill('')],
      ]),
    })
    const episodes = [make(3, 'train'), make(0, 'train'), make(4, 'test'), make(5, 'train')]
    const { folder, report } = await convert(createMemoryDataset([state, words], episodes))
    expect(report.losses).toEqual([
      { feature: 'language_persistent', reason: 'LeRobot v2.1 has no language columns; its loader fails on them.' },
      { feature: 'split train', reason: 'info.json can only express splits whose episodes follow each other.' },
    ])
    expect(report.findings).toMatchObject([{ rule: 'episode-file-unreadable', episode: 1 }])
    await using back = await openDataset(await openFolder(folder))
    expect([0, 1, 2].map((position) => back.getEpisode(position).length)).toEqual([3, 4, 5])
  })
})

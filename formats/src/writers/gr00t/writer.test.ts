import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { readBarCodes } from '../../../test/bar-code.ts'
import { createMemoryDataset } from '../../../test/memory-dataset.ts'
import { openCodec } from '../../containers/codec/codec.ts'
import { FormatError } from '../../errors.ts'
import { type ColumnFeature, isCamera } from '../../feature.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { gr00t } from './target.ts'

test('the same dataset gives the same bytes, also where its videos are encoded', async () => {
  await using source = await openDataset(await openFolder(getFixture('lerobot/recorded-v3.0-two-cameras')))
  const one = { ...source, episodeCount: 1 }
  const convert = async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'gr00t-')), 'out')
    return { folder, report: await gr00t.write(one, folder) }
  }
  const [first, second] = [await convert(), await convert()]
  expect(first.report.findings.map(({ sentence }) => sentence)).toContain(
    'The video of observation.images.top was encoded again as h264.',
  )
  const paths = first.report.files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['meta/modality.json', 'meta/stats.json', 'meta/info.json']))
  expect(second.report.files).toEqual(first.report.files)
  for (const path of paths)
    expect((await readFile(join(first.folder, path))).equals(await readFile(join(second.folder, path))), path).toBe(
      true,
    )
}, 60_000)

test('an episode that is left out half way is in no statistic', async () => {
  const state: ColumnFeature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [1], names: null }
  const make = (first: number) => ({
    ...{ length: 20, tasks: [''] },
    columns: new Map([[state.name, Float32Array.from({ length: 20 }, (_, frame) => first + frame)]]),
  })
  const [one, broken, other] = [make(0), make(1000), make(50)]
  const whole = createMemoryDataset([state], [one, other])
  const damaged = createMemoryDataset([state], [one, broken, other])
  const writeStats = async (dataset: typeof whole) => {
    const folder = join(await mkdtemp(join(tmpdir(), 'gr00t-')), 'out')
    const { episodeCount } = await gr00t.write(dataset, folder)
    expect(episodeCount).toBe(2)
    return readFile(join(folder, 'meta/stats.json'), 'utf8')
  }
  const expected = await writeStats(whole)
  expect(JSON.parse(expected)['observation.state']).toMatchObject({ min: [0], max: [69] })
  const found = await writeStats({
    ...damaged,
    getEpisode: (position) => {
      const episode = damaged.getEpisode(position)
      if (position !== 1) return episode
      return {
        ...episode,
        readBlocks: async function* (range) {
          for await (const block of episode.readBlocks(range)) {
            yield block
            throw new FormatError('episode_unreadable', 'it is damaged.')
          }
        },
      }
    },
  })
  expect(found).toBe(expected)
})

test('cameras that are kept as pictures become video: its loader has no other way to them', async () => {
  await using source = await openDataset(await openFolder(getFixture('lerobot/recorded-v3.0-images')))
  const folder = join(await mkdtemp(join(tmpdir(), 'gr00t-')), 'out')
  const report = await gr00t.write(source, folder)
  expect(report.losses).toEqual([])
  await using back = await openDataset(await openFolder(folder))
  const cameras = source.features.filter(isCamera)
  expect(back.features.filter(isCamera)).toMatchObject(cameras.map(({ name }) => ({ name, storage: 'video' })))
  await using codec = openCodec()
  for (const { name } of cameras)
    expect(await readBarCodes(await back.getEpisode(1).openCamera(name), codec)).toEqual(
      await readBarCodes(await source.getEpisode(1).openCamera(name), codec),
    )
}, 60_000)

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filmDataset, filmedCamera } from '../../../test/filmed-dataset.ts'
import { openCodec } from '../../containers/codec/codec.ts'
import type { Dataset } from '../../dataset.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { applyRecipe } from '../../steps/recipe.ts'
import { write } from './writer.ts'

const [episodeCount, length] = [120, 6]

async function shorten(levels: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'whole-'))
  try {
    {
      await using codec = openCodec()
      const dataset = await filmDataset(codec, join(folder, 'film.mp4'), { levels, episodeCount })
      await write(dataset, join(folder, 'stored'), { codec })
    }
    await using stored: Dataset = await openDataset(await openFolder(join(folder, 'stored')))
    const part = { ranges: [[2, length]] as const }
    const cut = { episodes: new Map(Array.from({ length: episodeCount }, (_, index) => [index, [part]])) }
    const target = join(folder, 'short')
    const report = await write(applyRecipe(stored, { cut }), target, { cameraStatistics: 'carry' })
    const statistics = JSON.parse(await readFile(join(target, 'meta/stats.json'), 'utf8'))[filmedCamera.name]
    const told = report.findings.filter(({ rule }) => rule === 'statistics-of-whole').map(({ sentence }) => sentence)
    return { told, statistics }
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('where whole recordings look like what is kept of them, their statistics are taken and that is said', async () => {
  const { told, statistics } = await shorten([90, 90, 90, 90, 90, 90])
  expect(told).toEqual([
    `${filmedCamera.name}: the statistics of 120 shortened episodes are those of their whole recordings. 12 were measured for comparison, and their pixels are 0.00 % of the range or less from that on average.`,
  ])
  expect(statistics.count).toEqual([episodeCount * 4])
  expect(statistics.mean[0][0][0]).toBeCloseTo(90 / 255, 2)
})

test('where they look different, every shortened episode is measured', async () => {
  const { told, statistics } = await shorten([255, 255, 0, 0, 0, 0])
  expect(told).toEqual([])
  expect(statistics.count).toEqual([episodeCount * 4])
  expect(statistics.max[0][0][0]).toBeLessThan(0.1)
})

const [severalEpisodes, manyFrames, keyframeInterval] = [24, 40, 2]

/** Every episode is the whole film; its frames have these levels of grey. */
async function bring(levels: readonly number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'keyframes-'))
  try {
    await using codec = openCodec()
    const film = { levels, episodeCount: severalEpisodes, keyframeInterval }
    const target = join(folder, 'stored')
    const report = await write(await filmDataset(codec, join(folder, 'film.mp4'), film), target, { codec })
    const statistics = JSON.parse(await readFile(join(target, 'meta/stats.json'), 'utf8'))[filmedCamera.name]
    return { told: report.findings.filter(({ rule }) => rule === 'statistics-of-keyframes'), statistics }
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('of many episodes a few keyframes are measured where they look like the rest, and that is said', async () => {
  const { told, statistics } = await bring(Array.from({ length: manyFrames }, (_, frame) => 60 + frame))
  expect(told.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(
      /^observation\.images\.top: the statistics of 24 episodes are those of at most 16 keyframes each\. 5 were measured/,
    ),
  ])
  expect(statistics.count).toEqual([severalEpisodes * manyFrames])
  expect(statistics.mean[0][0][0]).toBeCloseTo((60 + (manyFrames - 1) / 2) / 255, 2)
})

test('a camera whose keyframes look different is measured by the sample of all its frames', async () => {
  const flicker = Array.from({ length: manyFrames }, (_, frame) => (frame % keyframeInterval === 0 ? 40 : 200))
  const { told, statistics } = await bring(flicker)
  expect(told).toEqual([])
  expect(statistics.mean[0][0][0]).toBeCloseTo(120 / 255, 1)
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filmDataset, filmedCamera } from '../../../test/filmed-dataset.ts'
import { openCodec } from '../../containers/codec/codec.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { lerobotV2 } from '../lerobot-v2/target.ts'
import { readTargetOptions } from '../target-options.ts'
import { write } from './writer.ts'

const [episodeCount, length] = [24, 40]

let folder: string
let older: string

/** A dataset of LeRobot v2.1 whose frames become slowly brighter. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stated-'))
  older = join(folder, 'v21')
  await using codec = openCodec()
  const levels = Array.from({ length }, (_, frame) => 60 + frame / 2)
  const film = { levels, episodeCount, keyframeInterval: 2 }
  await lerobotV2.write(await filmDataset(codec, join(folder, 'film.mp4'), film), older, {
    settings: readTargetOptions(lerobotV2, {}),
  })
}, 120_000)
afterAll(() => rm(folder, { recursive: true }))

type Stated = Record<'min' | 'max' | 'mean' | 'std', number[][][]>

/** What the report says of the camera's statistics where `change` was done to what each episode's line states. */
async function convert(name: string, change: (stated: Stated, episode: number) => void) {
  const path = join(older, 'meta/episodes_stats.jsonl')
  const original = await readFile(path, 'utf8')
  const lines = original.trim().split('\n')
  const changed = lines.map((line) => {
    const entry = JSON.parse(line)
    change(entry.stats[filmedCamera.name], entry.episode_index)
    return JSON.stringify(entry)
  })
  await writeFile(path, changed.join('\n'))
  try {
    await using dataset = await openDataset(await openFolder(older))
    return await readReport(dataset, join(folder, name))
  } finally {
    await writeFile(path, original)
  }
}

async function readReport(dataset: Parameters<typeof write>[0], target: string) {
  const { findings } = await write(dataset, target)
  const statistics = JSON.parse(await readFile(join(target, 'meta/stats.json'), 'utf8'))[filmedCamera.name]
  expect(statistics.mean[0][0][0]).toBeCloseTo((60 + (length - 1) / 4) / 255, 2)
  expect(statistics.count).toEqual([episodeCount * length])
  return findings.filter(({ rule }) => rule === 'statistics-of-keyframes').map(({ sentence }) => sentence)
}

const ofFew = (count: number) =>
  expect.stringContaining(
    `the statistics of ${count} episodes are those of 4 keyframes each, which have the mean and the deviation that the source states`,
  )
const ofSome = (count: number) => expect.stringContaining(`of ${count} episodes are those of at most 16 keyframes each`)

describe('what a source states of the pixels of its episodes', () => {
  test('is proven on some, and four keyframes that agree with it stand for the others; v2.1 and v3', async () => {
    expect(await convert('right', () => undefined)).toEqual([ofFew(episodeCount)])
    await using stored = await openDataset(await openFolder(join(folder, 'right')))
    expect(await readReport(stored, join(folder, 'again'))).toEqual([ofFew(episodeCount)])
  })

  test('counts for nothing in an episode where it contradicts itself, or the pixels', async () => {
    const told = await convert('partly', (stated, episode) => {
      // Above the brightest pixel; and of a brighter picture.
      if (episode === 3) stated.mean = [[[0.6]], [[0.6]], [[0.6]]]
      if (episode === 4)
        for (const one of [stated.min, stated.max, stated.mean]) for (const [row] of one) addTo(row, 0.2)
    })
    expect(told).toEqual([ofFew(episodeCount - 2), ofSome(2)])
  })

  test('counts for nothing where it is wrong of all: lerobot 0.4 stated deviations that are far too small', async () => {
    const told = await convert('wrong', (stated) => {
      stated.std = [[[0.0004]], [[0.0004]], [[0.0004]]]
    })
    expect(told).toEqual([ofSome(episodeCount)])
  })
})

function addTo(row: number[] | undefined, more: number): void {
  if (row) row[0] = (row[0] ?? 0) + more
}

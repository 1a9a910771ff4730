import { cp, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import type { Dataset } from '../../dataset.ts'
import { openFolder } from '../../file-tree.ts'
import { openDataset } from '../../layouts/index.ts'
import { write } from './writer.ts'

const leaveOut = (dataset: Dataset, left: number): Dataset => ({
  ...dataset,
  episodeCount: dataset.episodeCount - 1,
  frameCount: dataset.frameCount - dataset.getEpisode(left).length,
  getEpisode: (position) => dataset.getEpisode(position < left ? position : position + 1),
})

test('an episode whose video cannot be decoded is left out, and those that were looked at with it are as without it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cameras-'))
  try {
    const [good, bad] = [getFixture('lerobot/recorded-v2.1'), join(folder, 'bad')]
    await cp(good, bad, { recursive: true })
    const video = join(bad, 'videos/chunk-000/observation.images.laptop/episode_000001.mp4')
    const { size } = await stat(video)
    await using file = await open(video, 'r+')
    // Packets come first; the index behind them stays as it is.
    await file.write(Buffer.alloc(Math.floor(size / 2) - 64), 0, undefined, 64)
    await using damaged = await openDataset(await openFolder(bad))
    await using whole = await openDataset(await openFolder(good))
    const report = await write(damaged, join(folder, 'damaged'))
    const expected = await write(leaveOut(whole, 1), join(folder, 'expected'))
    const told = report.findings.filter(({ rule }) => rule === 'video-unreadable')
    expect(told).toMatchObject([{ episode: 1, sentence: expect.stringContaining('Episode 1 is left out') }])
    expect(report.episodeCount).toBe(whole.episodeCount - 1)
    const paths = expected.files.map(({ path }) => path).filter((path) => /^(data|videos)\/|stats\.json$/.test(path))
    expect(paths).toHaveLength(4)
    for (const path of paths)
      expect(await readFile(join(folder, 'damaged', path)), path).toEqual(
        await readFile(join(folder, 'expected', path)),
      )
  } finally {
    await rm(folder, { recursive: true })
  }
})

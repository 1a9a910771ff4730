import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
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

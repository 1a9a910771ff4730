import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { write } from '@nmp/formats/lerobot/writer'
import { openParquetReader } from '@nmp/formats/parquet'
import { expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { digestEpisodes, isContent } from './episode-digests.ts'

const signal = new AbortController().signal

/** By DuckDB, as digests of earlier revisions were made: an episode that is the same must have the same one for ever. */
async function digestByRecords(folder: string): Promise<[number, string][]> {
  const tree = await openFolder(folder)
  await using reader = await openParquetReader(tree.root)
  const digests: [number, string][] = []
  for (const { path } of await tree.list('meta/episodes')) {
    const file = await tree.locate(path)
    const names = (await reader.readFooter(file)).columns.map(({ name }) => name).filter(isContent)
    for await (const record of reader.readRecords(file, ['episode_index', ...names])) {
      const show = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
      const texts = names.sort().map((name) => JSON.stringify([name, record[name]], show))
      digests.push([Number(record.episode_index), createHash('sha256').update(texts.join('')).digest('hex')])
    }
  }
  return digests
}

test('digests of tables that this program and others wrote are those of their records', async () => {
  const made = await mkdtemp(join(tmpdir(), 'nmp-digests-'))
  try {
    const source = getFixture('lerobot/recorded-v3.0-two-cameras')
    await using dataset = await openDataset(await openFolder(source))
    await write(dataset, join(made, 'own'))
    for (const [folder, isOwn] of [
      [join(made, 'own'), true],
      [source, false],
    ] as const) {
      const digests: [number, string][] = []
      for await (const [episode, [digest]] of digestEpisodes(folder, [isContent], signal))
        digests.push([episode, digest?.toString('hex') ?? ''])
      expect(digests).toEqual(await digestByRecords(folder))
      expect(digests.length).toBe(dataset.episodeCount)
      const tree = await openFolder(folder)
      await using reader = await openParquetReader(tree.root)
      const [table] = await tree.list('meta/episodes')
      const requests = await reader.findOwnNumbers(await tree.locate(table?.path ?? ''), ['episode_index', 'length'])
      expect(requests !== undefined).toBe(isOwn)
    }
  } finally {
    await rm(made, { recursive: true })
  }
})

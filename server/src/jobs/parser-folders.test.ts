import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepParserFolders } from './parser-folders.ts'

test('folders of killed parsers and media processes are removed after a day, those of others and of today are not', async () => {
  const root = await mkdtemp(join(tmpdir(), 'nmp-sweep-'))
  const yesterday = new Date(Date.now() - 26 * 3_600_000)
  for (const name of ['nmp-hdf5-abc123', 'nmp-duckdb-XyZ789', 'nmp-media-abc123', 'nmp-codec-abc123', 'other-abc123']) {
    await mkdir(join(root, name))
    await writeFile(join(root, name, 'spilled'), 'x')
    await utimes(join(root, name), yesterday, yesterday)
  }
  for (const name of ['nmp-hdf5-fresh1', 'nmp-media-fresh1']) await mkdir(join(root, name))
  expect(await sweepParserFolders(root)).toBe(4)
  expect((await readdir(root)).sort()).toEqual(['nmp-hdf5-fresh1', 'nmp-media-fresh1', 'other-abc123'])
  await rm(root, { recursive: true })
})

import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepParserFolders } from './parser-folders.ts'

test('folders of killed parsers and media processes are removed after a day, those of others and of today are not', async () => {
  const root = await mkdtemp(join(tmpdir(), 'nmp-sweep-'))
  const yesterday = new Date(Date.now() - 26 * 3_600_000)
  const kinds = ['hdf5', 'duckdb', 'media', 'codec', 'push', 'clip']
  for (const name of [...kinds.map((kind) => `nmp-${kind}-aB1xY2`), 'other-abc123']) {
    await mkdir(join(root, name))
    await writeFile(join(root, name, 'spilled'), 'x')
    await utimes(join(root, name), yesterday, yesterday)
  }
  for (const name of ['nmp-hdf5-fresh1', 'nmp-media-fresh1']) await mkdir(join(root, name))
  expect(await sweepParserFolders(root)).toBe(kinds.length)
  expect((await readdir(root)).sort()).toEqual(['nmp-hdf5-fresh1', 'nmp-media-fresh1', 'other-abc123'])
  await rm(root, { recursive: true })
})

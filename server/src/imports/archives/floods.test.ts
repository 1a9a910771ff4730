import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Pack, pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeZip } from '../../../test/zip-writer.ts'
import { expandArchives } from './expand.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-floods-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const expand = async (name: string, bytes: Uint8Array, maxFiles: number): Promise<void> => {
  await writeFile(join(folder, name), bytes)
  await expandArchives(folder, { signal: new AbortController().signal, maxBytes: 50_000_000, maxFiles })
}

const writeTar = (headers: readonly Parameters<Pack['entry']>[0][]): Promise<Buffer> => {
  const tar = pack()
  for (const header of headers) tar.entry(header, '')
  tar.finalize()
  return buffer(tar as unknown as Readable)
}

describe('small archives that would keep a disk busy are refused', () => {
  const many = Array.from({ length: 2001 }, (_, index) => ({ name: `n${index}` }))

  test.each(['zip', 'tar'])('a %s of very many empty files', async (ending) => {
    const bytes = ending === 'zip' ? writeZip(many) : await writeTar(many)
    await expect(expand(`set.${ending}`, bytes, 500_000)).rejects.toMatchObject({
      code: 'archive_too_large',
      message: expect.stringContaining('very many empty files'),
    })
  })

  test.each(['./', '__MACOSX/'])('a tar of folders that nobody keeps, all called %s', async (name) => {
    const bytes = await writeTar(many.map(() => ({ name, type: 'directory' as const })))
    await expect(expand('set.tar', bytes, 1000)).rejects.toMatchObject({ code: 'archive_too_large' })
  })

  test('a tar whose one name fills the memory', async () => {
    const bytes = await writeTar([{ name: 'x', pax: { comment: 'y'.repeat(5_000_000) } }])
    await expect(expand('set.tar', bytes, 1000)).rejects.toMatchObject({ code: 'archive_invalid' })
  })

  test('a tar of folders in folders without end', async () => {
    const bytes = await writeTar([{ name: `${'a/'.repeat(100)}x`, size: 0 }])
    await expect(expand('set.tar', bytes, 1000)).rejects.toMatchObject({
      code: 'invalid_path',
      message: expect.stringContaining('deeper than 64 folders'),
    })
  })
})

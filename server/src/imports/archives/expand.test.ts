import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzipSync } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLongRun } from '../../../../fixtures/test-where.ts'
import { writeZip, type ZipEntry } from '../../../test/zip-writer.ts'
import { ServiceError } from '../../errors.ts'
import { expandArchives, findDatasetRoot } from './expand.ts'

const run = promisify(execFile)
let folder: string
let outside: string
beforeEach(async () => {
  const base = await mkdtemp(join(tmpdir(), 'nmp-archives-'))
  folder = join(base, 'in', 'work')
  outside = base
  await mkdir(folder, { recursive: true })
})
afterEach(() => rm(outside, { recursive: true, force: true }))

const options = { signal: new AbortController().signal, maxBytes: 50_000_000, maxFiles: 1000 }
const expand = (given: Partial<typeof options> = {}): Promise<void> => expandArchives(folder, { ...options, ...given })

const list = async (root = folder): Promise<string[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map((entry) => relative(root, join(entry.parentPath, entry.name))).sort()
}

const put = async (name: string, bytes: Buffer | string): Promise<void> => {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), bytes)
}

type TarEntry = Parameters<Pack['entry']>[0] & { content?: Buffer }
const writeTar = (entries: readonly TarEntry[]): Promise<Buffer> => {
  const tar = pack()
  for (const { content = Buffer.alloc(0), ...header } of entries) tar.entry(header, content)
  tar.finalize()
  return buffer(tar as unknown as Readable)
}

const info = Buffer.from('{"codebase_version": "v2.1"}')
const video = randomBytes(200_000)

describe('archives made by ordinary programs', () => {
  beforeEach(async () => {
    const set = join(outside, 'my set')
    await mkdir(join(set, 'meta'), { recursive: true })
    await mkdir(join(set, 'videos', 'größe'), { recursive: true })
    await writeFile(join(set, 'meta', 'info.json'), info)
    await writeFile(join(set, 'videos', 'größe', `${'long-'.repeat(30)}.mp4`), video)
  })

  test.each([
    ['tar', 'set.tar', ['-cf']],
    ['tar, from inside, with the POSIX format', 'set.tar', ['--format=posix', '-C', 'my set', '-cf']],
    ['tar.gz', 'set.tar.gz', ['-czf']],
    ['tgz that is plain', 'set.tgz', ['--format=gnu', '-cf']],
    ['tar that is packed', 'set.TAR', ['-czf']],
  ])('%s', async (_, name, flags) => {
    const fromInside = flags.includes('-C')
    const order = flags.filter((flag) => flag !== '-C' && flag !== 'my set')
    await run('tar', [...order, join(folder, name), ...(fromInside ? ['-C', 'my set', '.'] : ['my set'])], {
      cwd: outside,
    })
    await expand()
    const root = await findDatasetRoot(folder, 1000)
    expect(relative(folder, root)).toBe(fromInside ? '' : 'my set')
    expect(await readFile(join(root, 'meta/info.json'))).toEqual(info)
    expect((await readFile(join(root, 'videos', 'größe', `${'long-'.repeat(30)}.mp4`))).equals(video)).toBe(true)
    expect(await list()).toHaveLength(2)
  })

  test('zip, by Python', async () => {
    await run('python3', ['-m', 'zipfile', '-c', join(folder, 'set.zip'), 'my set'], { cwd: outside })
    await expand()
    const root = await findDatasetRoot(folder, 1000)
    expect(await readFile(join(root, 'meta/info.json'))).toEqual(info)
    expect((await readFile(join(root, 'videos', 'größe', `${'long-'.repeat(30)}.mp4`))).equals(video)).toBe(true)
  })

  test('that is a link to a stored object, as uploads are laid out: the object stays', async () => {
    const stored = join(outside, 'object')
    await writeFile(stored, await writeTar([{ name: 'a.h5', content: video }]))
    await symlink(stored, join(folder, 'set.tar'))
    await expand()
    expect(await list()).toEqual(['a.h5'])
    expect((await lstat(stored)).isFile()).toBe(true)
  })
})

test('several archives are unpacked beside each other; what macOS leaves in them is not', async () => {
  await put(
    'a.zip',
    writeZip([
      { name: 'meta/info.json', content: info },
      { name: '__MACOSX/meta/._info.json', content: info },
      { name: '.DS_Store' },
    ]),
  )
  await put(
    'parts/b.tar',
    await writeTar([
      { name: 'x.h5', content: video },
      { name: '._x.h5', content: info },
      { name: 'inner.zip', content: writeZip([{ name: 'y' }]) },
    ]),
  )
  let bytes = 0
  await expandArchives(folder, {
    ...options,
    onBytes: (count) => {
      bytes += count
    },
  })
  expect(await list()).toEqual(['meta/info.json', 'parts/inner.zip', 'parts/x.h5'])
  expect(bytes).toBeGreaterThan(200_000)
})

test('archives beside a whole LeRobot dataset are left as they are; what its parts are packed in is not', async () => {
  await put('meta/info.json', info)
  await put('data.zip', writeZip([{ name: 'data/chunk-000/episode_000000.parquet', content: video }]))
  await expand()
  await put('extras.zip', Buffer.from('not even a zip'))
  await expand()
  expect(await list()).toEqual(['data/chunk-000/episode_000000.parquet', 'extras.zip', 'meta/info.json'])
})

const refusals: [string, TarEntry[] | ZipEntry[], string, string][] = [
  ['leads out', [{ name: '../../escaped.h5', content: info }], 'invalid_path', 'leads outside its folder'],
  [
    'leads out in the middle',
    [{ name: 'a/../../../escaped.h5', content: info }],
    'invalid_path',
    'leads outside its folder',
  ],
  ['is absolute', [{ name: '/tmp/escaped.h5', content: info }], 'invalid_path', ''],
  ['has a drive', [{ name: 'C:/escaped.h5', content: info }], 'invalid_path', ''],
  ['has backslashes', [{ name: '..\\..\\escaped.h5', content: info }], 'invalid_path', 'backslash'],
  ['has a line break', [{ name: 'a\nb.h5', content: info }], 'invalid_path', 'control characters'],
  [
    'is there twice',
    [
      { name: 'a.h5', content: info },
      { name: 'a.h5', content: video },
    ],
    'invalid_path',
    'twice',
  ],
  [
    'differs in case only',
    [
      { name: 'a.h5', content: info },
      { name: 'A.h5', content: video },
    ],
    'invalid_path',
    'only in case',
  ],
  [
    'is a file and a folder',
    [
      { name: 'a', content: info },
      { name: 'a/b.h5', content: video },
    ],
    'invalid_path',
    'below another file',
  ],
  ['is very long', [{ name: 'x'.repeat(300), content: info }], 'invalid_path', 'longer than'],
]

describe.each(['tar', 'tar.gz', 'zip'])('a %s is refused, and nothing stands outside, when a name in it', (ending) => {
  test.each(refusals)('%s', async (_, entries, code, words) => {
    const tar = ending === 'zip' ? Buffer.alloc(0) : await writeTar(entries as TarEntry[])
    await put(
      `set.${ending}`,
      ending === 'zip' ? writeZip(entries as ZipEntry[]) : ending === 'tar' ? tar : gzipSync(tar),
    )
    await expect(expand()).rejects.toMatchObject({
      code,
      message: expect.stringContaining(ending === 'zip' && words === 'leads outside its folder' ? 'name' : words),
    })
    expect((await list(outside)).filter((path) => !path.startsWith('in/work/'))).toEqual([])
  })
})

describe('what is no plain file is refused', () => {
  test.each<[string, TarEntry]>([
    ['a symbolic link', { name: 'x', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'x', type: 'link', linkname: '../../../etc/passwd' }],
    ['a device', { name: 'x', type: 'character-device' }],
    ['a pipe', { name: 'x', type: 'fifo' }],
  ])('tar: %s', async (_, entry) => {
    await put('set.tar', await writeTar([{ name: 'a.h5', content: info }, entry]))
    await expect(expand()).rejects.toMatchObject({
      code: 'archive_invalid',
      message: expect.stringContaining('plain files only'),
    })
    expect((await list()).filter((path) => path === 'x')).toEqual([])
  })

  test('tar: a sparse file, in both of its forms', async () => {
    const pax = { 'GNU.sparse.major': '1', 'GNU.sparse.realsize': '1000000000000' }
    await put('set.tar', await writeTar([{ name: 'x', content: info, pax }]))
    await expect(expand()).rejects.toMatchObject({
      code: 'archive_invalid',
      message: expect.stringContaining('without --sparse'),
    })
    const old = await writeTar([{ name: 'x', content: info }])
    const sum = Number.parseInt(old.toString('latin1', 148, 154), 8) + 'S'.charCodeAt(0) - '0'.charCodeAt(0)
    old.write('S', 156)
    old.write(sum.toString(8).padStart(6, '0'), 148)
    await put('set.tar', old)
    await expect(expand()).rejects.toMatchObject({
      code: 'archive_invalid',
      message: expect.stringContaining('not a plain file'),
    })
    expect(await list()).toEqual(['set.tar'])
  })

  test.each([
    ['a symbolic link', { name: 'x', content: Buffer.from('/etc/passwd'), mode: 0o120777 }, 'link'],
    ['a device', { name: 'x', mode: 0o020666 }, 'not a plain file'],
    ['an encrypted file', { name: 'x', content: info, flags: 0x801 }, 'password'],
    ['a method of its own', { name: 'x', content: info, method: 12 }, 'Use deflate or store'],
  ])('zip: %s', async (_, entry, words) => {
    await put('set.zip', writeZip([entry]))
    await expect(expand()).rejects.toMatchObject({ code: 'archive_invalid', message: expect.stringContaining(words) })
    expect(await list()).toEqual(['set.zip'])
  })
})

describe('bombs go off in the hand', () => {
  const zeros = Buffer.alloc(20_000_000)

  test('a zip by its ratio, before a byte is written', async () => {
    await put('set.zip', writeZip([{ name: 'a.h5', content: zeros }]))
    await expect(expand()).rejects.toMatchObject({
      code: 'archive_too_large',
      message: expect.stringContaining('100 times'),
    })
    expect(await list()).toEqual(['set.zip'])
  })

  test('a zip that says it is small', async () => {
    await put('set.zip', writeZip([{ name: 'a.h5', content: zeros, sizeBytes: 1000 }]))
    await expect(expand()).rejects.toMatchObject({ code: 'archive_invalid' })
    expect(
      (await Promise.all((await list()).map(async (path) => (await lstat(join(folder, path))).size))).reduce(
        (a, b) => a + b,
      ),
    ).toBeLessThan(200_000)
  })

  test('a zip whose files share their bytes', async () => {
    const half = randomBytes(100_000)
    await put(
      'set.zip',
      writeZip([
        { name: 'a.h5', content: half },
        { name: 'b.h5', content: half, overlapsPrevious: true },
      ]),
    )
    await expect(expand()).rejects.toMatchObject({
      code: 'archive_invalid',
      message: expect.stringContaining('overlap'),
    })
  })

  test('a tar.gz by its ratio, while it comes', async () => {
    await put('set.tgz', gzipSync(await writeTar([{ name: 'a.h5', content: zeros }])))
    await expect(expand()).rejects.toMatchObject({ code: 'archive_too_large' })
    expect((await lstat(join(folder, 'a.h5'))).size).toBeLessThan(15_000_000)
  })

  test.each(['zip', 'tar'])('a %s by its bytes', async (ending) => {
    const entries = [
      { name: 'a.h5', content: video },
      { name: 'b.h5', content: video },
    ]
    await put(`set.${ending}`, ending === 'zip' ? writeZip(entries) : await writeTar(entries))
    await expect(expand({ maxBytes: 300_000 })).rejects.toMatchObject({
      code: 'archive_too_large',
      message: expect.stringContaining('300000 bytes'),
    })
    expect(await list()).not.toContain('b.h5')
  })

  test('two archives share the bound', async () => {
    for (const name of ['a', 'b']) await put(`${name}.tar`, await writeTar([{ name: `${name}.h5`, content: video }]))
    await expect(expand({ maxBytes: 300_000 })).rejects.toMatchObject({ code: 'archive_too_large' })
  })

  test('a tar of very many files by their number, soon and with little memory', async () => {
    const header = (await writeTar([{ name: 'n0000000' }])).subarray(0, 512)
    const write = function* (): Generator<Buffer> {
      for (let index = 0; index < (isLongRun ? 1_000_000 : 200_000); index += 1000)
        yield Buffer.concat(Array.from({ length: 1000 }, (_, place) => renumber(header, index + place)))
      yield Buffer.alloc(1024)
    }
    await pipeline(Readable.from(write()), createGzip({ level: 1 }), createWriteStream(join(folder, 'set.tar.gz')))
    const before = process.memoryUsage.rss()
    await expect(expand({ maxFiles: 2000 })).rejects.toMatchObject({
      code: 'archive_too_large',
      message: expect.stringContaining('more than the 2000 files'),
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(100e6)
    expect((await list()).length).toBeLessThan(2010)
  }, 120_000)

  test('a zip of too many files by what its directory says', async () => {
    await put('set.zip', writeZip(Array.from({ length: 5000 }, (_, index) => ({ name: `n${index}` }))))
    await expect(expand({ maxFiles: 1000 })).rejects.toMatchObject({ code: 'archive_too_large' })
    expect(await list()).toEqual(['set.zip'])
  })
})

/** The header of n0000000 for another number, with the checksum that goes with it. */
const renumber = (header: Buffer, index: number): Buffer => {
  const copy = Buffer.from(header)
  const digits = String(index).padStart(7, '0')
  copy.write(digits, 1)
  const sum =
    Number.parseInt(header.toString('latin1', 148, 154), 8) +
    [...digits].reduce((total, digit) => total + Number(digit), 0)
  copy.write(sum.toString(8).padStart(6, '0'), 148)
  return copy
}

describe('damage is told', () => {
  test.each(['tar', 'tar.gz', 'zip'])('a %s cut anywhere', async (ending) => {
    const entries = Array.from({ length: 4 }, (_, index) => ({ name: `${index}.h5`, content: randomBytes(3000) }))
    const tar = await writeTar(entries)
    const bytes = ending === 'zip' ? writeZip(entries) : ending === 'tar' ? tar : gzipSync(tar)
    // A tar ends with two empty blocks; with one it is whole.
    const last = ending === 'tar' ? bytes.length - 1024 : bytes.length - 1
    const cuts = [0, 1, 100, 511, 512, 3000, 3584, 4096, 7168, bytes.length >> 1, last - 512, last]
    for (const size of cuts.filter((cut) => cut <= last)) {
      await rm(folder, { recursive: true })
      await put(`set.${ending}`, bytes)
      await truncate(join(folder, `set.${ending}`), size)
      await expect(expand(), `cut at ${size}`).rejects.toMatchObject({
        code: 'archive_invalid',
        message: expect.stringMatching(/ends too early|damaged/),
      })
    }
  })

  test.each(['tar', 'tar.gz', 'zip'])(
    'a %s with any byte changed: unpacked or refused, never anything else',
    async (ending) => {
      const entries = Array.from({ length: 3 }, (_, index) => ({ name: `d/${index}.h5`, content: randomBytes(700) }))
      const tar = await writeTar(entries)
      const bytes = ending === 'zip' ? writeZip(entries) : ending === 'tar' ? tar : gzipSync(tar)
      let refused = 0
      for (let place = 0; place < bytes.length; place += ending === 'tar' ? 23 : 13) {
        await rm(folder, { recursive: true })
        const changed = Buffer.from(bytes)
        changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8))
        await put(`set.${ending}`, changed)
        await expand().catch((error) => {
          refused += 1
          expect(error, `at ${place}`).toBeInstanceOf(ServiceError)
        })
        expect((await list(outside)).filter((path) => !path.startsWith('in/work/'))).toEqual([])
      }
      expect(refused).toBeGreaterThan(ending === 'tar' ? 5 : 100)
    },
  )

  test('a zip with a wrong checksum, and files that are none of these', async () => {
    await put('set.zip', writeZip([{ name: 'a.h5', content: video, sum: 1 }]))
    await expect(expand()).rejects.toMatchObject({
      code: 'archive_invalid',
      message: expect.stringContaining('"a.h5" in it is damaged'),
    })
    for (const name of ['set.zip', 'set.tar', 'set.tgz']) {
      await rm(folder, { recursive: true })
      await put(name, video)
      await expect(expand(), name).rejects.toMatchObject({ code: 'archive_invalid' })
    }
  })

  test('a file in the way of its folder; and a cancel stops at once', async () => {
    await put('set.tar', await writeTar([{ name: 'set.tar2/x', content: info }]))
    await writeFile(join(folder, 'set.tar2'), '')
    await expect(expand()).rejects.toMatchObject({ code: 'invalid_path' })
    await expect(expand({ signal: AbortSignal.abort(new Error('canceled')) })).rejects.toThrow('canceled')
  })
})

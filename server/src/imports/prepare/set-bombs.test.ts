import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  compressSnappy,
  compressZerosByLz4,
  repeatValue,
  type WrittenColumn,
  writeNumbers,
  writeParquet,
  writeSized,
} from '../../../../formats/test/parquet-pages.ts'
import { writeJpegHeader, writePng, writePngProfile, writePngText } from '../../../../formats/test/picture-bombs.ts'
import { enlargeFrames } from '../../../../formats/test/video-bombs.ts'
import { type Files, repeatEpisode, writeEpisode, writeV2, writeV3 } from '../../../test/bomb-sets.ts'
import { uploadBytes, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

/** LeRobot sets of some kilobytes whose tables, texts and pictures become gigabytes, or say so, sent as anybody sends a set. */
const path = '/api/v1/orgs/ada/projects/default'
const most = 2 ** 31 - 1
const megabyte = 1024 * 1024
const zeros = Buffer.alloc(64 * megabyte)

let program: TestProgram
let bearer: string
let count = 0

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  program.startWorker({ backoff: { baseSeconds: 0.1, capSeconds: 0.1 } })
})
afterAll(() => program?.close())

/** To the end of its import, which is told at the first attempt: a bomb that was only stopped by a limit of its process is tried again. */
async function bring(files: Files) {
  const dataset_slug = `bomb-${++count}`
  const upload_ids: string[] = []
  for (const [name, bytes] of files) upload_ids.push(await uploadBytes(program, bearer, name, new Uint8Array(bytes)))
  const body = { source_kind: 'lerobot', dataset_slug, upload_ids }
  const { id } = (await program.call('POST', `${path}/imports`, { bearer, body })).body.item
  const job = await waitForImport(program, bearer, { org: 'ada', project: 'default' }, id)
  const report = await program.call('GET', `${path}/imports/${id}/report`, { bearer })
  const dataset = await program.call('GET', `${path}/datasets/${dataset_slug}`, { bearer })
  expect({ attempts: job.attempt_count, dataset: dataset.status }).toEqual({
    attempts: 1,
    dataset: job.status === 'succeeded' ? 200 : 404,
  })
  const { counts, findings } = report.body.item as {
    counts: { episodes_imported: number; episodes_left_out: number }
    findings: { episode: number | null; rule: string; sentence: string }[]
  }
  return { job, counts, findings }
}

/** All but the first are bombs: each is left out with a finding of its own, and the first is imported. */
async function expectLeftOut(files: Files, bombs: number): Promise<string[]> {
  const { job, counts, findings } = await bring(files)
  expect([job.status, job.error_message]).toEqual(['succeeded', null])
  const told = findings.filter(({ episode, rule }) => episode !== null && /unreadable/.test(rule))
  expect(told.map(({ episode }) => episode).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: bombs }, (_, index) => index + 1),
  )
  expect(counts).toMatchObject({ episodes_imported: 1, episodes_left_out: bombs })
  return told.map(({ sentence }) => sentence)
}

const compressors: Record<'snappy' | 'gzip' | 'brotli' | 'zstd' | 'lz4', (bytes: Uint8Array) => Uint8Array> = {
  snappy: compressSnappy,
  gzip: (bytes) => gzipSync(bytes),
  brotli: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
  lz4: ({ length }) => compressZerosByLz4(length),
}
const packed = Object.entries(compressors).map(
  ([codec, compress]) => [codec as keyof typeof compressors, compress(zeros)] as const,
)
const pack = (column: WrittenColumn): WrittenColumn => ({
  ...column,
  codec: 'zstd',
  pages: column.pages.map((page) => ({ ...page, body: zstdCompressSync(page.body) })),
})

test('tables of two billion rows, and pages that become more than they say, or say more than they become', async () => {
  const tables = [writeEpisode(0), repeatEpisode(most), repeatEpisode(40_000_000)]
  const page = (name: string, codec: WrittenColumn['codec'] & string, body: Uint8Array, announcedBytes: number) =>
    tables.push(
      writeEpisode(tables.length, [{ name, type: 'float', codec, pages: [{ valueCount: 10, body, announcedBytes }] }]),
    )
  for (const [codec, body] of packed)
    for (const name of ['timestamp', 'action']) {
      page(name, codec, body, 40)
      page(name, codec, body, most)
    }
  page('action', 'framedLz4', Buffer.concat([Buffer.from('0400000000000015', 'hex'), compressZerosByLz4(64e6)]), 40)
  const sentences = await expectLeftOut(writeV2(tables), tables.length - 1)
  expect(sentences).toContainEqual(expect.stringContaining('announces 85899345880 bytes of values in a file of'))
})

const number = (name: string, rowCount: number): WrittenColumn =>
  repeatValue({ name, type: 'int64' }, Buffer.alloc(8), rowCount)
const text = (name: string, length: number, rowCount: number): WrittenColumn =>
  pack(repeatValue({ name, type: 'bytes', isText: true }, writeSized(Buffer.alloc(length, 'x')), rowCount))
const episodes = 'meta/episodes/chunk-000/file-000.parquet'
const tasks = 'meta/tasks.parquet'
const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

test.each<[what: string, file: string, make: () => Buffer]>([
  [
    'episodes: two billion',
    episodes,
    () => writeParquet([number('episode_index', most), number('length', most)], most),
  ],
  ['episodes: sixty million', episodes, () => writeParquet([number('episode_index', 6e7), number('length', 6e7)], 6e7)],
  ['tasks: sixty million', tasks, () => writeParquet([number('task_index', 6e7), text('task', 1, 6e7)], 6e7)],
  [
    'tasks: one text of 16 MB, a thousand times',
    tasks,
    () => writeParquet([writeNumbers('task_index', 'int64', range(1000)), text('task', 16 * megabyte, 1000)], 1000),
  ],
])('a table of %s', async (_, file, make) => {
  const { job } = await bring(writeV3({ [file]: make() }))
  expect([job.status, job.error_code]).toEqual(['failed', 'limit_exceeded'])
  expect(job.error_message).toMatch(new RegExp(`^${file} .*\\.$`))
})

test('a column of texts, one of 64 MB that every row refers to', async () => {
  const tables = [writeEpisode(0, [text('note', 1, 10)]), writeEpisode(1, [text('note', 64 * megabyte, 10)])]
  const [sentence] = await expectLeftOut(writeV2(tables, { note: { dtype: 'string', shape: [1] } }), 1)
  expect(sentence).toContain('has a row with more than 1 MiB of text')
})

const named = { name: 'observation.images.front', type: 'bytes' } as const
const camera = { dtype: 'image', shape: [48, 64, 3], names: ['height', 'width', 'channels'] }
const small = { width: 64, height: 48 }
const repeat = (picture: Buffer): WrittenColumn => repeatValue(named, writeSized(picture), 10)
const huge = [
  writePng({ width: 65_000, height: 65_000, pixelBytes: 2_000_000 }),
  writePng({ width: 7500, height: 7500 }),
  writeJpegHeader(65_500, 65_500),
  writeJpegHeader(7000, 7000),
]
const extra = Buffer.concat([writePngText(2e7), writePngProfile(2e7)])
const accompanied = writePng({ ...small, pixelBytes: 2e7, extra })

test('pictures of billions of pixels, and pages of them that become more than they say', async () => {
  const run = { encoding: 'dictionary', body: Buffer.from([1, 254, 255, 255, 255, 15, 0]), announcedBytes: 7 } as const
  const dictionary = { isDictionary: true, body: Buffer.alloc(4), announcedBytes: 4 }
  const columns: WrittenColumn[] = [
    repeat(writePng(small)),
    ...huge.map(repeat),
    ...packed.flatMap(([codec, body]) =>
      [100, 300 * megabyte].map((announcedBytes) => ({
        ...named,
        codec,
        pages: [{ valueCount: 10, body, announcedBytes }],
      })),
    ),
    {
      ...named,
      codec: 'framedLz4',
      pages: [{ valueCount: 10, body: Buffer.alloc(100), announcedBytes: 200 * megabyte }],
    },
    {
      ...named,
      pages: [
        { ...dictionary, valueCount: most },
        { ...run, valueCount: 10 },
      ],
    },
    {
      ...named,
      pages: [
        { ...dictionary, valueCount: 1 },
        { ...run, valueCount: most },
      ],
    },
  ]
  const tables = columns.map((column, episode) => writeEpisode(episode, [column]))
  const sentences = await expectLeftOut(writeV2(tables, { [named.name]: camera }), tables.length - 1)
  expect(sentences).toContainEqual(expect.stringContaining('million pixels'))
})

test('pictures with megabytes of text, profile and pixels that nobody asked for are what they would be without', async () => {
  const tables = [writePng(small), accompanied].map((picture, episode) => writeEpisode(episode, [repeat(picture)]))
  const { job, counts } = await bring(writeV2(tables, { [named.name]: camera }))
  expect([job.status, counts.episodes_imported]).toEqual(['succeeded', 2])
})

test('videos whose stream asks for frames of hundreds of megapixels', async () => {
  const folder = join(import.meta.dirname, '../../../../formats/test/golden/lerobot/v2.1-pandas-output')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: Files = new Map()
  for (const entry of entries.filter((one) => one.isFile() && one.name !== 'expected.json')) {
    const place = join(entry.parentPath, entry.name)
    const bytes = await readFile(place)
    const blocks = { 'episode_000001.mp4': 1020, 'episode_000002.mp4': 4000 }[entry.name]
    files.set(relative(folder, place), blocks ? enlargeFrames(bytes, blocks, blocks) : bytes)
  }
  const sentences = await expectLeftOut(files, 2)
  expect(sentences).toEqual(sentences.map(() => expect.stringContaining('the video cannot be read')))
})

const without = (files: Files, name: string): Files => {
  files.delete(name)
  return files
}

test.each<[what: string, make: () => Files, message: string]>([
  [
    'an info.json of 65 MiB',
    () => writeV2([writeEpisode(0)]).set('meta/info.json', Buffer.alloc(65 * megabyte, ' ')),
    'meta/info.json is larger than 64 MiB.',
  ],
  [
    'a line of 17 MiB',
    () => writeV2([writeEpisode(0)]).set('meta/episodes.jsonl', Buffer.alloc(17 * megabyte, ' ')),
    'meta/episodes.jsonl line 1 is larger than 16 MiB.',
  ],
  [
    'six million episodes that only a number speaks of',
    () => {
      const files = without(writeV2([writeEpisode(0)]), 'meta/episodes.jsonl')
      const info = JSON.parse(String(files.get('meta/info.json')))
      return files.set('meta/info.json', Buffer.from(JSON.stringify({ ...info, total_episodes: 6e6 })))
    },
    'info.json counts more than 5000000 episodes.',
  ],
])('%s', async (_, make, message) => {
  const { job } = await bring(make())
  expect([job.error_code, job.error_message]).toEqual(['limit_exceeded', message])
})

test('a NUL in the text of a task, which no database keeps, becomes the sign for it', async () => {
  const task = repeatValue({ name: 'task', type: 'bytes', isText: true }, writeSized(Buffer.from('pi\0ck')), 1)
  const { job } = await bring(writeV3({ [tasks]: writeParquet([writeNumbers('task_index', 'int64', [0]), task], 1) }))
  const { body } = await program.call('GET', `/api/v1/catalog/datasets/${job.dataset_id}/episodes`, { bearer })
  expect(body.item.items[0].tasks).toEqual(['pi\ufffdck'])
})

test('nothing of them stays, and the next import is as ever', async () => {
  const { job, counts } = await bring(writeV2([writeEpisode(0)]))
  expect([job.status, counts.episodes_imported]).toEqual(['succeeded', 1])
  expect(await readdir(join(program.context.config.NMP_DATA_DIR, 'work')).catch(() => [])).toEqual([])
})

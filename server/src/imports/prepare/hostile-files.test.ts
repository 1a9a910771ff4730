import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { writePng } from '../../../../formats/test/picture-bombs.ts'
import { createFixtureImport, importFixture, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { writeZip } from '../../../test/zip-writer.ts'

/** Files that want something else than to be read, each in the place of a good one, through the door that everybody uses. */
const lerobot = getFixture('lerobot')
const hdf5 = getFixture('hdf5')
const place = { org: 'ada', project: 'default' }
const path = '/api/v1/orgs/ada/projects/default/imports'
const picture = (camera: string): string => `episode0/camera/color/${camera}/1731500000.101135.jpg`

const box = (type: string, ...parts: Uint8Array[]): Buffer => {
  const head = Buffer.alloc(8, type, 'latin1')
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...parts])
}
/** Forty thousand by forty thousand grey pixels in a few kilobytes. */
const pngBomb = (): Buffer => writePng({ width: 40_000, height: 40_000, pixelBytes: 20_000_000 })
const withFooterLength = (bytes: Buffer, length: number): Buffer => {
  const changed = Buffer.from(bytes)
  changed.writeUInt32LE(length, changed.length - 8)
  return changed
}
const withManyFrames = (bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes)
  changed.writeUInt32BE(0xffffffff, changed.indexOf('stsz') + 12)
  return changed
}
/** A box more at the end of a table of samples; the boxes around it grow with it. */
const withTable = (bytes: Buffer, table: Buffer): Buffer => {
  const around = ['moov', 'trak', 'mdia', 'minf', 'stbl'].map((type) => bytes.indexOf(type) - 4)
  const at = around.at(-1) as number
  const end = at + bytes.readUInt32BE(at)
  const changed = Buffer.concat([bytes.subarray(0, end), table, bytes.subarray(end)])
  for (const start of around) changed.writeUInt32BE(changed.readUInt32BE(start) + table.length, start)
  return changed
}
const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4)
  })
  return bytes
}
/** 300 runs of four billion frames each, in 2.4 kB: a reader that expands them is done tomorrow. */
const withEndlessShifts = (bytes: Buffer): Buffer =>
  withTable(bytes, box('ctts', words(0, 300, ...Array.from({ length: 300 }, () => [0xffffffff, 0]).flat())))
const withEndlessTimes = (bytes: Buffer): Buffer => {
  const changed = withTable(bytes, box('ctts', words(0, 1, 1, 0)))
  changed.writeUInt32BE(0xffffffff, changed.indexOf('stts') + 12)
  return changed
}
/** A chunk that is said to hold four billion frames, each of which is looked for in it one by one. */
const withEndlessChunk = (bytes: Buffer): Buffer => {
  const changed = withTable(bytes, box('ctts', words(0, 1, 1, 0)))
  changed.writeUInt32BE(0xffffffff, changed.indexOf('stsc') + 16)
  return changed
}
const flipEvery = (bytes: Buffer, step: number, from: number): Buffer => {
  const changed = Buffer.from(bytes)
  for (let index = from; index < changed.length; index += step) changed[index] = (changed[index] ?? 0) ^ 0xff
  return changed
}

type Make = (good: Buffer) => Buffer
const video = (episode: number): string => `videos/chunk-000/observation.images.laptop/episode_00000${episode}.mp4`
const table = (episode: number): string => `data/chunk-000/episode_00000${episode}.parquet`
const info = 'meta/info.json'
const lines = 'meta/episodes.jsonl'

const cases: [name: string, changes: [file: string, make: Make][], expected: object][] = [
  [
    'videos that are play lists, or would fill the memory',
    [
      [video(0), () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
      [video(1), () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
      [video(2), withManyFrames],
    ],
    { status: 'succeeded', counts: { episodes_imported: 1, episodes_left_out: 3 } },
  ],
  [
    'videos whose tables never end',
    [
      [video(0), withEndlessShifts],
      [video(1), withEndlessTimes],
      [video(2), withEndlessChunk],
    ],
    {
      status: 'succeeded',
      counts: { episodes_imported: 1, episodes_left_out: 3 },
      findings: expect.arrayContaining([
        expect.objectContaining({ rule: 'video-unreadable', sentence: expect.stringContaining('ctts counts') }),
      ]),
    },
  ],
  [
    'videos of noise, cut, and empty',
    [
      [video(0), () => Buffer.concat([box('ftyp', Buffer.from('isom')), randomBytes(50_000)])],
      [video(1), (good) => good.subarray(0, good.length >> 1)],
      [video(2), () => Buffer.alloc(0)],
    ],
    { status: 'succeeded', counts: { episodes_imported: 1, episodes_left_out: 3 } },
  ],
  [
    'Parquet files that are cut, or whose footer lies',
    [
      [table(0), (good) => good.subarray(0, good.length >> 1)],
      [table(1), (good) => withFooterLength(good, 0x7fffffff)],
      [table(2), (good) => flipEvery(good, 7, good.length - 600)],
    ],
    { status: 'succeeded', counts: { episodes_imported: 1, episodes_left_out: 3 } },
  ],
  [
    'Parquet files of damaged pages, and of text',
    [
      [table(1), (good) => flipEvery(good, 97, 64)],
      [table(2), () => Buffer.from('PAR1 select * from read_text(/etc/passwd) PAR1')],
    ],
    { status: 'succeeded', counts: { episodes_imported: 2, episodes_left_out: 2 } },
  ],
  [
    'texts that no database keeps, and a video that does not say where its frames are',
    [
      [info, (good) => edit(good, { codebase_version: 'v2.1\0', robot_type: 'so\ud800' })],
      [video(0), (good) => Buffer.from(good.toString('latin1').replace('stco', 'free'), 'latin1')],
    ],
    { status: 'succeeded', counts: { episodes_imported: 3, episodes_left_out: 1 } },
  ],
  [
    'names that lead out',
    [[info, (good) => edit(good, { data_path: '../../../../../../etc/passwd', video_path: '/etc/passwd' })]],
    { status: 'failed', message: expect.stringContaining('not a path inside a dataset') },
  ],
  [
    'names of files without end',
    [[info, (good) => edit(good, { data_path: 'data/{episode_index:99999999999d}.parquet' })]],
    { status: 'failed', message: expect.stringContaining('No usable episode') },
  ],
  [
    'numbers without end',
    [[info, (good) => edit(good, { total_episodes: 1e15, chunks_size: 0, fps: 1e308 })]],
    { status: 'failed', message: expect.stringContaining('meta/info.json cannot be used') },
  ],
  [
    'brackets without end',
    [[info, () => Buffer.from('['.repeat(2_000_000))]],
    { status: 'failed', message: 'meta/info.json nests deeper than 64 levels.' },
  ],
  [
    'invalid lines that would control a terminal',
    [[lines, () => Buffer.from('\0\u001b]0;owned\u0007\u202e')]],
    { status: 'failed', message: expect.stringContaining('meta/episodes.jsonl') },
  ],
]

const edit = (bytes: Buffer, changes: object): Buffer =>
  Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString('utf8')), ...changes }))

describe('an import of', { timeout: 120_000 }, () => {
  let program: TestProgram
  let bearer: string
  let scratch: string
  let count = 0

  /** The fixture with some files changed, to its end. */
  const bring = async (folder: string, changes: [file: string, make: Make][]) => {
    const copy = join(scratch, String(++count))
    await cp(folder, copy, { recursive: true })
    for (const [file, make] of changes) await writeFile(join(copy, file), make(await readFile(join(copy, file))))
    const { id } = await createFixtureImport(program, bearer, { ...place, slug: `hostile-${count}`, folder: copy })
    const job = await waitForImport(program, bearer, place, id)
    const { body } = await program.call('GET', `${path}/${id}/report`, { bearer })
    const said = JSON.stringify([job, body])
    // Nothing of the machine: neither what the file asked for, nor where it was looked at.
    for (const secret of ['root:', `${program.context.config.NMP_DATA_DIR}/`, `${tmpdir()}/`])
      expect(said).not.toContain(secret)
    expect(job.attempt_count).toBe(1)
    expect(job.error_code).not.toBe('internal_error')
    if (job.status === 'failed') expect(job.error_message).toMatch(/^\P{Cc}{20,}\.$/u)
    const { counts, findings } = body.item
    return { status: job.status, message: job.error_message, counts, findings }
  }

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'nmp-hostile-'))
    program = await startProgram()
    bearer = await program.signIn(await program.addUser('ada@example.org'))
    program.startWorker({ backoff: { baseSeconds: 0.1, capSeconds: 0.1 } })
  })
  afterAll(async () => {
    await program?.close()
    await rm(scratch, { recursive: true, force: true })
  })

  test.each(cases)('%s', async (_, changes, expected) => {
    expect(await bring(join(lerobot, 'recorded-v2.1'), changes)).toMatchObject(expected)
  })

  test.each<[string, [string, Make][]]>([
    ['a PNG that would fill the memory', [[picture('front'), pngBomb]]],
    [
      'an SVG that asks for a file, and a JPEG that is cut',
      [
        [picture('front'), (good) => good.subarray(0, 200)],
        [picture('left'), () => Buffer.from('<svg><image href="file:///etc/passwd"/></svg>')],
      ],
    ],
  ])('%s, in the place of a frame', async (_, changes) => {
    const outcome = await bring(join(hdf5, 'agilex_paths'), changes)
    // One picture of a camera is not the episode's end: the one before it is repeated, and the report says so.
    const repeated = expect.objectContaining({ rule: 'picture-repeated' })
    expect(outcome).toMatchObject({ status: 'succeeded', findings: expect.arrayContaining([repeated]) })
  })

  test('an archive of nothing but empty files, which is unpacked where nobody waits for it', async () => {
    const copy = join(scratch, 'empty')
    await mkdir(copy)
    const files = Array.from({ length: 2001 }, (_, index) => ({ name: `n${index}` }))
    await writeFile(join(copy, 'set.zip'), writeZip(files))
    const { id } = await createFixtureImport(program, bearer, { ...place, slug: 'empty-files', folder: copy })
    const job = await waitForImport(program, bearer, place, id)
    expect(job).toMatchObject({ status: 'failed', error_code: 'archive_too_large', attempt_count: 1 })
    expect(job.error_message).toContain('set.zip contains very many empty files')
  })

  test('a good one after all of them is as ever', async () => {
    const job = await importFixture(program, bearer, { ...place, slug: 'good', folder: join(lerobot, 'recorded-v2.1') })
    expect(job).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  })
})

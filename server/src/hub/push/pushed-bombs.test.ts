import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  compressZerosByLz4,
  repeatValue,
  type WrittenColumn,
  writeParquet,
  writeSized,
} from '../../../../formats/test/parquet-pages.ts'
import { writeJpegHeader, writePng } from '../../../../formats/test/picture-bombs.ts'
import { enlargeFrames, enlargeHeader } from '../../../../formats/test/video-bombs.ts'
import { type Files, repeatEpisode, writeEpisode, writeV2, writeV3 } from '../../../test/bomb-sets.ts'
import { pushFiles, readPushedFolder } from '../../../test/hub-push.ts'
import { waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

/** What `imports/set-bombs.test.ts` uploads, pushed as clients of the Hub push: what reads a push before its import meets it first. */
const most = 2 ** 31 - 1
const imports = '/api/v1/orgs/ada/projects/default/imports'

let program: TestProgram
let session: string
let token: string
let count = 0

beforeAll(async () => {
  program = await startProgram()
  program.startWorker({ backoff: { baseSeconds: 0.1, capSeconds: 0.1 } })
  const ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
  token = await program.makeToken(ada, ['workspace:read', 'imports:write'])
})
afterAll(() => program?.close())

const tag = async (slug: string): Promise<number> => {
  const answer = await fetch(`${program.url}/hf/api/datasets/ada/${slug}/tag/main`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ tag: 'v2.1' }),
  })
  return answer.status
}

/** Commit, tag, and the import that follows, which ends at its first attempt. */
async function push(files: Files, store: 'lfs' | 'xet') {
  const slug = `bomb-${++count}`
  const pushed = [...files].map(([path, content]) => ({ path, content }))
  await pushFiles({ url: program.url, token }, `ada/${slug}`, pushed, 'main', store)
  expect(await tag(slug)).toBe(200)
  const { body } = await program.call('GET', `${imports}?q=${slug}`, { bearer: session })
  const job = await waitForImport(program, session, { org: 'ada', project: 'default' }, body.items[0].id)
  expect(job.attempt_count).toBe(1)
  const report = await program.call('GET', `${imports}/${job.id}/report`, { bearer: session })
  const { counts, findings } = report.body.item as {
    counts: { episodes_imported: number; episodes_left_out: number }
    findings: { episode: number | null; rule: string; sentence: string }[]
  }
  return { job, counts, findings }
}

const camera = { name: 'observation.images.front', type: 'bytes' } as const
const pictured = { [camera.name]: { dtype: 'image', shape: [48, 64, 3], names: ['height', 'width', 'channels'] } }
const show = (picture: Buffer): WrittenColumn => repeatValue(camera, writeSized(picture), 10)
const good = show(writePng({ width: 64, height: 48 }))

test.each(['lfs', 'xet'] as const)('tables and pictures that become gigabytes, or say so, by %s', async (store) => {
  const packed = compressZerosByLz4(64e6)
  const page = (codec: 'lz4' | 'framedLz4', announcedBytes: number): WrittenColumn => ({
    name: 'action',
    type: 'float',
    codec,
    pages: [{ valueCount: 10, body: packed, announcedBytes }],
  })
  const bombs: WrittenColumn[][] = [
    [page('lz4', 40)],
    [page('lz4', most)],
    [page('framedLz4', 40)],
    [show(writePng({ width: 65_000, height: 65_000, pixelBytes: 2_000_000 }))],
    [show(writeJpegHeader(65_500, 65_500))],
  ]
  const tables = [[], ...bombs].map((columns, episode) =>
    writeEpisode(episode, columns.some(({ name }) => name === camera.name) ? columns : [good, ...columns]),
  )
  const { job, counts, findings } = await push(writeV2([...tables, repeatEpisode(most)], pictured), store)
  expect([job.status, job.error_message]).toEqual(['succeeded', null])
  expect(counts).toMatchObject({ episodes_imported: 1, episodes_left_out: 6 })
  const told = findings.filter(({ episode, rule }) => episode !== null && /unreadable/.test(rule))
  expect(new Set(told.map(({ episode }) => episode))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
})

test('a table of two billion episodes, which is read before there is an import', async () => {
  const number = (name: string): WrittenColumn => repeatValue({ name, type: 'int64' }, Buffer.alloc(8), most)
  const table = writeParquet([number('episode_index'), number('length')], most)
  const { job } = await push(writeV3({ 'meta/episodes/chunk-000/file-000.parquet': table }), 'lfs')
  expect([job.status, job.error_code]).toEqual(['failed', 'limit_exceeded'])
})

test('videos whose headers name 65,535 by 65,535 pixels, or whose stream asks for hundreds of megapixels', async () => {
  const folder = join(import.meta.dirname, '../../../../formats/test/golden/lerobot/v2.1-pandas-output')
  const change: Record<string, (bytes: Buffer) => Buffer> = {
    'episode_000001.mp4': enlargeHeader,
    'episode_000002.mp4': (bytes) => enlargeFrames(enlargeHeader(bytes), 4000, 4000),
  }
  const files: Files = new Map()
  for (const { path, content } of await readPushedFolder(folder))
    if (path !== 'expected.json') files.set(path, change[path.split('/').at(-1) ?? '']?.(content) ?? content)
  const { job, counts, findings } = await push(files, 'lfs')
  expect([job.status, job.error_message]).toEqual(['succeeded', null])
  // The frames are what the stream says, whatever the container around it does.
  expect(counts).toMatchObject({ episodes_imported: 2, episodes_left_out: 1 })
  expect(findings).toContainEqual(expect.objectContaining({ rule: 'video-unreadable', episode: 2 }))
})

test('an HDF5 bomb is kept as a plain file that nobody reads, and its codebase tag is refused', async () => {
  const bomb = await readFile(join(import.meta.dirname, '../../../../formats/test/golden/hdf5-bombs/shape-bomb.h5'))
  await pushFiles({ url: program.url, token }, 'ada/plain', [{ path: 'data/a.hdf5', content: bomb }])
  expect(await tag('plain')).toBe(400)
  const { body } = await program.call('GET', `${imports}?q=plain`, { bearer: session })
  expect(body.items).toEqual([])
})

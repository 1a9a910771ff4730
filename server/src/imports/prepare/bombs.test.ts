import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writePictureEpisode } from '../../../../formats/test/hdf5-bombs.ts'
import { writeJpegHeader, writePng } from '../../../../formats/test/picture-bombs.ts'
import { uploadBytes, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { writeZip } from '../../../test/zip-writer.ts'

/** Files of some kilobytes that say they are gigabytes, or become them, sent as anybody sends a source. */
let program: TestProgram
let bearer: string
const place = { org: 'ada', project: 'default' }

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  program.startWorker()
})
afterAll(() => program?.close())

const zeros = Buffer.alloc(64 * 1024 * 1024)
const hdf5Bomb = (name: string) => () =>
  readFile(fileURLToPath(new URL(`../../../../formats/test/golden/hdf5-bombs/${name}`, import.meta.url)))

const tarOf = (name: string, content: Buffer): Promise<Buffer> => {
  const tar = pack()
  tar.entry({ name }, content)
  tar.finalize()
  return buffer(tar as unknown as Readable)
}

const bombs: { what: string; file: string; make(): Promise<Buffer>; code: string | null }[] = [
  {
    what: 'a zip of zeros',
    file: 'set.zip',
    make: async () => writeZip([{ name: 'data/a.hdf5', content: zeros }]),
    code: 'archive_too_large',
  },
  {
    what: 'a tar.gz of zeros',
    file: 'set.tar.gz',
    make: async () => gzipSync(await tarOf('data/a.hdf5', zeros)),
    code: 'archive_too_large',
  },
  {
    what: 'an HDF5 file whose chunk is larger than the memory',
    file: 'a.hdf5',
    make: hdf5Bomb('chunk-bomb.h5'),
    // The other arrays of the file make a dataset; this one is left out and named.
    code: null,
  },
  {
    what: 'an HDF5 file that announces more than any disk holds',
    file: 'a.hdf5',
    make: hdf5Bomb('shape-bomb.h5'),
    code: 'limit_exceeded',
  },
]

test.each(bombs)('$what is refused with its reason, and the program goes on', async ({ file, make, code }) => {
  const bytes = new Uint8Array(await make())
  expect(bytes.byteLength).toBeLessThan(1024 * 1024)
  const slug = `bomb-${bombs.findIndex((bomb) => bomb.make === make)}`
  const answer = await program.call('POST', `/api/v1/orgs/ada/projects/default/imports`, {
    bearer,
    body: { source_kind: 'hdf5', dataset_slug: slug, upload_ids: [await uploadBytes(program, bearer, file, bytes)] },
  })
  const job = await waitForImport(program, bearer, place, answer.body.item.id)
  expect([job.status, job.error_code]).toEqual([code ? 'failed' : 'succeeded', code])
  if (code) expect(job.error_message).toMatch(/\.$/)
  else {
    const report = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${job.id}/report`, { bearer })
    expect(JSON.stringify(report.body)).toContain('its chunks have')
  }
  expect((await program.call('GET', '/readyz')).status).toBe(200)
})

/** Several files as one import, which ends at its first attempt and leaves out what it must. */
async function bringFiles(dataset_slug: string, upload_ids: string[]) {
  const body = { source_kind: 'hdf5', dataset_slug, upload_ids }
  const { id } = (await program.call('POST', '/api/v1/orgs/ada/projects/default/imports', { bearer, body })).body.item
  const job = await waitForImport(program, bearer, place, id)
  const report = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${id}/report`, { bearer })
  expect([job.status, job.error_message, job.attempt_count]).toEqual(['succeeded', null, 1])
  return report.body.item as {
    episodes: { source_id: string; outcome: string }[]
    findings: { rule: string; sentence: string }[]
  }
}

test('HDF5 files whose stored chunks become gigabytes, or say so, by whatever filter', async () => {
  const plugins = ['bzip2', 'lz4', 'lz4-gigabyte', 'bitshuffle', 'zstd', 'blosc', 'blosc2', 'lzf']
  const filters = ['none', 'gzip', 'scaleoffset', 'scaleoffset-gigabyte', 'nbit', 'szip', ...plugins]
  const upload_ids: string[] = []
  for (const filter of filters) {
    const bytes = new Uint8Array(await hdf5Bomb(`filter-${filter}.h5`)())
    upload_ids.push(await uploadBytes(program, bearer, `${filter}.hdf5`, bytes))
  }
  const { episodes, findings } = await bringFiles('filters', upload_ids)
  // What gzip goes on to give behind the end of its chunk is a quarter of what its process may use, and not looked at.
  const imported = episodes.filter(({ outcome }) => outcome === 'imported').map(({ source_id }) => source_id)
  expect(imported.toSorted()).toEqual(['gzip', 'none'])
  const told = findings.filter(({ rule }) => rule === 'episode-file-unreadable').map(({ sentence }) => sentence)
  for (const filter of filters.filter((name) => !imported.includes(name)))
    expect(told).toContainEqual(expect.stringContaining(`${filter}.hdf5: `))
})

test('HDF5 files whose pictures say that they have billions of pixels', async () => {
  const good = writePng({ width: 64, height: 48 })
  const png = writePng({ width: 65_000, height: 65_000, pixelBytes: 2_000_000 })
  const jpeg = writeJpegHeader(65_500, 65_500)
  const sources: Record<string, Buffer[]> = {
    good: [good, good, good, good, good, good],
    'later-png': [good, good, png, good, good, good],
    'later-jpeg': [good, good, jpeg, good, good, good],
    'only-png': Array(6).fill(png),
    'only-jpeg': Array(6).fill(jpeg),
  }
  const upload_ids: string[] = []
  for (const [name, pictures] of Object.entries(sources))
    upload_ids.push(
      await uploadBytes(program, bearer, `${name}.hdf5`, new Uint8Array(await writePictureEpisode(pictures))),
    )
  const { episodes, findings } = await bringFiles('pictures', upload_ids)
  expect(episodes.map(({ outcome }) => outcome).toSorted()).toEqual([
    'imported',
    'left_out',
    'left_out',
    'repaired',
    'repaired',
  ])
  const told = findings.map(({ sentence }) => sentence)
  for (const name of ['later-png', 'later-jpeg'])
    expect(told).toContainEqual(expect.stringContaining(`${name}: frame 2 of observation.images.top cannot be read`))
  for (const name of ['only-png', 'only-jpeg'])
    expect(told).toContainEqual(expect.stringContaining(`${name} is left out`))
})

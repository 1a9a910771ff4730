import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixtureImport, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

const golden = fileURLToPath(new URL('../../../../formats/test/golden', import.meta.url))
const place = { org: 'ada', project: 'default' }
let program: TestProgram
let bearer: string
let scratch: string

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  scratch = await mkdtemp(join(tmpdir(), 'nmp-reports-test-'))
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await rm(scratch, { recursive: true, force: true })
})

async function importAnd(slug: string, folder: string) {
  const created = await createFixtureImport(program, bearer, { ...place, slug, folder })
  const job = await waitForImport(program, bearer, place, created.id)
  const path = `/api/v1/orgs/ada/projects/default/imports/${job.id}/report`
  return { job, report: (await program.call('GET', path, { bearer })).body.item }
}

test('a failed import lists the episodes that its metadata names, each with the reason why it was left out', async () => {
  const { job, report } = await importAnd('all-bad', join(golden, 'lerobot/refused-all-episodes-bad'))
  expect(job.status).toBe('failed')
  expect(report.counts).toMatchObject({
    episodes_found: 3,
    episodes_imported: 0,
    episodes_left_out: 3,
    errors: 3,
  })
  expect(report.episodes).toHaveLength(3)
  for (const [index, episode] of report.episodes.entries()) {
    expect(episode).toMatchObject({
      source_index: index,
      source_id: String(index),
      episode_index: null,
      length_frames: [4, 6, 5][index],
      outcome: 'left_out',
    })
    expect(episode.notes.join(' ')).toMatch(
      new RegExp(`^Episode ${index} is left out: .*episode_00000${index}\\.parquet`),
    )
  }
})

test('so does one whose episodes turn out to be bad only while they are written', async () => {
  const folder = join(scratch, 'pictures')
  await mkdir(folder)
  for (const number of [0, 7])
    await cp(join(golden, 'hdf5/pictures-bad/source/episode_0.hdf5'), join(folder, `episode_${number}.hdf5`))
  const { job, report } = await importAnd('all-pictures-bad', folder)
  expect(job.error_message).toContain('The report says why each episode and file was left out.')
  expect(report.counts).toMatchObject({ episodes_found: 2, episodes_left_out: 2, episodes_imported: 0 })
  expect(report.episodes).toMatchObject([
    { source_index: 0, source_id: 'episode_0', length_frames: 8, outcome: 'left_out' },
    { source_index: 1, source_id: 'episode_7', length_frames: 8, outcome: 'left_out' },
  ])
  for (const { notes } of report.episodes) expect(notes.join(' ')).toContain('cannot be read')
})

test('one unreadable picture of nine is repeated, with a finding, and its episode is imported', async () => {
  const { job, report } = await importAnd('one-of-nine', join(golden, 'hdf5/picture-bad-in-nine/source'))
  expect(job.status).toBe('succeeded')
  expect(report.counts).toMatchObject({ episodes_imported: 1, episodes_repaired: 1, episodes_left_out: 0, frames: 9 })
  expect(report.episodes).toMatchObject([{ source_id: 'episode_0', outcome: 'repaired', length_frames: 9 }])
  expect(report.findings).toContainEqual({
    rule: 'picture-repeated',
    severity: 'warning',
    episode: 0,
    sentence: 'episode_0: frame 4 of observation.images.top cannot be read; the one before it is repeated.',
  })
})

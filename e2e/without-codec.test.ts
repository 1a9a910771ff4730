import { join } from 'node:path'
import { type Client, createClient, JobError } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { downloadVersion } from '@nmp/sdk/node-versions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { installWithoutCodec } from './other-checkouts.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const place = { org_slug: 'admin', project_slug: 'default' }
const said = /node-av is not installed.*npm ci/

let program: Program
let bearer: string
let client: Client
let datasetId: string

beforeAll(async () => {
  program = await startProgram({ folder: await installWithoutCodec() })
  bearer = await program.mustAdmin('session', 'admin@localhost')
  client = createClient({ baseUrl: program.url, token: bearer })
})
afterAll(cleanUp)

const importFiles = async (kind: 'lerobot' | 'hdf5', fixture: string, slug: string) => {
  const uploads = await uploadPaths(client.transport, [getFixture(fixture)], {
    orgSlug: 'admin',
    projectSlug: 'default',
  })
  const body = { source_kind: kind, dataset_slug: slug, upload_ids: uploads.map(({ id }) => id) }
  return client.imports.createAndWait({ ...place, body })
}

const derive = async (slug: string, recipe: Record<string, unknown>) => {
  const { item } = await client.versions.createVersion({
    org_slug: 'admin',
    body: { slug, name: slug, source: { dataset_kind: 'catalog', dataset_id: datasetId }, recipe },
  })
  return { org_slug: 'admin', version_id: item.id }
}

test('it starts and says what is not there', () => {
  expect(program.output()).toMatch(/codec\s+not installed/)
})

test('recordings with videos are imported, shown as they are, and exported by copying packets', async () => {
  const job = await importFiles('lerobot', 'lerobot/recorded-v3.0-two-cameras', 'as-recorded')
  expect(job).toMatchObject({ status: 'succeeded', consistency_status: 'ok' })
  datasetId = job.dataset_id ?? ''
  const { item: report } = await client.imports.getImportReport({ ...place, job_id: job.id })
  const findings = report.findings.filter(({ rule }) => rule === 'camera-not-measured')
  expect(findings).toHaveLength(2)
  for (const { sentence } of findings) expect(sentence).toMatch(said)
  const input = await derive('some', { selected_episode_indices: [1, 0] })
  const made = await client.exports.createAndWait(input)
  const good = await downloadVersion(client, input, join(await makeFolder(), 'some.tar'))
  expect(good.sha256).toBe(made.checksum_sha256)
})

test('what needs pixels is refused by a sentence and a code, and what does not is served', async () => {
  const { item: media } = await client.catalog.getEpisodeMedia({ dataset_id: datasetId, episode_index: 1 })
  for (const { url, clip_url: clip, poster_url: poster, sprite_url: sprite } of media.streams) {
    const film = await fetch(url ?? '', { headers: { range: 'bytes=0-99' } })
    expect(film.status).toBe(206)
    expect((await fetch(clip ?? '')).status).toBe(200)
    for (const picture of [poster, sprite]) {
      const answer = await fetch(picture ?? '')
      expect(answer.status).toBe(501)
      expect(await answer.json()).toMatchObject({ code: 'codec_missing', detail: expect.stringMatching(said) })
    }
  }
  const { item: measured } = await client.catalog.getFeatureStatistics({ dataset_id: datasetId })
  expect(measured.features.find(({ name }) => name === 'action')?.count).toBe(313)
  expect(measured.features.filter(({ name }) => name.startsWith('observation.images'))).toEqual([])
})

test('exports with changed pixels and recordings that have to be encoded fail once, with the reason', async () => {
  const cropped = await derive('cropped', { crop: { left_pct: 0, top_pct: 0, width_pct: 50, height_pct: 50 } })
  const exported = await client.exports.createAndWait(cropped).catch((error: unknown) => error)
  expect(exported).toBeInstanceOf(JobError)
  expect((exported as JobError).job).toMatchObject({ status: 'failed', error_message: expect.stringMatching(said) })
  const refused = importFiles('hdf5', 'hdf5/robomimic_0.5_lift_image.hdf5', 'pictures')
  const imported = await refused.catch((error: unknown) => error)
  expect(imported).toBeInstanceOf(JobError)
  expect((imported as JobError).job).toMatchObject({
    status: 'failed',
    attempt_count: 1,
    error_code: 'codec_missing',
    error_message: expect.stringMatching(said),
  })
})

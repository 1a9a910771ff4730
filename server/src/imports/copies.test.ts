import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { prepareDataset, publishPrepared } from '../../test/published-dataset.ts'
import { makeRichRecording, richCameras } from '../../test/rich-recording.ts'
import { deleteDatasetsPastGrace } from '../datasets/service.ts'
import type { User } from '../identity/users/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const [front] = richCameras
const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const crop = { left_pct: 0, top_pct: 0, width_pct: 70, height_pct: 90 }
const changed = { selected_episode_indices: [1, 3, 4], camera_keys: [front], crop, action: { smoothing_window: 3 } }

let program: TestProgram
let exporter: Exporter
let place: { orgId: string; projectId: string }
let admin: User
let bearer: string
let sources = 0

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  await createProject(db, 'operator', { orgId: org.id, slug: 'other', name: 'Other' })
  place = { orgId: org.id, projectId: project.id }
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  program.startWorker({ sweepSeconds: 0.5 })
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const call = (method: string, path: string, body?: unknown, who = bearer, headers: Record<string, string> = {}) =>
  program.call(method, path, { bearer: who, headers, ...(body === undefined ? {} : { body }) })
const projectPath = (project: string) => `/api/v1/orgs/acme/projects/${project}`
const catalog = (id: string, rest = '') => call('GET', `/api/v1/catalog/datasets/${id}${rest}`)
const copy = (id: string, body: object, who = bearer) => call('POST', `${versionsPath}/${id}/copy`, body, who)

let prepared: ReturnType<typeof prepareDataset> | undefined

async function addSource(): Promise<{ slug: string; id: string }> {
  prepared ??= prepareDataset(makeRichRecording([9, 6, 7, 5, 8]), 'h264')
  const slug = `source-${sources++}`
  const { datasetId } = await publishPrepared(program.context, await prepared, { ...place, slug })
  return { slug, id: datasetId }
}

async function waitForImport(job: { id: string; project_slug: string; org_slug: string }, who = bearer) {
  for (;;) {
    const path = `/api/v1/orgs/${job.org_slug}/projects/${job.project_slug}/imports/${job.id}`
    const { body } = await call('GET', path, undefined, who)
    if (['succeeded', 'failed', 'canceled'].includes(body.item.status)) return body.item
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** What a dataset or an exported version consists of, but for the words about it and the list of where its episodes came from. */
async function listFiles(id: string): Promise<Record<string, string>> {
  const { body } = await catalog(id, '/files')
  return Object.fromEntries(
    body.items
      .map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256])
      .filter(([path = '']: string[]) => !['README.md', 'meta/nmp-episodes.parquet'].includes(path)),
  )
}

describe('a copy of a version', () => {
  test('is file for file what its export is, and stays when the version and its source are gone', async () => {
    const source = await addSource()
    const card = { title: 'The arm', licence: 'cc-by-4.0', tags: ['arm', 'lab'], description: 'Picks.' }
    expect((await call('PATCH', `${projectPath('lab')}/datasets/${source.slug}`, card)).status).toBe(200)
    const parent = await exporter.derive(source.id, { excluded_episode_indices: [0] }, 'parent')
    const recipe = { ...changed, selected_episode_indices: [0, 2, 3], notes: 'the good ones' }
    const version = await exporter.derive(parent.id, recipe, 'good')
    expect((await call('PATCH', `${versionsPath}/${version.id}`, { tags: ['good'] })).status).toBe(200)
    const flags = [{ episode_index: 1, reason: 'shaky', note: 'at the end', start_frame: 2, end_frame: 4 }]
    expect((await call('PUT', `${versionsPath}/${version.id}/flags`, { items: flags })).status).toBe(200)
    const set = { name: 'review', episodes: [{ episode_index: 2, success: false, tags: ['slow'] }] }
    expect((await call('POST', `${versionsPath}/${version.id}/annotation-sets`, set)).status).toBe(201)

    const asked = await copy(version.id, { dataset_slug: 'the-copy' })
    expect([asked.status, asked.body.item.status, asked.body.item.progress_phase]).toEqual([202, 'queued', 'wait'])
    expect(asked.body.item).toMatchObject({
      source_kind: 'version',
      dataset_slug: 'the-copy',
      title: 'Curated',
      retry_after: null,
      progress_message: expect.stringMatching(/^Waiting for the files of the version: its export exp_\w+ is queued\.$/),
      copied_from: {
        version_id: version.id,
        slug: 'good',
        version: 1,
        source: { dataset_id: parent.id, dataset_kind: 'version' },
        recipe: { crop, notes: 'the good ones' },
        composition: [{ version_id: parent.id, recipe: { excluded_episode_indices: [0] } }],
        recipe_sha256: version.checksums.recipe_sha256,
      },
    })
    const job = await waitForImport(asked.body.item)
    expect(job, job.error_message).toMatchObject({ status: 'succeeded', progress_pct: 100, attempt_count: 1 })
    const made = await listFiles(version.id)
    expect(Object.keys(made).filter((path) => path.endsWith('.mp4'))).toHaveLength(1)
    expect(await listFiles(job.dataset_id)).toEqual(made)

    const path = `${projectPath('lab')}/datasets/the-copy`
    const record = (await call('GET', path)).body.item
    expect(record).toMatchObject({
      title: 'Curated',
      licence: 'cc-by-4.0',
      tags: ['good'],
      description: 'Picks.',
      source_kind: 'version',
    })
    const manifest = (await catalog(job.dataset_id)).body.item
    expect(manifest.metrics).toMatchObject({ total_episodes: 3, split_names: ['train', 'val'] })
    expect((await call('GET', `${path}/flags`)).body.items).toMatchObject([
      { ...flags[0], created_by: admin.id, created_by_name: 'ada@example.org' },
    ])
    expect(manifest.annotation.keys).toEqual(expect.arrayContaining(['review/success', 'review/tags']))
    const report = (await call('GET', `${projectPath('lab')}/imports/${job.id}/report`)).body.item
    expect(report).toMatchObject({
      outcome: 'succeeded',
      source: { kind: 'version' },
      counts: { episodes_imported: 3 },
    })

    for (const id of [version.id, parent.id]) expect((await call('DELETE', `${versionsPath}/${id}`)).status).toBe(200)
    const gone = `${projectPath('lab')}/datasets/${source.slug}`
    expect((await call('DELETE', `${gone}?confirm=${source.slug}`)).status).toBe(200)
    const { db } = program.context
    const past = new Date(Date.now() - 30 * 86_400_000)
    await db.updateTable('datasets').set({ deletion_requested_at: past }).where('id', '=', source.id).execute()
    expect(await deleteDatasetsPastGrace(db)).toBe(1)
    expect(await listFiles(job.dataset_id)).toEqual(made)
    const media = (await catalog(job.dataset_id, '/episodes/2/media')).body.item
    const film = await fetch(new URL(media.streams[0].url, program.url), { headers: { range: 'bytes=0-99' } })
    expect([film.status, (await film.arrayBuffer()).byteLength]).toEqual([206, 100])
    const kept = (await call('GET', `${projectPath('lab')}/imports/${job.id}`)).body.item
    expect(kept.copied_from).toEqual(asked.body.item.copied_from)
  }, 120_000)
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { prepareDataset, publishPrepared } from '../../../test/published-dataset.ts'
import { makeRichRecording, richCameras } from '../../../test/rich-recording.ts'
import { waitUntil } from '../../../test/wait-until.ts'
import { deleteDatasetsPastGrace } from '../../datasets/service.ts'
import { wakeOrphanedCopies } from '../../exports/waiting-copies.ts'
import type { User } from '../../identity/users/service.ts'
import type { Worker } from '../../jobs/worker.ts'
import { putProjectMember } from '../../organizations/members/service.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../../organizations/service.ts'

const [front] = richCameras
const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const crop = { left_pct: 0, top_pct: 0, width_pct: 70, height_pct: 90 }
const changed = { selected_episode_indices: [1, 3, 4], camera_keys: [front], crop, action: { smoothing_window: 3 } }

let program: TestProgram
let exporter: Exporter
let place: { orgId: string; projectId: string }
let admin: User
let bearer: string
let worker: Worker
let sources = 0

/** For workers that are killed: whoever comes after them waits for no longer lease. */
const quick = {
  leaseSeconds: 1.5,
  heartbeatSeconds: 0.3,
  sweepSeconds: 0.3,
  backoff: { baseSeconds: 0.1, capSeconds: 0.2 },
}

beforeAll(async () => {
  program = await startProgram({ NMP_ORG_QUOTA_BYTES: '1000000000' })
  const { db } = program.context
  admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  await createProject(db, 'operator', { orgId: org.id, slug: 'other', name: 'Other' })
  place = { orgId: org.id, projectId: project.id }
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  worker = program.startWorker({ sweepSeconds: quick.sweepSeconds, backoff: quick.backoff })
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
  const path = `/api/v1/orgs/${job.org_slug}/projects/${job.project_slug}/imports/${job.id}`
  return waitUntil(async () => {
    const { body } = await call('GET', path, undefined, who)
    return ['succeeded', 'failed', 'canceled'].includes(body.item.status) ? body.item : undefined
  })
}

async function copyAndWait(id: string, body: object, who = bearer) {
  const answer = await copy(id, body, who)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  const job = await waitForImport(answer.body.item, who)
  expect(job, job.error_message).toMatchObject({ status: 'succeeded', source_kind: 'version' })
  return job
}

/** A worker process that dies when its job says that it is in this phase. */
function startTrapped(phase: string): ChildProcess {
  const { connection, config } = program.context
  const trap = { phase, signal: 'SIGKILL' }
  const options = { connection, dataFolder: config.NMP_DATA_DIR, settings: quick, concurrency: 2, trap }
  const entry = join(import.meta.dirname, '../../../test/job-worker.ts')
  return spawn(process.execPath, [entry, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function withoutWorker<T>(work: () => Promise<T>): Promise<T> {
  await worker.stop(5)
  try {
    return await work()
  } finally {
    worker = program.startWorker({ sweepSeconds: quick.sweepSeconds, backoff: quick.backoff })
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
  test('goes where its maker may write, out of what they may read, and nowhere else', async () => {
    const { db } = program.context
    const source = await addSource()
    const version = await exporter.derive(source.id, { first_n_episodes: 1 }, 'shared')
    const viewer = await program.addUser('vera@example.org')
    await addOrgMember(db, place.orgId, viewer.id, 'member')
    await putProjectMember(db, 'operator', place, viewer.id, 'viewer')
    const who = await program.signIn(viewer)
    const refused = await copy(version.id, { dataset_slug: 'mine' }, who)
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role'])
    expect((await copy(version.id, { dataset_slug: 'mine', project_slug: 'other' }, who)).status).toBe(404)
    const target = { org_slug: 'vera', project_slug: 'default', dataset_slug: 'mine' }
    const halfNamed = await copy(version.id, { org_slug: 'vera', dataset_slug: 'mine' }, who)
    expect([halfNamed.status, halfNamed.body.detail[0].loc]).toEqual([422, ['body', 'project_slug']])
    const flags = [{ episode_index: 0, reason: 'idle' }]
    expect((await call('PUT', `${versionsPath}/${version.id}/flags`, { items: flags })).status).toBe(200)

    const job = await copyAndWait(version.id, { ...target, title: 'Mine now' }, who)
    expect(job).toMatchObject({ org_slug: 'vera', project_slug: 'default', title: 'Mine now' })
    const carried = await call('GET', '/api/v1/orgs/vera/projects/default/datasets/mine/flags', undefined, who)
    // Names of people stay in their organization.
    expect(carried.body.items).toMatchObject([{ ...flags[0], created_by: viewer.id }])

    const stranger = await program.addUser('sam@example.org')
    const sam = await program.signIn(stranger)
    const ownPlace = { org_slug: 'sam', project_slug: 'default', dataset_slug: 'found' }
    expect((await copy(version.id, ownPlace, sam)).status).toBe(404)
    expect((await call('PATCH', `${versionsPath}/${version.id}`, { visibility: 'public' })).status).toBe(200)
    const found = await copyAndWait(version.id, ownPlace, sam)
    const bare = await call('GET', '/api/v1/orgs/sam/projects/default/datasets/found/flags', undefined, sam)
    expect(bare.body.items).toEqual([])
    expect(found.copied_from).toMatchObject({ version_id: version.id, org_slug: 'acme' })
    expect((await copy(source.id, { dataset_slug: 'no-version' })).status).toBe(404)
  }, 120_000)

  test('is asked for once under a key, takes no name of a version, and needs an active project', async () => {
    const source = await addSource()
    const version = await exporter.derive(source.id, { first_n_episodes: 1 }, 'keyed')
    const taken = await copy(version.id, { dataset_slug: 'keyed' })
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken'])
    // Nothing of a refused copy is left, and no export was begun for it.
    expect(await exporter.findArtifact(version.id)).toMatchObject({ status: 'planned' })
    const body = { dataset_slug: 'keyed-copy', idempotency_key: 'once' }
    const first = await copy(version.id, body)
    const second = await copy(version.id, body)
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([202, 200, 'true'])
    expect(second.body.item.id).toBe(first.body.item.id)
    const other = await copy(version.id, { ...body, dataset_slug: 'another' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reuse'])
    expect(await waitForImport(first.body.item)).toMatchObject({ status: 'succeeded' })

    // Again into the same dataset: its next revision, out of what is stored.
    const again = await copyAndWait(version.id, { dataset_slug: 'keyed-copy' })
    expect(again.dataset_id).toBe((await waitForImport(first.body.item)).dataset_id)
    const { body: revisions } = await call('GET', `${projectPath('lab')}/datasets/keyed-copy/revisions`)
    expect(revisions.items.map(({ number }: { number: number }) => number)).toEqual([2, 1])
    expect((await call('PATCH', projectPath('other'), { status: 'archived' })).status).toBe(200)
    const archived = await copy(version.id, { dataset_slug: 'late', project_slug: 'other' })
    expect([archived.status, archived.body.code]).toEqual([409, 'conflict'])
    expect((await call('PATCH', projectPath('other'), { status: 'active' })).status).toBe(200)
  }, 120_000)

  test('whose export is canceled fails with a sentence, and a retry has it made', async () => {
    const source = await addSource()
    const version = await exporter.derive(source.id, changed, 'stopped')
    const failed = await withoutWorker(async () => {
      const { body } = await copy(version.id, { dataset_slug: 'stopped-copy' })
      const { job_id: exportId } = await exporter.findArtifact(version.id)
      const stopped = await call('POST', `${versionsPath}/${version.id}/export-jobs/${exportId}/cancel`)
      expect(stopped.body.item.status).toBe('canceled')
      return body.item
    })
    expect(await waitForImport(failed)).toMatchObject({
      status: 'failed',
      error_code: 'export_failed',
      error_message: 'The export of the version did not succeed. It was canceled. Retry the copy to export it again.',
    })
    const path = `${projectPath('lab')}/imports/${failed.id}/retry`
    expect((await call('POST', path, { options: { video_codec: 'av1' } })).status).toBe(422)
    const retried = await call('POST', path, {})
    expect(retried.body.item).toMatchObject({ retry_of: failed.id, copied_from: { version_id: version.id } })
    expect(await waitForImport(retried.body.item)).toMatchObject({ status: 'succeeded' })
    expect((await call('DELETE', `${versionsPath}/${version.id}`)).status).toBe(200)
    const late = await call('POST', path, {})
    expect([late.status, late.body.detail]).toEqual([
      409,
      'The version that was copied was deleted, or you may no longer read it.',
    ])
  }, 120_000)

  test('of a version that is deleted while it waits fails at once; one that is canceled ends there', async () => {
    const source = await addSource()
    const { db } = program.context
    const [doomed, orphan, left] = await withoutWorker(async () => {
      const version = await exporter.derive(source.id, changed, 'doomed')
      const waiting = (await copy(version.id, { dataset_slug: 'doomed-copy' })).body.item
      const other = (await copy(version.id, { dataset_slug: 'left-copy' })).body.item
      const canceled = await call('POST', `${projectPath('lab')}/imports/${other.id}/cancel`)
      expect(canceled.body.item.status).toBe('canceled')
      expect((await call('DELETE', `${versionsPath}/${version.id}`)).status).toBe(200)
      const gone = await exporter.derive(source.id, changed, 'gone')
      const alone = (await copy(gone.id, { dataset_slug: 'gone-copy', project_slug: 'other' })).body.item
      // As with a project: nobody told the copy.
      await db.deleteFrom('versions').where('id', '=', gone.id).execute()
      expect([await wakeOrphanedCopies(db), await wakeOrphanedCopies(db)]).toEqual([1, 0])
      return [waiting, alone, other]
    })
    for (const job of [doomed, orphan])
      expect(await waitForImport(job)).toMatchObject({
        status: 'failed',
        error_message: 'The version was deleted before its files were made.',
      })
    const ids = [doomed.id, orphan.id, left.id]
    const held = db.selectFrom('blob_references').select('owner_id').where('owner_id', 'in', ids)
    expect(await held.where('owner_kind', '=', 'import-source').execute()).toEqual([])
  }, 60_000)

  test('goes on after its worker was killed, and needs the version no more once it was begun', async () => {
    const source = await addSource()
    const version = await exporter.derive(source.id, { selected_episode_indices: [0, 2] }, 'killed')
    await exporter.exportVersion(version)
    const made = await listFiles(version.id)
    const job = await withoutWorker(async () => {
      const { body } = await copy(version.id, { dataset_slug: 'killed-copy' })
      expect(body.item).toMatchObject({ status: 'queued', progress_phase: null })
      expect((await call('DELETE', `${versionsPath}/${version.id}`)).status).toBe(200)
      expect(await once(startTrapped('convert'), 'exit')).toEqual([null, 'SIGKILL'])
      return body.item
    })
    expect(await waitForImport(job)).toMatchObject({ status: 'succeeded', attempt_count: 2, error_message: null })
    const { body } = await call('GET', `${projectPath('lab')}/datasets/killed-copy`)
    expect(await listFiles(body.item.id)).toEqual(made)
  }, 120_000)

  test('is refused where the organization has no room for it, and leaves nothing', async () => {
    const { db } = program.context
    const source = await addSource()
    const version = await exporter.derive(source.id, { selected_episode_indices: [4] }, 'large')
    await exporter.exportVersion(version)
    const tiny = await createOrg(db, 'operator', { slug: 'tiny', name: 'Tiny', adminUserId: admin.id })
    await createProject(db, 'operator', { orgId: tiny.id, slug: 'desk', name: 'Desk' })
    const body = { dataset_slug: 'no', org_slug: 'tiny', project_slug: 'desk' }
    const sha256 = 'f'.repeat(64)
    await db.insertInto('blobs').values({ sha256, size_bytes: 999_999_999, store_key: 'full' }).execute()
    const full = { owner_kind: 'test', owner_id: 'full', logical_path: 'full', sha256, org_id: tiny.id }
    await db.insertInto('blob_references').values(full).execute()
    const answer = await copy(version.id, body)
    expect([answer.status, answer.body.code]).toEqual([413, 'quota_exceeded'])
    expect(answer.body.detail).toMatch(/^With the copy the organization would have \d+ of 1000000000 bytes\./)
    expect((await call('GET', '/api/v1/orgs/tiny/projects/desk/imports')).body.items).toEqual([])
  }, 60_000)
})

import { join } from 'node:path'
import type { Dataset } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { prepareDataset, prepareRecording, publishArm, publishPrepared } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const orgPath = '/api/v1/orgs/diff-lab'
const lengths = [6, 5, 9, 7]

let program: TestProgram
let bearer: string
let place: { orgId: string; projectId: string }
let arm: { datasetId: string; revisionId: string }

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
const ask = async (from: string, to: string, more = '') =>
  (await call('GET', `${orgPath}/diff?from=${from}&to=${to}${more}`)).body.item

/** What a job has to read first is waited for. */
const diff = (from: string, to: string) =>
  waitUntil(async () => {
    const item = await ask(from, to)
    if (item.state === 'failed') throw new Error(JSON.stringify(item.preparing))
    return item.state === 'ready' ? item : undefined
  })

const derive = async (slug: string, recipe: object, source = arm.datasetId): Promise<string> => {
  const kind = source.startsWith('ver_') ? 'version' : 'catalog'
  const body = { slug, name: slug, source: { dataset_kind: kind, dataset_id: source }, recipe }
  const answer = await call('POST', `${orgPath}/derived-dataset-versions`, body)
  expect(answer.status).toBe(201)
  return answer.body.item.id
}

describe('what differs between two', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { db } = program.context
    const admin = await program.addUser('diff-admin@example.org')
    const org = await createOrg(db, 'operator', { slug: 'diff-lab', name: 'Lab', adminUserId: admin.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    bearer = await program.signIn(admin)
    place = { orgId: org.id, projectId: project.id }
    arm = await publishArm(program.context, { ...place, slug: 'arm' }, lengths)
  }, 120_000)
  afterAll(() => program.close())

  test('a revision without fingerprints is read by a job, and nothing is called the same before', async () => {
    const before = await ask(arm.datasetId, arm.revisionId)
    expect(before).toMatchObject({ state: 'preparing', counts: null, episodes: null, features: null, statistics: null })
    expect(before.preparing).toMatchObject([
      { side: 'from', state: 'queued', job_id: expect.stringMatching(/^fpr_/) },
      { side: 'to', state: 'queued', job_id: before.preparing[0].job_id },
    ])
    program.startWorker()
    const after = await diff(arm.datasetId, arm.revisionId)
    expect(after.counts).toEqual({
      same: 4,
      relabelled: 0,
      re_encoded: 0,
      trimmed: 0,
      changed: 0,
      removed: 0,
      added: 0,
    })
    expect(after.features).toEqual([])
    expect(after.statistics.items.every(({ ks }: { ks: number }) => ks === 0)).toBe(true)
  })

  test('episodes that moved up are the same, and the one that went is told by its old number', async () => {
    const { folder } = await prepareRecording([4, 3, 5])
    await using stored = await openDataset(await openFolder(join(folder, 'dataset')))
    const before = await publishPrepared(program.context, await prepareRecording([4, 3, 5]), { ...place, slug: 'rec' })
    const order = [2, 1]
    const reordered: Dataset = {
      ...withoutIntact(stored),
      episodeCount: order.length,
      frameCount: 8,
      getEpisode: (position) => stored.getEpisode(order[position] as number),
    }
    const after = await publishPrepared(program.context, await prepareDataset(reordered, 'h264'), {
      ...place,
      slug: 'rec',
    })
    const { counts, episodes } = await diff(before.revisionId, after.revisionId)
    expect(counts).toMatchObject({ same: 2, removed: 1, added: 0, changed: 0, re_encoded: 0 })
    const pairs = episodes.same.map((one: Record<string, number>) => [one.from_episode, one.to_episode])
    expect(pairs).toEqual([
      [2, 0],
      [1, 1],
    ])
    expect(episodes.removed).toMatchObject([{ from_episode: 0, to_episode: null, from_frames: 4, to_frames: null }])
  })

  test('a version that takes episodes as they are is compared at once; its recipe is told', async () => {
    const version = await derive('some', { selected_episode_indices: [1, 3] })
    const item = await ask(arm.datasetId, version)
    expect(item).toMatchObject({ state: 'ready', counts: { same: 2, removed: 2 } })
    expect(item.recipe).toEqual([{ key: 'selected_episode_indices', from: null, to: [1, 3] }])
    expect(item.to).toMatchObject({ kind: 'version', revision_id: null, episode_count: 2, number: 1 })
    expect(item.tasks).toMatchObject({ removed: 1, added: 0 })
    const page = await ask(arm.datasetId, version, '&kind=removed&limit=1&offset=1')
    expect(page.episodes).toMatchObject({ same: [], removed: [{ from_episode: 2 }] })
  })

  test('cut, smoothed and cropped episodes are found again, each under its name', async () => {
    const trimmed = await derive('trimmed', { trim: { ranges: { 0: [[1, 5]] } } })
    const cut = await diff(arm.datasetId, trimmed)
    expect(cut.counts).toMatchObject({ same: 3, trimmed: 1, changed: 0 })
    expect(cut.episodes.trimmed).toMatchObject([{ from_frames: 6, to_frames: 4, kept_frames: [[1, 5]] }])
    const scaled = await derive('scaled', { action: { scale: 2 } })
    const other = await diff(arm.datasetId, scaled)
    expect(other.counts).toMatchObject({ same: 0, changed: 4 })
    expect(other.episodes.changed[0]).toMatchObject({ from_episode: 0, to_episode: 0, differs: ['action'] })
    const [moved] = other.statistics.items
    expect(moved).toMatchObject({ feature: 'action' })
    expect(moved.ks).toBeGreaterThan(0)
    const key = 'observation.images.top'
    const cropped = await derive('cropped', {
      camera_keys: [key],
      crop: { left_pct: 0, top_pct: 0, width_pct: 50, height_pct: 50 },
    })
    const resized = await diff(arm.datasetId, cropped)
    expect(resized.features).toMatchObject([
      { change: 'reshaped', kind: 'camera', from: key, to: key, from_shape: [64, 64, 3], to_shape: [32, 32, 3] },
      { change: 'removed', kind: 'camera', from: 'observation.images.wrist', to: null },
    ])
    expect(resized.counts).toMatchObject({ same: 0, changed: 4, added: 0, removed: 0 })
  })

  test('a renamed camera is the same under another name', async () => {
    const renamed = await derive('renamed', {
      features: { rename: { 'observation.images.wrist': 'observation.images.hand' } },
    })
    const { features, counts } = await diff(arm.datasetId, renamed)
    expect(features).toMatchObject([
      { change: 'renamed', kind: 'camera', from: 'observation.images.wrist', to: 'observation.images.hand' },
    ])
    expect(counts).toMatchObject({ same: 4, changed: 0 })
  })

  test('only what one may read is compared', async () => {
    const stranger = await program.addUser('diff-stranger@example.org')
    await createOrg(program.context.db, 'operator', { slug: 'diff-away', name: 'Away', adminUserId: stranger.id })
    const away = await program.signIn(stranger)
    const path = `/api/v1/orgs/diff-away/diff?from=${arm.revisionId}&to=${arm.revisionId}`
    expect((await program.call('GET', path, { bearer: away })).status).toBe(404)
    expect((await call('GET', `${orgPath}/diff?from=arm&to=${arm.revisionId}`)).status).toBe(422)
  })

  test('lineage leads from revisions over versions to what was derived from them', async () => {
    const first = await derive('first', { selected_episode_indices: [0, 1, 2] })
    const second = await derive('second', { selected_episode_indices: [0] }, first)
    const exported = await call('POST', `${orgPath}/derived-dataset-versions/${second}/export-jobs`, {
      artifact_keys: ['lerobot'],
    })
    expect(exported.status).toBeLessThan(300)
    const { nodes, edges, truncated } = (await call('GET', `${orgPath}/projects/lab/datasets/arm/lineage`)).body.item
    expect(truncated).toBe(false)
    const kinds = new Map(nodes.map(({ id, kind }: { id: string; kind: string }) => [id, kind]))
    expect([arm.revisionId, first, second].map((id) => kinds.get(id))).toEqual(['revision', 'version', 'version'])
    expect(edges).toContainEqual({ from: arm.revisionId, to: first })
    expect(edges).toContainEqual({ from: first, to: second })
    const made = edges.find(({ from }: { from: string }) => from === second)
    expect(kinds.get(made.to)).toBe('export')
    const up = (await call('GET', `${orgPath}/derived-dataset-versions/${second}/lineage`)).body.item
    expect(up.edges).toContainEqual({ from: arm.revisionId, to: first })
  })
})

const withoutIntact = ({ intact: _, ...dataset }: Dataset): Dataset => dataset

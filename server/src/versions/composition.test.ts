import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder } from '@nmp/formats/file-tree'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLongRun } from '../../../fixtures/test-where.ts'
import type { Exporter } from '../../test/exporter.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import type { TestProgram } from '../../test/program.ts'
import { publishArm, publishFolder } from '../../test/published-dataset.ts'
import { deleteDatasetsPastGrace } from '../datasets/service.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember } from '../organizations/service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const top = 'observation.images.top'
const wrist = 'observation.images.wrist'
const lengths = [9, 6, 7, 5, 8, 4]

let lab: Lab
let program: TestProgram
let exporter: Exporter
let bearer: string
let place: { orgId: string; projectId: string }
let datasetId: string
let imports = 0

beforeAll(async () => {
  lab = await openLab()
  program = lab.program
  exporter = lab.exporter
  bearer = lab.bearer
  place = lab.place
  datasetId = (await publishArm(program.context, { ...place, slug: 'arm' }, lengths)).datasetId
  program.startWorker()
}, 60_000)
afterAll(() => lab.close())

const call = (method: string, path: string, body?: unknown, who = bearer) =>
  program.call(method, path, { bearer: who, ...(body === undefined ? {} : { body }) })
const derive = (source: string, recipe: object, slug?: string) => exporter.derive(source, recipe, slug)
const refuse = async (source: string, recipe: object) => {
  const body = { slug: 'no', name: 'No', project_slug: 'lab', source: kindOf(source), recipe }
  const answer = await call('POST', versionsPath, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(422)
  return answer.body.detail[0]
}
const kindOf = (id: string) => ({ dataset_kind: id.startsWith('ver_') ? 'version' : 'catalog', dataset_id: id })

/** What a loader reads; where episodes came from differs, and is looked at elsewhere. */
async function hashFiles(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const { path } of await (await openFolder(folder)).list())
    if (!path.startsWith('meta/nmp-'))
      hashes[path] = createHash('sha256')
        .update(await readFile(join(folder, path)))
        .digest('hex')
  return hashes
}

describe('a version of a version', () => {
  test('is pinned to it, shows every recipe and what all began with, and is listed under it', async () => {
    const parent = await derive(datasetId, { excluded_episode_indices: [1], notes: 'without the bad one' }, 'parent')
    const child = await derive(parent.id, { selected_episode_indices: [4, 0, 1] }, 'child')
    const grandchild = await derive(child.id, { first_n_episodes: 2 }, 'grandchild')
    expect(parent.composition).toEqual([])
    expect(grandchild).toMatchObject({
      episode_count: 2,
      frame_count: 9 + 7,
      source: {
        dataset_kind: 'version',
        dataset_id: child.id,
        title: 'Curated',
        revision_id: child.id,
        revision_number: 1,
      },
      composition: [
        { version_id: parent.id, slug: 'parent', version: 1, recipe: { excluded_episode_indices: [1], notes: null } },
        { version_id: child.id, slug: 'child', version: 1, recipe: { selected_episode_indices: [4, 0, 1] } },
      ],
      provenance: { root_dataset_id: datasetId, root_revision_number: 1 },
    })
    expect(grandchild.provenance.root_revision_id).toBe(parent.source.revision_id)
    expect(grandchild.source.source_revision).toBe(grandchild.checksums.source_read_model_sha256)
    const link = (await call('GET', `${versionsPath}/${grandchild.id}/artifacts/manifest/download-url`)).body.url
    const manifest = JSON.parse(await (await fetch(link)).text())
    expect(manifest.composition).toEqual(grandchild.composition)
    const listed = (await call('GET', `${versionsPath}?source=${child.id}`)).body.items
    expect(listed).toEqual([(await call('GET', `${versionsPath}/${grandchild.id}`)).body.item])
    const episodes = (await call('GET', `/api/v1/catalog/datasets/${grandchild.id}/episodes`)).body.item.items
    expect(episodes.map((episode: Record<string, unknown>) => [episode.length_frames, episode.tasks])).toEqual([
      [9, ['Task 0']],
      [7, ['Task 2']],
    ])
  })

  test('speaks of what its source has and no more, and an id goes with its kind', async () => {
    const parent = await derive(datasetId, { first_n_episodes: 2, camera_keys: [top], action: { scale: 1e37 } })
    expect(await refuse(parent.id, { selected_episode_indices: [0, 2] })).toMatchObject({
      loc: ['body', 'recipe', 'selected_episode_indices', 1],
      msg: 'Value error, there is no episode 2: the dataset has 2, numbered from 0',
    })
    expect((await refuse(parent.id, { camera_keys: [wrist] })).loc).toEqual(['body', 'recipe', 'camera_keys', 0])
    expect((await refuse(parent.id, { action: { scale: 100 } })).loc).toEqual(['body', 'recipe', 'action', 'scale'])
    for (const [kind, id] of [
      ['catalog', parent.id],
      ['version', datasetId],
    ]) {
      const body = { slug: 'no', name: 'No', source: { dataset_kind: kind, dataset_id: id }, recipe: {} }
      const answer = await call('POST', versionsPath, body)
      expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', 'source', 'dataset_kind']])
      expect((await call('POST', `${versionsPath}/preview`, body)).status).toBe(422)
    }
    const unknown = { dataset_kind: 'version', dataset_id: 'ver_0' }
    expect((await call('POST', versionsPath, { slug: 'no', name: 'No', source: unknown, recipe: {} })).status).toBe(404)
  })

  test('sixteen recipes follow each other and no seventeenth', async () => {
    let id = datasetId
    for (let depth = 1; depth <= 16; depth++) id = (await derive(id, {}, 'deep')).id
    expect(await refuse(id, {})).toMatchObject({
      loc: ['body', 'source', 'dataset_id'],
      msg: 'Value error, at most 16 recipes can be chained, and this version already has 16; copy it into a project as a dataset and continue from there',
    })
  })

  test('keeps what it was derived from: neither can be deleted under it', async () => {
    const { db } = program.context
    const root = await publishArm(program.context, { ...place, slug: 'root' }, lengths)
    const parent = await derive(root.datasetId, {}, 'kept')
    const child = await derive(parent.id, {}, 'keeping')
    const refused = await call('DELETE', `${versionsPath}/${parent.id}`)
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'A version is derived from this one, among them keeping version 1. Delete those first.',
    ])
    const base = '/api/v1/orgs/acme/projects/lab/datasets/root'
    expect((await call('DELETE', `${base}?confirm=root`)).status).toBe(200)
    const past = new Date(Date.now() - 30 * 86_400_000)
    await db.updateTable('datasets').set({ deletion_requested_at: past }).where('slug', '=', 'root').execute()
    // The row in between goes with its project; the child needs it no more.
    await db.deleteFrom('versions').where('id', '=', parent.id).execute()
    expect(await deleteDatasetsPastGrace(db)).toBe(0)
    const { job, version } = await exporter.exportVersion(child)
    expect([job.status, version.id]).toEqual(['succeeded', child.id])
    expect((await call('DELETE', `${versionsPath}/${child.id}`)).status).toBe(200)
    expect(await deleteDatasetsPastGrace(db)).toBe(1)
  }, 60_000)

  test('who cannot read its source cannot derive from it, and does not learn that it exists', async () => {
    const { db } = program.context
    const stranger = await program.addUser('sam@example.org')
    await addOrgMember(db, place.orgId, stranger.id, 'member')
    const other = await createProject(db, 'operator', { orgId: place.orgId, slug: 'other', name: 'Other' })
    await putProjectMember(db, 'operator', { orgId: place.orgId, projectId: other.id }, stranger.id, 'editor')
    const who = await program.signIn(stranger)
    const parent = await derive(datasetId, {}, 'unseen')
    const body = { slug: 'mine', name: 'Mine', project_slug: 'other', source: kindOf(parent.id), recipe: {} }
    expect((await call('POST', versionsPath, body, who)).status).toBe(404)
    expect((await call('POST', `${versionsPath}/preview`, body, who)).status).toBe(404)
  })
})

describe('the export of a version of a version', () => {
  const index = fc.integer({ min: 0, max: 3 })
  const shared = {
    excluded_episode_indices: fc.uniqueArray(index, { maxLength: 2 }),
    first_n_episodes: fc.constantFrom(null, 4),
    action: fc.option(
      fc.record({
        smoothing_window: fc.constantFrom(1, 3, 5),
        smoothing_mode: fc.constantFrom('mean', 'median', 'gaussian'),
        scale: fc.double({ min: -2, max: 2, noNaN: true }),
        clip_max: fc.constantFrom(null, 1.5),
      }),
    ),
  }
  const pixels = {
    crop: fc.option(fc.constant({ left_pct: 10, top_pct: 0, width_pct: 80, height_pct: 90 })),
    resize: fc.option(fc.constantFrom({ width: 64, height: 64, mode: 'fit' }, { width: 96, height: 64, mode: 'fill' })),
  }

  test('equals that of a dataset that was made of its source and imported, byte for byte', async () => {
    // Pixels of films are encoded once in a chain and twice otherwise: there pictures in rows, which lose nothing, are compared.
    const pair = fc.oneof(
      fc.tuple(fc.constant([]), fc.record(shared), fc.record(shared)),
      fc.tuple(fc.constant([wrist]), fc.record({ ...shared, ...pixels }), fc.record({ ...shared, ...pixels })),
    )
    await fc.assert(
      fc.asyncProperty(pair, async ([cameras, first, second]) => {
        const parent = await exporter.exportAndOpen(datasetId, { ...first, camera_keys: cameras })
        const chained = await exporter.exportAndOpen(parent.version.id, second)
        const slug = `imported-${imports++}`
        const { datasetId: imported } = await publishFolder(program.context, parent.folder, { ...place, slug })
        const direct = await exporter.exportAndOpen(imported, second)
        expect(await hashFiles(chained.folder)).toEqual(await hashFiles(direct.folder))
        for (const { dataset } of [parent, chained, direct]) await dataset.close()
      }),
      { numRuns: isLongRun ? 5 : 2 },
    )
  }, 240_000)

  test('changes pixels once, by parts, and gives the same checksum again', async () => {
    const crop = { left_pct: 0, top_pct: 0, width_pct: 50, height_pct: 100 }
    const parent = await derive(datasetId, { selected_episode_indices: [0, 2, 4], crop }, 'cropped')
    const resize = { width: 80, height: 96, mode: 'fit' }
    const recipe = { excluded_episode_indices: [1], camera_keys: [top], resize }
    const preview = (await call('POST', `${versionsPath}/preview`, { source: kindOf(parent.id), recipe })).body.item
    expect(preview.cameras).toEqual([
      expect.objectContaining({ key: top, source_width: 32, source_height: 64, width: 80, height: 96 }),
    ])
    const made = await exporter.exportAndOpen(parent.id, recipe)
    const again = await exporter.exportAndOpen(parent.id, recipe)
    expect(made.job.shard_count).toBeGreaterThan(0)
    expect(again.job.checksum_sha256).toBe(made.job.checksum_sha256)
    const { dataset } = made
    expect([dataset.episodeCount, dataset.frameCount]).toEqual([2, 17])
    expect(dataset.features).toContainEqual(expect.objectContaining({ name: top, width: 80, height: 96 }))
    for (const opened of [made, again]) await opened.dataset.close()
  }, 120_000)

  test('has a name in the Hub door that says which recipes led to it', async () => {
    const parents = [await derive(datasetId, { first_n_episodes: 3 }, 'p'), await derive(datasetId, {}, 'q')]
    const nameOf = async (source: string, slug: string) => {
      await derive(source, { first_n_episodes: 2 }, slug)
      const { status, body } = await call('GET', `/hf/api/datasets/acme/lab.${slug}`)
      expect(status).toBe(200)
      return body.sha
    }
    const [one, other] = [await nameOf(parents[0].id, 'hub-one'), await nameOf(parents[1].id, 'hub-other')]
    expect(await nameOf(parents[0].id, 'hub-again')).toBe(one)
    expect(other).not.toBe(one)
  })

  test('is previewed exactly: its statistics, and actions before and after', async () => {
    const parent = await derive(datasetId, { excluded_episode_indices: [0], action: { smoothing_window: 3 } }, 'smooth')
    const recipe = { selected_episode_indices: [1, 3], action: { scale: 3, clip_max: 4 } }
    const { item } = (await call('POST', `${versionsPath}/preview`, { source: kindOf(parent.id), recipe })).body
    expect(item).toMatchObject({ episode_count: 2, frame_count: 7 + 8, source_episode_count: 5 })
    expect(item.tasks.items).toEqual([
      { task: 'Task 2', episode_count: 1 },
      { task: 'Task 1', episode_count: 1 },
    ])
    expect(item.statistics.exact).toBe(true)
    const { dataset, folder } = await exporter.exportAndOpen(parent.id, recipe)
    const written = JSON.parse(await readFile(join(folder, 'meta/stats.json'), 'utf8'))
    for (const { name, statistics } of item.statistics.features)
      for (const key of ['min', 'max', 'mean', 'std', 'q50', 'q99'])
        for (const [dimension, value] of statistics[key].entries())
          expect([name, key, value]).toEqual([name, key, expect.closeTo(written[name][key][dimension], 6)])
    const rows: number[] = []
    for await (const block of dataset.getEpisode(0).readBlocks({ columns: ['action'] }))
      rows.push(...Array.from(block.columns.get('action') as Float32Array))
    const after = item.action.after[0].map((_: number, frame: number) => [
      item.action.after[0][frame],
      item.action.after[1][frame],
    ])
    expect(after.flat()).toEqual(rows)
    expect(Math.max(...item.action.before.flat())).toBeGreaterThan(Math.max(...rows) / 3)
    await dataset.close()
  }, 60_000)
})

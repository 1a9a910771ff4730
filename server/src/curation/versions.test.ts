import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishArm } from '../../test/published-dataset.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../organizations/service.ts'

let program: TestProgram
let exporter: Exporter
let bearers: { admin: string; editor: string }
let datasetId: string

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  const editor = await program.addUser('ben@example.org')
  bearers = { admin: await program.signIn(admin), editor: await program.signIn(editor) }
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  await addOrgMember(db, org.id, editor.id, 'member')
  await putProjectMember(db, 'operator', { orgId: org.id, projectId: project.id }, editor.id, 'editor')
  const place = { orgId: org.id, projectId: project.id, slug: 'arm' }
  datasetId = (await publishArm(program.context, place, [9, 6, 7, 5])).datasetId
  exporter = await openExporter(program, bearers.editor, 'acme', 'lab')
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const call = (method: string, id: string, rest: string, body?: unknown) =>
  exporter.call(method, `${exporter.versionsPath}/${id}${rest}`, body)

describe('a version', () => {
  test('is flagged in its own numbers, before and after its export, and the other editors are told', async () => {
    const { id } = await exporter.derive(datasetId, { selected_episode_indices: [1, 3] }, 'flagged')
    const items = [
      { episode_index: 1, reason: 'idle', end_frame: 5 },
      { episode_index: 0, reason: 'failed', note: 'drops it' },
    ]
    const put = await call('PUT', id, '/flags', { items })
    expect([put.status, put.body.created_ids.length]).toEqual([200, 2])
    const outside = await call('PUT', id, '/flags', { items: [{ episode_index: 1, reason: 'idle', end_frame: 6 }] })
    expect([outside.status, outside.body.detail[0].loc]).toEqual([422, ['body', 'items', 0, 'end_frame']])
    expect((await call('PUT', id, '/flags', { items: [{ episode_index: 2, reason: 'idle' }] })).status).toBe(422)
    const { items: told } = (await program.call('GET', '/api/v1/users/me/notifications', { bearer: bearers.admin }))
      .body
    expect(told[0]).toMatchObject({ kind: 'episode_flag', title: expect.stringContaining('flagged 2 episodes') })
    await exporter.exportVersion({ id })
    const listed = (await call('GET', id, '/flags')).body.items
    expect(listed.map((flag: Record<string, unknown>) => [flag.episode_index, flag.reason, flag.end_frame])).toEqual([
      [0, 'failed', null],
      [1, 'idle', 5],
    ])
    expect((await call('DELETE', id, `/flags/${listed[0].id}`)).body.item.note).toBe('drops it')
    expect((await call('POST', id, '/flags/delete', { ids: [listed[1].id] })).body.items).toHaveLength(1)
    expect((await call('GET', id, '/flags')).body.items).toEqual([])
    const datasets = '/api/v1/orgs/acme/projects/lab/datasets/arm/flags'
    expect((await exporter.call('GET', datasets)).body.items).toEqual([])
  }, 60_000)

  test('is annotated, and what is said goes into versions that are derived from it', async () => {
    const parent = await exporter.derive(datasetId, { excluded_episode_indices: [0] }, 'annotated')
    const episodes = [
      { episode_index: 1, task: 'Lift it', success: true },
      { episode_index: 2, tags: ['slow'] },
    ]
    const created = await call('POST', parent.id, '/annotation-sets', { name: 'review', episodes })
    expect([created.status, created.body.item.revision_number]).toEqual([201, 1])
    const set = created.body.item.id
    expect((await call('POST', parent.id, '/annotation-sets', { name: 'review' })).status).toBe(409)
    const next = { episodes: [{ episode_index: 0, note: 'good' }], merge: true, base_version: 1 }
    expect((await call('PUT', parent.id, `/annotation-sets/${set}`, next)).body.item.version).toBe(2)
    expect((await call('GET', parent.id, `/annotation-sets/${set}?version=1`)).body.item.episodes).toHaveLength(2)
    const manifest = (await exporter.call('GET', `/api/v1/catalog/datasets/${parent.id}`)).body.item
    expect(manifest.annotation.keys).toEqual(expect.arrayContaining(['review/task', 'review/note']))
    const recipe = { excluded_episode_indices: [0], annotation_set_id: set, annotation_set_version: 1 }
    const { dataset, folder } = await exporter.exportAndOpen(parent.id, recipe)
    expect([dataset.getEpisode(0).tasks, dataset.getEpisode(1).tasks]).toEqual([['Lift it'], ['Task 0']])
    const written = JSON.parse(await readFile(join(folder, 'meta/nmp-annotations.json'), 'utf8'))
    expect(written.episodes).toMatchObject([
      { episode_index: 0, source_episode_index: 1, success: true },
      { episode_index: 1, source_episode_index: 2, tags: ['slow'] },
    ])
    await dataset.close()
    const elsewhere = await exporter.call('POST', exporter.versionsPath, {
      slug: 'no',
      name: 'No',
      source: { dataset_kind: 'project', dataset_id: datasetId },
      recipe: { annotation_set_id: set },
    })
    expect([elsewhere.status, elsewhere.body.detail[0].loc]).toEqual([422, ['body', 'recipe', 'annotation_set_id']])
    expect((await call('DELETE', parent.id, `/annotation-sets/${set}`)).status).toBe(200)
    expect((await call('GET', parent.id, '/annotation-sets')).body.items).toEqual([])
  }, 60_000)
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../../organizations/service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
let program: TestProgram
let bearer: string
let stranger: string
let datasetId: string

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const colleague = await program.addUser('ben@example.org')
  await addOrgMember(db, org.id, colleague.id, 'member')
  stranger = await program.signIn(colleague)
  const place = { orgId: org.id, projectId: project.id, slug: 'recording' }
  datasetId = (await publishRecording(program.context, place, [8, 6, 7, 5])).datasetId
}, 60_000)
afterAll(() => program.close())

const get = (path: string, who: string | undefined = bearer) =>
  program.call('GET', path, who === undefined ? {} : { bearer: who })

async function derive(recipe: object): Promise<string> {
  const source = { dataset_kind: 'project', dataset_id: datasetId }
  const body = { slug: 'derived', name: 'Derived', source, recipe }
  const answer = await program.call('POST', versionsPath, { bearer, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.item.id
}

const dataset = (id: string, rest = ''): string => `/api/v1/catalog/datasets/${id}${rest}`

describe('a version is read like a dataset', () => {
  test('its episodes are those that the recipe keeps, renumbered', async () => {
    const id = await derive({ selected_episode_indices: [3, 0, 2] })
    const { status, body } = await get(dataset(id, '/episodes'))
    expect(status, JSON.stringify(body)).toBe(200)
    const shown = body.item.items.map((episode: Record<string, number>) => [
      episode.episode_index,
      episode.source_index,
      episode.length_frames,
      episode.dataset_from_index,
    ])
    expect(shown).toEqual([
      [0, 0, 8, 0],
      [1, 2, 7, 8],
      [2, 3, 5, 15],
    ])
    expect(body.item.items.every(({ motion }: { motion: number | null }) => motion !== null)).toBe(true)
    const statistics = (await get(dataset(id, '/statistics'))).body.item
    expect(statistics).toMatchObject({ shortest_episode_frames: 5, longest_episode_frames: 8, sample_size: 3 })
  })

  test('who has no role in its project does not find it, and its addresses end with it', async () => {
    const id = await derive({ first_n_episodes: 2 })
    for (const who of [undefined, stranger])
      for (const rest of ['', '/episodes', '/frames', '/statistics', '/files', '/episodes/0/rows', '/episodes/0/media'])
        expect([rest, (await program.call('GET', dataset(id, rest), who ? { bearer: who } : {})).status]).toEqual([
          rest,
          404,
        ])
    const [{ streams }] = (await get(dataset(id, '/frames'))).body.item.items
    const { poster_url: poster, url } = streams[0]
    for (const address of [poster, url]) expect((await fetch(address)).status).toBe(200)
    expect((await program.call('DELETE', `${versionsPath}/${id}`, { bearer })).status).toBe(200)
    for (const address of [poster, url]) expect((await fetch(address)).status).toBe(404)
    expect((await get(dataset(id))).status).toBe(404)
  })

  test('before the export it has no files of its own and says so', async () => {
    const id = await derive({})
    const { status, body } = await get(dataset(id, '/files'))
    expect([status, body.code]).toEqual([409, 'artifact_not_ready'])
    const { item } = (await get(dataset(id))).body
    expect(item).toMatchObject({ id, kind: 'dataset_manifest', title: 'Derived' })
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDoor } from '../../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'

/** What strangers read of a dataset that was private for a while. */
let program: TestProgram
let session: string
let ada: ReturnType<typeof openDoor>
let stranger: ReturnType<typeof openDoor>
let place: { orgId: string; projectId: string }

beforeAll(async () => {
  program = await startProgram()
  const user = await program.addUser('ada@example.org')
  session = await program.signIn(user)
  ada = openDoor(program, await program.makeToken(user, ['workspace:read']))
  stranger = openDoor(program, '')
  const { rows } = await sql<{ orgId: string; projectId: string }>`
    select org_id as "orgId", project.id as "projectId" from projects project
    join organizations org on org.id = org_id where org.slug = 'ada'`.execute(program.context.db)
  place = rows[0] as typeof place
})
afterAll(() => program.close())

const publish = (slug: string, lengths: number[]) => publishRecording(program.context, { ...place, slug }, lengths)
const datasetPath = (slug: string) => `/api/v1/orgs/ada/projects/default/datasets/${slug}`
const change = (slug: string, body: object) => program.call('PATCH', datasetPath(slug), { bearer: session, body })
const commitOf = async (slug: string, revision: string): Promise<string> =>
  (await ada.ask('GET', `/api/datasets/ada/${slug}/revision/${revision}`)).body.sha
const isReadable = async (slug: string, commit: string) => {
  const answers = [
    await stranger.ask('GET', `/datasets/ada/${slug}/resolve/${commit}/meta/info.json`),
    await stranger.ask('GET', `/api/datasets/ada/${slug}/revision/${commit}`),
    await stranger.ask('GET', `/api/datasets/ada/${slug}/tree/${commit}`),
  ].map(({ status }) => status < 400)
  expect(new Set(answers).size).toBe(1)
  return answers[0]
}
const isMediaReadable = async (ids: { datasetId: string; revisionId: string }, bearer?: string) => {
  const path = `/api/v1/media/${ids.datasetId}/${ids.revisionId}/archive`
  const headers = bearer ? { authorization: `Bearer ${bearer}` } : {}
  return (await fetch(`${program.url}${path}`, { method: 'HEAD', headers })).ok
}
const seenTags = async (slug: string): Promise<string[]> =>
  (await stranger.ask('GET', `/api/datasets/ada/${slug}/refs`)).body.tags.map(({ name }: { name: string }) => name)
const seenCommits = async (slug: string): Promise<number> =>
  (await stranger.ask('GET', `/api/datasets/ada/${slug}/commits/main`)).body.length

test('the published revision and later ones are public; those of before are for the project', async () => {
  const first = await publish('cubes', [2])
  const private1 = await commitOf('cubes', 'revision-1')
  const second = await publish('cubes', [3])
  expect((await change('cubes', { visibility: 'public' })).status).toBe(200)
  expect(await isReadable('cubes', private1)).toBe(false)
  expect(await isReadable('cubes', 'revision-1')).toBe(false)
  expect(await isReadable('cubes', await commitOf('cubes', 'revision-2'))).toBe(true)
  expect([await isMediaReadable(first), await isMediaReadable(second)]).toEqual([false, true])
  expect(await isMediaReadable(first, session)).toBe(true)
  expect(await seenTags('cubes')).toEqual(['v3.0', 'revision-2'])
  expect(await seenCommits('cubes')).toBe(1)
  expect((await ada.ask('GET', `/datasets/ada/cubes/resolve/${private1}/meta/info.json`)).status).toBeLessThan(400)

  // As after an import by the worker: visitors see what another process published within a second.
  await publish('cubes', [4])
  await expect.poll(() => seenTags('cubes')).toEqual(['v3.0', 'revision-3', 'revision-2'])
  const { body } = await program.call('GET', `${datasetPath('cubes')}/revisions`, { bearer: session })
  expect(body.items.map((row: { is_public: boolean }) => row.is_public)).toEqual([true, true, false])

  // Withdrawn and published again, it starts anew; what is brought back is shown, and so is public.
  await change('cubes', { visibility: 'private' })
  await change('cubes', { visibility: 'public' })
  expect(await seenTags('cubes')).toEqual(['v3.0', 'revision-3'])
  await program.call('POST', `${datasetPath('cubes')}/revisions/1/restore`, { bearer: session })
  expect(await isReadable('cubes', private1)).toBe(true)
  expect(await seenTags('cubes')).toEqual(['v3.0', 'revision-1', 'revision-3'])
})

test('older ones only where an admin chooses so with a session, and not of a private dataset', async () => {
  await publish('towels', [2])
  const commit = await commitOf('towels', 'revision-1')
  await publish('towels', [3])
  const early = await change('towels', { public_history: true })
  expect(early.status).toBe(422)
  expect((await change('towels', { visibility: 'public', public_history: true })).status).toBe(200)
  expect(await isReadable('towels', commit)).toBe(true)
  expect((await change('towels', { public_history: false })).status).toBe(200)
  expect(await isReadable('towels', commit)).toBe(false)
  const user = { id: (await program.call('GET', '/api/v1/users/me', { bearer: session })).body.user.id, email: '' }
  const token = await program.makeToken(user as never, ['workspace:read', 'datasets:write'])
  const refused = await program.call('PATCH', datasetPath('towels'), { bearer: token, body: { public_history: true } })
  expect([refused.status, refused.body.code]).toEqual([403, 'session_required'])
  expect(await isReadable('towels', commit)).toBe(false)
})

test('a card of before the publication is for the project, although its commit has the files of a public revision', async () => {
  await publish('cups', [2])
  await change('cups', { description: 'Recorded at the secret site.' })
  const secret = await commitOf('cups', 'main')
  await change('cups', { description: 'Cups.' })
  await change('cups', { visibility: 'public' })
  const shown = await commitOf('cups', 'main')
  expect(secret).not.toBe(shown)
  expect([await isReadable('cups', secret), await isReadable('cups', shown)]).toEqual([false, true])
  await change('cups', { description: 'Cups, again.' })
  expect(await isReadable('cups', shown)).toBe(true)
})

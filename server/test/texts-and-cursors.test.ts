import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject } from '../src/organizations/projects/service.ts'
import { routes } from '../src/routes.ts'
import { generateEpisodes, publishModel } from './generated-dataset.ts'
import { openDoor } from './hub-door.ts'
import { addPeople, type People } from './permission-people.ts'
import { startProgram, type TestProgram } from './program.ts'

let program: TestProgram
let people: People
let dataset: string
const ask = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer: people.bearers.oadm ?? '', ...(body === undefined ? {} : { body }) })

beforeAll(async () => {
  program = await startProgram()
  people = await addPeople(program)
  const { org, project } = people
  const place = { orgId: org.id, projectId: project.id, slug: 'cans' }
  dataset = (await publishModel(program.context, place, generateEpisodes(3))).datasetId
})
afterAll(() => program?.close())

const fieldsOf = (schema: TSchema | undefined): [string, TSchema][] =>
  Object.entries((schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {})

const right = (name: string): string =>
  ({ org_slug: people.org.slug, project_slug: 'lab', dataset_slug: 'cans', dataset_id: dataset })[name] ?? '1'

describe('a NUL is refused at its place', () => {
  const paths = routes.flatMap((route) =>
    [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ route, name })),
  )
  test.each(paths.map(({ route, name }) => [route.id, name, route] as const))(
    '%s: %s of the path',
    async (_id, name, { method, path }) => {
      const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => (field === name ? 'a%00b' : right(field)))
      const answer = await ask(method, address, method === 'GET' || method === 'DELETE' ? undefined : {})
      expect(answer.status).toBe(422)
      const places = (answer.body.detail as { loc: string[] }[]).map(({ loc }) => loc.join('.'))
      expect(places).toContain(`path.${name}`)
    },
  )

  const queries = routes.flatMap((route) =>
    fieldsOf(route.query as TSchema | undefined).map(([name]) => ({ route, name })),
  )
  test.each(queries.map(({ route, name }) => [route.id, name, route] as const))(
    '%s: %s of the query',
    async (_id, name, { method, path }) => {
      const address = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => right(field))
      const answer = await ask(
        method,
        `${address}?${name}=a%00b`,
        method === 'GET' || method === 'DELETE' ? undefined : {},
      )
      expect(answer.status).toBe(422)
      const places = (answer.body.detail as { loc: string[] }[]).map(({ loc }) => loc.slice(0, 2).join('.'))
      expect(places).toContain(`query.${name}`)
    },
  )

  test('in bodies', async () => {
    const answer = await ask('POST', '/api/v1/orgs', { slug: 'fine', name: 'a\0b' })
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', 'name']])
  })

  test('at the Hub door, in addresses and bodies, as the Hub says it', async () => {
    const door = openDoor(program, people.bearers.pat ?? '')
    const { slug } = people.org
    for (const [method, path, body] of [
      ['GET', `/api/datasets/${slug}%00/lab.cans`, undefined],
      ['GET', `/api/datasets/${slug}/lab.cans/tree/ma%00in`, undefined],
      ['GET', '/api/datasets?author=a%00b', undefined],
      ['GET', `/datasets/${slug}/lab.cans/resolve/main/a%00b`, undefined],
      ['POST', '/api/repos/create', { name: 'x', organization: 'a\0b', type: 'dataset' }],
      ['POST', `/api/datasets/${slug}/lab.cans/tag/main`, { tag: 'a\0b' }],
      ['POST', `/api/datasets/${slug}/lab.cans/branch/side`, { startingPoint: 'a\0b' }],
      ['POST', `/api/datasets/${slug}/lab.cans/duplicate`, { repository: 'a\0b/c' }],
    ] as const) {
      const answer = await door.ask(method, path, body)
      expect([path, answer.status, answer.body.error]).toEqual([path, 400, expect.stringContaining('NUL')])
    }
  })

  test('in what an upload says of itself', async () => {
    const encode = (text: string) => Buffer.from(text).toString('base64')
    for (const metadata of [`filename ${encode('a\0b')}`, `filename ${encode('a')},org_slug ${encode('a\0b')}`]) {
      const answer = await program.call('POST', '/api/v1/uploads', {
        bearer: people.bearers.oadm ?? '',
        headers: { 'tus-resumable': '1.0.0', 'upload-length': '1', 'upload-metadata': metadata },
      })
      expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['header', 'upload-metadata']])
    }
  })

  test('and is never an error of ours at the sign-in pages and the issuer', async () => {
    for (const path of ['/sign-in?next=%00', '/password/reset?token=%00', '/invite?token=%00', '/device?user_code=%00'])
      expect((await program.call('GET', path)).status, path).toBeLessThan(500)
    const post = (path: string, body: string) =>
      program.call('POST', path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    for (const body of [
      'grant_type=authorization_code&client_id=nmp-cli&code=%00&redirect_uri=http%3A%2F%2F127.0.0.1%2F',
      'grant_type=refresh_token&client_id=nmp-cli&refresh_token=a%00',
      'grant_type=refresh_token&client_id=a%00&refresh_token=a',
      'grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=nmp-cli&device_code=%00',
    ])
      expect((await post('/oidc/token', body)).status, body).toBeLessThan(500)
    expect((await program.call('GET', '/oidc/auth?client_id=%00&response_type=code')).status).toBeLessThan(500)
  })
})

describe('a cursor', () => {
  const list = (path: string, cursor?: string) =>
    ask('GET', `/api/v1${path}?limit=1${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)

  test('leads on in its own list, and is refused by every other, of the same kind too', async () => {
    const { org, project } = people
    const other = await createProject(program.context.db, 'operator', { orgId: org.id, slug: 'other', name: 'Other' })
    for (const projectId of [project.id, other.id])
      for (const slug of ['one', 'two'])
        await publishModel(program.context, { orgId: org.id, projectId, slug }, generateEpisodes(1))
    const inOrg = `/orgs/${org.slug}`
    const lists = [
      `${inOrg}/projects/lab/datasets`,
      `${inOrg}/projects/other/datasets`,
      `${inOrg}/projects`,
      `${inOrg}/members`,
      `${inOrg}/audit-events`,
      '/orgs',
    ]
    const cursors = new Map<string, string>()
    for (const path of lists) {
      const { body } = await list(path)
      if (body.next_cursor) cursors.set(path, body.next_cursor)
    }
    expect(cursors.size).toBeGreaterThanOrEqual(5)
    for (const path of lists)
      for (const [from, cursor] of cursors) {
        const answer = await list(path, cursor)
        if (from === path) expect([path, answer.status]).toEqual([path, 200])
        else
          expect([path, from, answer.status, answer.body.detail?.[0]]).toEqual([
            path,
            from,
            422,
            expect.objectContaining({ type: 'invalid_cursor', loc: ['query', 'cursor'] }),
          ])
      }
  })

  test("of somebody else's list is refused", async () => {
    const [mine, theirs] = [people.bearers.oadm ?? '', people.bearers.other ?? '']
    const create = (bearer: string, name: string) =>
      program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name } })
    for (const bearer of [mine, theirs]) for (const name of ['a', 'b']) await create(bearer, name)
    const page = (bearer: string, cursor = '') =>
      program.call('GET', `/api/v1/users/me/tokens?limit=1${cursor && `&cursor=${cursor}`}`, { bearer })
    const { next_cursor: cursor } = (await page(theirs)).body
    expect((await page(theirs, cursor)).status).toBe(200)
    const refused = await page(mine, cursor)
    expect([refused.status, refused.body.detail[0].type]).toEqual([422, 'invalid_cursor'])
  })
})

test('truth values of a body are true or false, and nothing that stands for them', async () => {
  const path = `/api/v1/orgs/${people.org.slug}/projects/lab/imports`
  const body = { source_kind: 'huggingface', hf_repo_id: 'nobody/nothing', dataset_slug: 'flipped' }
  for (const value of [0, 1, 'false', 'yes', []]) {
    const answer = await ask('POST', path, { ...body, options: { flip_vertical: value } })
    expect([answer.status, answer.body.detail[0]]).toEqual([
      422,
      expect.objectContaining({ type: 'bool_type', loc: ['body', 'options', 'flip_vertical'] }),
    ])
  }
  expect((await ask('POST', path, { ...body, options: { flip_vertical: false } })).status).toBe(201)
})

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import type { User } from '../users/service.ts'
import { createSecret, isSecret } from './secret.ts'

let program: TestProgram
let ada: User
let session: string

beforeAll(async () => {
  program = await startProgram()
  ada = await program.addUser('ada@example.org')
  session = await program.signIn(ada)
})
afterAll(() => program.close())

const create = (body: object) => program.call('POST', '/api/v1/users/me/tokens', { bearer: session, body })

test('a token opens what its scopes allow until it is revoked', async () => {
  const { body } = await create({ name: 'ci', scopes: ['imports:write', 'workspace:read', 'imports:write'] })
  expect(body.item.scopes).toEqual(['imports:write', 'workspace:read'])
  const me = () => program.call('GET', '/api/v1/users/me', { bearer: body.token })
  expect((await me()).body.user.email).toBe('ada@example.org')
  const revoked = await program.call('DELETE', `/api/v1/users/me/tokens/${body.item.id}`, { bearer: session })
  expect(revoked.body.item.revoked_at).not.toBeNull()
  expect((await me()).status).toBe(401)
  const again = await program.call('DELETE', `/api/v1/users/me/tokens/${body.item.id}`, { bearer: session })
  expect(again.body).toEqual(revoked.body)
})

test('lives 90 days unless told, and ends on time', async () => {
  const { body } = await create({ name: 'default' })
  const days = (Date.parse(body.item.expires_at) - Date.parse(body.item.created_at)) / 86_400_000
  expect(Math.round(days)).toBe(90)
  await program.context.db
    .updateTable('access_tokens')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', '=', body.item.id)
    .execute()
  expect((await program.call('GET', '/api/v1/users/me', { bearer: body.token })).status).toBe(401)
})

test('its last use is remembered, once a minute at most', async () => {
  const { body } = await create({ name: 'used' })
  const lastUsed = async () => {
    const { body: list } = await program.call('GET', '/api/v1/users/me/tokens', { bearer: session })
    return list.items.find((token: { id: string }) => token.id === body.item.id).last_used_at
  }
  expect(await lastUsed()).toBeNull()
  await program.call('GET', '/api/v1/users/me', { bearer: body.token })
  const first = await lastUsed()
  expect(first).not.toBeNull()
  await program.call('GET', '/api/v1/users/me', { bearer: body.token })
  expect(await lastUsed()).toBe(first)
})

test('the list pages newest first, and a made-up cursor is refused', async () => {
  const bob = await program.addUser('bob@example.org')
  const bearer = await program.signIn(bob)
  const made: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    made.unshift((await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name } })).body.item.name)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { items: { name: string }[]; next_cursor: string | null } = (
      await program.call('GET', `/api/v1/users/me/tokens?limit=2${cursor ? `&cursor=${cursor}` : ''}`, { bearer })
    ).body
    seen.push(...page.items.map((token) => token.name))
    cursor = page.next_cursor
  }
  expect(seen).toEqual(made)
  expect((await program.call('GET', '/api/v1/users/me/tokens?cursor=%00', { bearer })).status).toBe(422)
})

test("nobody sees or revokes another's token", async () => {
  const { body } = await create({ name: 'mine' })
  const eve = await program.signIn(await program.addUser('eve@example.org'))
  const foreign = await program.call('DELETE', `/api/v1/users/me/tokens/${body.item.id}`, { bearer: eve })
  const absent = await program.call('DELETE', '/api/v1/users/me/tokens/tok_none', { bearer: eve })
  expect(foreign.status).toBe(404)
  expect({ ...foreign.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' })
})

test('the secret is stored nowhere', async () => {
  const { body } = await create({ name: 'secret' })
  const rows = await program.context.db.selectFrom('access_tokens').selectAll().execute()
  const audits = await program.context.db.selectFrom('audit_events').selectAll().execute()
  expect(JSON.stringify([rows, audits])).not.toContain(body.token)
})

test('the checksum catches every changed character', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const places = fc.tuple(fc.integer({ min: 4, max: 39 }), fc.integer({ min: 0, max: 61 }))
  fc.assert(
    fc.property(places, ([at, letter]) => {
      const secret = createSecret()
      const changed = secret.slice(0, at) + alphabet[letter] + secret.slice(at + 1)
      expect(isSecret(secret)).toBe(true)
      expect(isSecret(changed)).toBe(changed === secret)
    }),
  )
})

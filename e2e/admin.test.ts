import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callUrl, cleanUp, makeFolder, type Program, runAdmin, startProgram } from './program.ts'

const password = 'correct horse battery staple'
let program: Program
/** Everything any command said on standard error: no secret may be in it. */
let complaints = ''

beforeAll(async () => {
  program = await startProgram({ env: { NMP_LOG_LEVEL: 'debug' } })
})
afterAll(cleanUp)

const session = (email: string, ...words: string[]): Promise<string> => program.mustAdmin('session', email, ...words)

describe('beside a running program', () => {
  test('people, organizations and projects are made and seen at once through the API', async () => {
    expect(await program.mustAdmin('org', 'add', 'acme', '--name', 'Acme')).toMatch(/^org_/)
    const ada = ['ada@example.org', '--name', 'Ada', '--password', password, '--org', 'acme', '--org-role', 'admin']
    expect(await program.mustAdmin('user', 'add', ...ada)).toMatch(/^usr_/)
    expect(await program.mustAdmin('user', 'add', 'bob@example.org', '--org', 'acme')).toMatch(/^usr_/)
    expect(await program.mustAdmin('project', 'add', 'acme/lab', '--member', 'bob@example.org:viewer')).toMatch(/^prj_/)

    const me = await program.call('GET', '/api/v1/users/me', { bearer: await session('ada@example.org') })
    expect(me.body.user).toMatchObject({ email: 'ada@example.org', org_admin_slugs: expect.arrayContaining(['acme']) })
    const seen = await program.call('GET', '/api/v1/orgs/acme/projects', { bearer: await session('bob@example.org') })
    expect(seen.body.items).toMatchObject([{ project_slug: 'lab', role: 'viewer' }])
  })

  test('session prints a session and nothing else, for as long as asked', async () => {
    const printed = await program.admin('session', 'ada@example.org', '--minutes', '5')
    expect(printed.stderr).toBe('')
    expect(printed.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const claims = JSON.parse(Buffer.from(printed.stdout.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.exp - claims.iat).toBe(300)
  })

  test('invite-link prints what the mail has, and its link makes the account that the sender could not make', async () => {
    const bearer = await session('ada@example.org')
    const body = { email: 'carol@example.org' }
    const made = await program.call('POST', '/api/v1/orgs/acme/invites', { bearer, body })
    expect([made.status, made.body.account_url]).toEqual([201, null])
    expect((await fetch(made.body.accept_url)).status).toBe(403)
    const link = await program.mustAdmin('invite-link', 'acme', 'Carol@example.org')
    const page = await fetch(link)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('carol@example.org')])
    expect(await program.admin('invite-link', 'acme', 'nobody@example.org')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('acme has no open invite to nobody@example.org'),
    })
    expect(await program.mustAdmin('user', 'prove', 'bob@example.org')).toMatch(/^usr_/)
  })

  test('token revoke ends a token with the next request', async () => {
    const bearer = await session('ada@example.org')
    const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'ci' } })
    expect((await program.call('GET', '/api/v1/users/me', { bearer: body.token })).status).toBe(200)
    expect(await program.mustAdmin('token', 'revoke', body.item.id)).toContain(body.item.id)
    expect((await program.call('GET', '/api/v1/users/me', { bearer: body.token })).status).toBe(401)
  })

  test('keys rotate: sessions go on, and with --drop-old they end', async () => {
    const before = await session('ada@example.org')
    await program.mustAdmin('keys', 'rotate')
    const between = await session('ada@example.org')
    for (const bearer of [before, between])
      expect((await program.call('GET', '/api/v1/users/me', { bearer })).status).toBe(200)
    await program.mustAdmin('keys', 'rotate', '--drop-old')
    const after = await session('ada@example.org')
    const ask = async (bearer: string) => (await program.call('GET', '/api/v1/users/me', { bearer })).status
    // A running program looks for a key that it does not know at most once in its cooldown, and has just looked.
    await expect.poll(() => ask(after), { timeout: 90_000 }).toBe(200)
    await expect.poll(() => ask(before), { timeout: 90_000 }).toBe(401)
  })

  test('what operators did is on record', async () => {
    const bearer = await session('ada@example.org')
    const { body } = await program.call('GET', '/api/v1/orgs/acme/audit-events', { bearer })
    const actions = body.items.map(
      (item: { actor_kind: string; action: string }) => `${item.actor_kind} ${item.action}`,
    )
    expect(actions).toEqual(expect.arrayContaining(['operator project.create', 'operator member.add']))
  })
})

describe('a mistake is a sentence', () => {
  const world: [string[], RegExp][] = [
    [['session', 'nobody@example.org'], /^There is no account with the e-mail nobody@example\.org\.$/],
    [['user', 'add', 'ada@example.org'], /ada@example\.org/],
    [['user', 'add', 'not an e-mail'], /e-mail/i],
    [['user', 'add', 'x@example.org', '--org', 'nowhere'], /There is no organization nowhere\. Create it: /],
    [
      ['user', 'add', 'y@example.org', '--org', 'acme', '--org-role', 'king'],
      /one of admin, member expected, got king/,
    ],
    [['org', 'add', 'acme'], /acme/],
    [['org', 'add', 'Not A Slug'], /is not a slug/],
    [['project', 'add', 'nowhere/lab'], /There is no organization nowhere/],
    [['project', 'add', 'acme/lab2', '--member', 'ghost@example.org:viewer'], /no account with the e-mail ghost/],
    [['token', 'revoke', 'tok_none'], /./],
    [['restore', '/nonexistent/file.tar'], /^There is no file \/nonexistent\/file\.tar\.$/],
    [['backup', '/nonexistent/file.tar'], /\/nonexistent/],
  ]
  test.each(world)('%j ends with 1', async (words, sentence) => {
    const { code, stdout, stderr } = await program.admin(...words)
    complaints += stderr
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trim()).toMatch(sentence)
    expect(stderr).not.toMatch(/^\s+at |duplicate key|violates|ENOENT: .*\n.*\n/m)
  })

  const wording: string[][] = [
    [],
    ['nonsense'],
    ['session'],
    ['session', 'a@b.c', 'more'],
    ['org', 'add', 'x', '--wrong'],
  ]
  test.each(wording.map((words) => [words] as const))('%j ends with 2 and the usage', async (words) => {
    const { code, stdout, stderr } = await program.admin(...words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('usage: npm run -s admin -- ')
  })

  test('a member that failed made no project', async () => {
    const bearer = await session('ada@example.org')
    const { body } = await program.call('GET', '/api/v1/orgs/acme/projects', { bearer })
    expect(body.items.map((item: { project_slug: string }) => item.project_slug)).not.toContain('lab2')
  })
})

test('commands need no running program', async () => {
  const env = { NMP_DATA_DIR: join(await makeFolder(), 'alone') }
  expect((await runAdmin(env, ['user', 'add', 'eve@example.org'])).stdout).toMatch(/^usr_/)
  const { code, stderr } = await runAdmin(env, ['session', 'eve@example.org'])
  expect([code, stderr]).toEqual([
    1,
    'No server has run on this database yet. Start one first, or set NMP_PUBLIC_URL.\n',
  ])
})

test('no secret is in any log, at the level that says most', async () => {
  const bearer = await session('ada@example.org')
  const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'planted' } })
  const planted = [bearer, body.token, password, `nmp_${'Z'.repeat(36)}`]
  for (const secret of planted) {
    const encoded = encodeURIComponent(secret)
    await callUrl(program.url, 'GET', '/api/v1/users/me', { bearer: secret })
    await callUrl(program.url, 'GET', `/api/v1/users/me/tokens?cursor=${encoded}`, { bearer })
    await callUrl(program.url, 'GET', `/api/v1/nowhere/${encoded}?access_token=${encoded}`)
    await callUrl(program.url, 'GET', `/sign-in?code=${encoded}`)
    await callUrl(program.url, 'DELETE', `/api/v1/users/me/tokens/${encoded}`, { bearer })
    await callUrl(program.url, 'GET', `/api/v1/orgs/${encoded}/projects`, { bearer })
    await callUrl(program.url, 'POST', '/api/v1/users/me/tokens', { bearer, body: `{"name": "${secret}"` })
    await callUrl(program.url, 'POST', '/api/v1/users/me/tokens', { bearer, body: { name: 5, scopes: [secret] } })
    await callUrl(program.url, 'GET', '/api/v1/version', {
      headers: { cookie: `session=${secret}`, 'x-hf-token': secret },
    })
    complaints += (await program.admin('token', 'revoke', body.item.id)).stderr
  }
  const said = program.output() + complaints
  expect(said.split('\n').filter((line) => line.startsWith('{')).length).toBeGreaterThan(20)
  const hits = planted.filter((secret) => said.includes(secret) || said.includes(encodeURIComponent(secret)))
  process.stdout.write(`planted secrets found in ${said.length} characters of log: ${hits.length}\n`)
  expect(hits.length).toBe(0)
})

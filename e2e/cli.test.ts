import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { hasProgram } from '../fixtures/test-where.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { createFormBrowser } from './form-browser.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { checkout, cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const execute = promisify(execFile)
let program: Program
let nmp: NmpCommand
let token: string

beforeAll(async () => {
  program = await startProgram()
  nmp = await installCommand({ NMP_BASE_URL: program.url })
  token = await createToken()
})
afterAll(cleanUp)

async function createToken(scopes?: string[]): Promise<string> {
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const every = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write']
  const body = { name: 'e2e', scopes: scopes ?? every }
  return (await program.call('POST', '/api/v1/users/me/tokens', { bearer, body })).body.token
}

test('runs where only Node is, and says its version', async () => {
  const { version } = JSON.parse(await readFile(join(checkout, 'cli', 'package.json'), 'utf8'))
  expect(await nmp.mustRun('--version')).toBe(version)
})

test('login by a code that a person confirms in a browser: a token is kept that its owner alone can read', async () => {
  const child = nmp.start(['login', '--profile', 'by-code'])
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    said.stdout += chunk
  })
  const asked = new Promise<string>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      said.stderr += chunk
      const address = /^Open (\S+)$/m.exec(said.stderr)?.[1]
      if (address) resolve(address)
    })
  })
  const browser = createFormBrowser()
  await browser.open(/http:\/\/\S+\/sign-in\?code=\S+/.exec(program.output())?.[0] ?? '')
  await browser.submit({})
  await browser.open(await asked)
  await browser.submit({})
  expect(await browser.submit({ confirm: 'yes' })).toContain('The command line is signed in')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(said.stdout).toContain('admin@localhost')

  const file = join(nmp.home, '.config', 'nmp', 'credentials.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const kept = JSON.parse(await readFile(file, 'utf8')).profiles['by-code'].stable
  expect(kept).toMatchObject({ base_url: program.url, email: 'admin@localhost', token: expect.stringMatching(/^nmp_/) })
  expect(await nmp.json('whoami', '--profile', 'by-code')).toMatchObject({
    email: 'admin@localhost',
    org_slug: 'admin',
    project_slug: 'default',
  })
  expect(await nmp.json('use', 'admin/default', '--profile', 'by-code')).toMatchObject({
    org_slug: 'admin',
    project_slug: 'default',
    role: 'admin',
  })
  expect(await nmp.json('logout', '--profile', 'by-code')).toMatchObject({
    base_url: program.url,
    profile: 'by-code',
    signed_in: false,
  })
  expect((await nmp.run(['whoami', '--profile', 'by-code'])).code).toBe(3)
})

test('login by a token on standard input; a token goes to the address it was made at and to no other', async () => {
  const login = await nmp.run(['login', '--token', '-'], { input: `${token}\n` })
  expect(login).toMatchObject({ code: 0, stderr: '' })
  expect(await nmp.mustRun('whoami', '-q')).toBe('admin@localhost')
  const seen: (string | undefined)[] = []
  const stranger = await listen((authorization) => seen.push(authorization))
  const elsewhere = await nmp.run(['whoami', '--base-url', stranger.url])
  expect(elsewhere.code).toBe(3)
  expect(seen).toEqual([undefined])
  stranger.close()
})

test('exit codes and sentences', async () => {
  const cases: [string[], Record<string, string>, number, RegExp][] = [
    [['whomai'], {}, 2, /^nmp: There is no command whomai; did you mean nmp whoami/],
    [['imports'], {}, 2, /^nmp: nmp imports needs one of these: ls, show/],
    [['imports', 'show'], {}, 2, /IMPORT is missing/],
    [['imports', 'ls', '--status', 'done'], {}, 2, /--status is one of queued/],
    [['whoami'], { NMP_TOKEN: 'nmp_wrong' }, 3, /Run nmp login, or set NMP_TOKEN\.$/],
    [['tokens', 'ls'], {}, 3, /--sign-in/],
    [['sessions', 'ls'], {}, 3, /--sign-in/],
    [['imports', 'show', 'imp_none'], {}, 4, /There is no import imp_none in admin\/default/],
    [['import', 'hf', 'no-owner'], {}, 5, /hf_repo_id/],
    [['import', 'file', '/nonexistent'], {}, 1, /There is no \/nonexistent/],
    [['whoami', '--base-url', 'http://127.0.0.1:9'], {}, 6, /127\.0\.0\.1:9 cannot be reached/],
  ]
  for (const [words, env, code, sentence] of cases) {
    const result = await nmp.run(words, { env })
    expect([words, result.code, result.stdout]).toEqual([words, code, ''])
    expect(result.stderr.trim()).toMatch(sentence)
    expect(result.stderr).not.toMatch(/^ {4}at /m)
  }
  const json = await nmp.run(['imports', 'show', 'imp_none', '--json'])
  expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'not_found', request_id: expect.any(String) })
})

test('the dev channel has its own address and its own token', async () => {
  const dev = await startProgram({ env: { NMP_CHANNEL: 'dev' } })
  const bearer = await dev.mustAdmin('session', 'admin@localhost')
  const env = { NMP_DEV_BASE_URL: dev.url, NMP_TOKEN: bearer }
  const both = await nmp.run(['whoami', '--channel', 'dev', '--json'], { env })
  expect(JSON.parse(both.stdout)).toMatchObject({ base_url: dev.url, channel: 'dev' })
  expect((await nmp.run(['whoami', '--channel', 'dev'])).stderr).toContain('NMP_DEV_BASE_URL')
  await dev.stop()
})

test('a session opens what tokens may not', async () => {
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const listed = await nmp.run(['tokens', 'ls', '--json'], { env: { NMP_TOKEN: bearer } })
  expect(JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)).toContain('e2e')
})

test('env prints what huggingface_hub reads; completion offers what comes next', async () => {
  expect(await nmp.mustRun('env')).toBe(`export HF_ENDPOINT='${program.url}/hf'\nexport HF_TOKEN='${token}'`)
  expect((await nmp.mustRun('__complete', '--', 'imports', '')).split('\n')).toContain('watch')
})

/** What each shell offers after `nmp imports wat`; zsh does so in its line editor only, so there the script has to load. */
const shells = {
  bash: 'eval "$(nmp completion bash)"; COMP_WORDS=(nmp imports wat) COMP_CWORD=2; _nmp; echo "$COMPREPLY"',
  fish: 'nmp completion fish | source; complete -C "nmp imports wat"',
  zsh: 'autoload -U compinit && compinit -D -u; eval "$(nmp completion zsh)" && whence _nmp >/dev/null && echo watch',
}

test.for(Object.entries(shells).filter(([shell]) => hasProgram(shell)))(
  'completion loads in %s',
  async ([shell, script]) => {
    const bin = join(nmp.home, 'bin')
    await mkdir(bin, { recursive: true })
    await symlink(nmp.path, join(bin, 'nmp')).catch(() => {})
    const env = { ...nmp.environment, PATH: `${bin}:${nmp.environment.PATH}` }
    const ran = await execute(shell, ['-c', script], { env }).catch((error) => error)
    expect(ran).toMatchObject({ stdout: expect.stringMatching(/^watch\s*$/) })
  },
)

test('an import that lost a camera says so wherever the command names it, with the reason and where to read on', async () => {
  const env = { NMP_TOKEN: token }
  const folder = join(await makeFolder(), 'one-camera')
  await cp(getFixture('lerobot/recorded-v3.0-two-cameras'), folder, { recursive: true })
  await rm(join(folder, 'videos/observation.images.wrist'), { recursive: true })
  const { stdout } = await nmp.run(['import', 'file', folder, '--kind', 'lerobot', '--slug', 'one-camera'], { env })
  const said = 'imported, 1 camera, feature or file dropped'
  const id = /imp_\w+/.exec(stdout)?.[0] ?? ''
  for (const words of [said, 'observation.images.wrist', `nmp imports report ${id}`]) expect(stdout).toContain(words)
  expect(stdout).toContain(`${program.url}/orgs/admin/projects/default/imports/${id}`)
  const run = async (...words: string[]) => (await nmp.run(words, { env })).stdout
  expect(await run('imports', 'ls', '--search', 'one-camera')).toContain(said)
  expect(await run('imports', 'report', id)).toMatch(/^loss .*observation\.images\.wrist/m)
  expect(await run('datasets', 'show', 'one-camera')).toMatch(
    /1 camera, feature or file dropped\. .*observation\.images\.wrist/,
  )
  const job = await answer(['imports', 'show', id])
  expect(job).toMatchObject({ status: 'succeeded', losses: { episodes_left_out: 0, dropped: 1 } })
})

test('completion offers the names that the service knows, and nothing where it does not answer', async () => {
  const env = { NMP_TOKEN: token }
  const offers = async (...words: string[]): Promise<string[]> =>
    (await nmp.run(['__complete', '--', ...words], { env })).stdout.split('\n').filter((line) => line !== '')
  const file = join(checkout, 'formats/test/golden/hdf5/ph2d/source/processed_episode_0.hdf5')
  const { id } = await answer(['import', 'file', file, '--slug', 'completed'])
  await answer(['versions', 'create', 'completed', '--slug', 'complete-part', '--recipe', '-'], '{}')
  const [flag] = await answer(['flags', 'add', 'completed', '0', '--reason', 'shaky'])
  expect(await offers('datasets', 'show', 'comp')).toEqual(['completed'])
  expect(await offers('versions', 'show', 'comp')).toEqual(['complete-part'])
  expect((await offers('download', 'comp')).sort()).toEqual(['complete-part', 'completed'])
  expect(await offers('imports', 'report', 'imp_')).toContain(id)
  expect(await offers('flags', 'rm', 'completed', '')).toEqual([flag.id])
  expect(await offers('use', '')).toEqual(['admin/default'])
  expect(await offers('datasets', 'ls', '--org', 'admin', '--project', '')).toEqual(['default'])
  expect(await offers('versions', 'create', '--slug', 'next', '--from-version', '')).toEqual(['complete-part'])
  expect(await offers('whoami', '--channel', '')).toEqual(['stable', 'dev'])
  expect(await offers('datasets', 'show', '--org', 'nobody', '--project', 'nothing', '')).toEqual([])
  const away = await nmp.run(['__complete', '--', 'datasets', 'show', ''], {
    env: { NMP_BASE_URL: 'http://127.0.0.1:9' },
  })
  expect(away).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('flags rm says which flags there are not', async () => {
  const env = { NMP_TOKEN: token }
  const file = join(checkout, 'formats/test/golden/hdf5/ph2d/source/processed_episode_0.hdf5')
  await answer(['import', 'file', file, '--slug', 'flagged'])
  const [flag] = await answer(['flags', 'add', 'flagged', '0', '--reason', 'idle'])
  const mixed = await nmp.run(['flags', 'rm', 'flagged', flag.id, 'flag_none', '-q'], { env })
  expect(mixed).toMatchObject({ code: 4, stdout: `${flag.id}\n` })
  expect(mixed.stderr).toMatch(/^nmp: flagged has no flag flag_none; .* Removed the other 1\.\n$/)
  expect(await answer(['flags', 'ls', 'flagged'])).toEqual([])
  const none = await nmp.run(['flags', 'rm', 'flagged', flag.id], { env })
  expect(none).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('Nothing was removed.') })
})

test('a name that nothing has is said with where it was looked for', async () => {
  for (const words of [
    ['datasets', 'show', 'none'],
    ['versions', 'show', 'none'],
    ['download', 'none'],
    ['imports', 'show', 'none'],
  ]) {
    const { code, stderr } = await nmp.run([...words, '--org', 'admin', '--project', 'default'])
    expect({ words, code, stderr }).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/none in admin\/default; nmp /),
    })
  }
})

test('a folder that is no dataset is refused before anything is sent', async () => {
  const file = join(nmp.home, 'notes.txt')
  await writeFile(file, 'nothing')
  expect(await nmp.run(['import', 'file', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('--kind') })
})

test('Ctrl-C leaves an upload where it is; the same command goes on', async () => {
  const line = await startFaultyProxy(program.url, { cutAfterBytes: [0, 0], share: 0, delayMs: 8 })
  const file = join(nmp.home, 'long.hdf5')
  const size = 24 * 1024 * 1024
  await writeFile(file, randomBytes(size))
  const words = ['import', 'file', file, '--base-url', line.url]
  const env = { NMP_TOKEN: token }
  const stopped = nmp.start(words, env)
  const said: string[] = []
  stopped.stderr?.on('data', (chunk) => said.push(String(chunk)))
  while (line.bytes() < size / 2) await sleep(20)
  stopped.kill('SIGINT')
  expect(await once(stopped, 'exit')).toEqual([130, null])
  expect(said.join('')).toContain('Stopped. Run the same command again to resume.')
  const before = line.bytes()
  const again = await nmp.run(words, { env })
  // The bytes are no HDF5: the import itself must fail, with its own exit code and a sentence.
  expect([again.code, again.stdout]).toEqual([7, ''])
  expect(again.stderr).toMatch(/nmp: The import imp_\w+ failed: .*HDF5/)
  expect(line.bytes() - before).toBeLessThan(size * 0.9)
  line.close()
})

test('publishing asks for a session', async () => {
  const refused = await nmp.run(['datasets', 'publish', 'none-such', '--yes'])
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('--sign-in') })
})

/** What a command answers as JSON, with the token of these tests. */
async function answer(words: string[], input = '') {
  const result = await nmp.run([...words, '--json'], { env: { NMP_TOKEN: token }, input })
  expect({ words, code: result.code, said: result.code === 0 ? '' : result.stderr }).toEqual({
    words,
    code: 0,
    said: '',
  })
  return JSON.parse(result.stdout)
}

test('what is written beside a dataset is changed and taken back', async () => {
  const file = join(checkout, 'formats/test/golden/hdf5/ph2d/source/processed_episode_0.hdf5')
  await answer(['import', 'file', file, '--slug', 'edited'])
  const words = ['--robot', 'H1', '--work', 'Kitchen', '--tag', 'a', '--tag', 'b']
  const set = await answer(['datasets', 'edit', 'edited', ...words])
  expect(set).toMatchObject({ robot_type: 'H1', work_name: 'Kitchen', tags: ['a', 'b'], embodiment: 'h1_inspire' })
  expect(set.edited_fields).toEqual(['tags', 'work_name', 'robot_type'])
  const back = await answer(['datasets', 'edit', 'edited', '--reset', 'robot', '--reset', 'tag'])
  expect(back).toMatchObject({ robot_type: 'h1_inspire', tags: [], edited_fields: ['work_name'] })
  for (const wrong of [[], ['--reset', 'colour']])
    expect((await nmp.run(['datasets', 'edit', 'edited', ...wrong], { env: { NMP_TOKEN: token } })).code).toBe(2)

  const turned = { state: 'action', action: 'observation.state' }
  expect(await answer(['datasets', 'roles', 'edited'])).toMatchObject({ state: null, run: { status: 'none' } })
  expect(
    await answer(['datasets', 'roles', 'edited', '--state', turned.state, '--action', turned.action]),
  ).toMatchObject({ ...turned, in_force: turned, run: { status: 'succeeded' } })
  const unknown = await nmp.run(['datasets', 'roles', 'edited', '--state', 'qpos'], { env: { NMP_TOKEN: token } })
  expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringContaining('there is no column qpos')])
})

test('versions: of a split, of a version, published when asked, copied as a dataset', async () => {
  const env = { NMP_TOKEN: token }
  const file = join(checkout, 'formats/test/golden/hdf5/robomimic/source/low.hdf5')
  const { dataset_id: datasetId } = await answer(['import', 'file', file, '--slug', 'lift'])
  const all = await answer(['episodes', 'ls', 'lift'])
  const inSplit = all.filter(({ splits }: { splits: string[] }) => splits.includes('20_percent_train'))
  expect(inSplit.length).toBeGreaterThan(0)
  expect(inSplit.length).toBeLessThan(all.length)
  expect(await answer(['episodes', 'ls', 'lift', '--split', '20_percent_train'])).toEqual(inSplit)
  const first = await nmp.run(['episodes', 'ls', 'lift', '--limit', '1', '--json'], { env })
  expect(JSON.parse(first.stdout)).toEqual(all.slice(0, 1))
  expect(first.stderr).toContain('There are more than these 1')
  expect((await nmp.run(['episodes', 'ls', 'lift', '--limit', `${all.length}`], { env })).stderr).toBe('')
  const standing = await answer(['episodes', 'standouts', 'lift'])
  const { body } = await program.call('GET', `/api/v1/catalog/datasets/${datasetId}/filtering`, { bearer: token })
  expect(standing.map(({ score_label }: { score_label: string }) => score_label)).toEqual(
    [...body.item.low_motion_episodes, ...body.item.high_variance_episodes].map(({ score_label }) => score_label),
  )

  const part = await answer(['versions', 'create', 'lift', '--slug', 'part', '--split', '20_percent_train'])
  expect(part).toMatchObject({
    episode_count: inSplit.length,
    recipe: { where: { splits_any: ['20_percent_train'] } },
  })
  const both = await nmp.run(['versions', 'create', 'lift', '--from-version', 'part', '--slug', 'no', '--split', 'x'], {
    env,
  })
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('not both') })
  const one = await answer(
    ['versions', 'create', '--from-version', 'part', '--slug', 'one', '--recipe', '-'],
    '{"first_n_episodes": 1}',
  )
  expect(one).toMatchObject({ episode_count: 1, source: { dataset_id: part.id }, composition: [{ slug: 'part' }] })

  // Nobody is there to answer, and a token publishes nothing.
  const unasked = await nmp.run(['versions', 'publish', 'one'], { env })
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('with --yes to confirm') })
  const byToken = await nmp.run(['versions', 'publish', 'one', '--yes'], { env })
  expect(byToken).toMatchObject({ code: 3, stderr: expect.stringContaining('--sign-in') })
  const session = { NMP_TOKEN: await program.mustAdmin('session', 'admin@localhost') }
  for (const [word, visibility] of [
    ['publish', 'public'],
    ['withdraw', 'private'],
  ] as const) {
    const changed = await nmp.run(['versions', word, 'one', '--yes', '--json'], { env: session })
    expect(JSON.parse(changed.stdout)).toMatchObject({ id: one.id, visibility })
  }

  const copied = await answer(['versions', 'copy', 'one', '--to', 'lift-one', '--title', 'One lift'])
  expect(copied).toMatchObject({
    status: 'succeeded',
    source_kind: 'version',
    project_slug: 'default',
    copied_from: { version_id: one.id, slug: 'one', composition: [{ slug: 'part' }] },
  })
  expect(await answer(['datasets', 'show', 'lift-one'])).toMatchObject({
    title: 'One lift',
    metrics: { total_episodes: 1 },
  })
  const there = `admin/${one.id}`
  const queued = await answer(['versions', 'copy', there, '--to', 'admin/default/lift-two', '--no-wait'])
  expect(['queued', 'running']).toContain(queued.status)
  expect(await nmp.run(['imports', 'watch', queued.id, '-q'], { env })).toMatchObject({
    code: 0,
    stdout: `${queued.id}\n`,
  })
  for (const [to, sentence] of [
    [[], '--to is missing'],
    [['--to', 'a/b/c/d'], 'ORG/PROJECT/SLUG'],
  ] as const) {
    const refused = await nmp.run(['versions', 'copy', 'one', ...to], { env })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  }
}, 120_000)

async function listen(onRequest: (authorization: string | undefined) => void) {
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    onRequest(request.headers.authorization)
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"detail":"Who are you?","code":"unauthenticated"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, close: () => server.close() }
}

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { testWhere } from '../fixtures/test-where.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { type CommandResult, checkout, cleanUp, makeFolder, type Program, startProgram } from './program.ts'

/** Every block of a tutorial, in order, as a reader would type it. Python's has its test in sdk-python/tests. */
const source = getFixture('lerobot/recorded-v2.1')

let program: Program
let nmp: NmpCommand
let environment: Record<string, string>

beforeAll(async () => {
  program = await startProgram()
  nmp = await installCommand()
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write']
  const made = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'tutorials', scopes } })
  environment = {
    ...nmp.environment,
    NMP_BASE_URL: program.url,
    NMP_TOKEN: made.body.token,
    NMP_ORG: 'admin',
    NMP_PROJECT: 'default',
  }
})
afterAll(cleanUp)

const readBlocks = async (name: string, language: string): Promise<string> => {
  const page = await readFile(join(checkout, 'docs', 'tutorials', `${name}.md`), 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, kind]) => kind === language)
  return blocks.map(([, , text]) => text).join('\n')
}

/** A folder with the reader's recordings in it. */
async function makeDesk(): Promise<string> {
  const desk = await makeFolder()
  await cp(source, join(desk, 'my-dataset'), { recursive: true })
  return desk
}

const run = (file: string, words: string[], folder: string, env: Record<string, string>): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? -1, ...said }))
  })

/** The lines that a page gives for installing: the first is typed in the checkout, the second in the reader's folder. */
async function install(page: string, desk: string): Promise<void> {
  const [pack = '', ...rest] = (await readBlocks(page, 'console'))
    .split('\n')
    .flatMap((line) => /^\$ (npm .*)$/.exec(line)?.[1] ?? [])
  const env = {
    ...environment,
    npm_config_pack_destination: desk,
    npm_config_prefix: join(desk, 'global'),
    npm_config_audit: 'false',
    npm_config_offline: 'true',
  }
  expect(rest).toHaveLength(1)
  expect(await run('bash', ['-c', pack], checkout, env)).toMatchObject({ code: 0 })
  for (const line of rest) expect(await run('bash', ['-c', line], desk, env)).toMatchObject({ code: 0 })
}

test('cli.md', async () => {
  const desk = await makeDesk()
  await install('cli', desk)
  const env = { ...environment, PATH: `${join(desk, 'global', 'bin')}:${environment.PATH}` }
  const result = await run('bash', ['-euo', 'pipefail', '-c', await readBlocks('cli', 'sh')], desk, env)
  expect(result).toMatchObject({ code: 0 })
  expect(result.stdout).toContain(`${program.url}/hf`)
  const info = JSON.parse(await readFile(join(desk, 'first-two', 'meta', 'info.json'), 'utf8'))
  expect(info).toMatchObject({ codebase_version: 'v3.0', total_episodes: 2 })
  expect(JSON.parse(await readFile(join(desk, 'version.json'), 'utf8')).status).toBe('materialized')
})

test('curl.md', async () => {
  const desk = await makeDesk()
  const result = await run('bash', ['-c', await readBlocks('curl', 'sh')], desk, environment)
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('curl-two.tar: OK') })
})

// The package is built by TypeScript, which `npm ci` does not install: the check of `.ci/run` does.
const testWithTools = testWhere(existsSync(join(checkout, 'tools', 'node_modules', 'typescript')))

testWithTools('typescript.md, and the same package on the Node that is on the PATH', async () => {
  const desk = await makeDesk()
  await install('typescript', desk)
  await writeFile(join(desk, 'tutorial.mts'), await readBlocks('typescript', 'ts'))
  const result = await run(process.execPath, ['tutorial.mts'], desk, environment)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toMatch(/^\.\/ts-two\.tar \d+ [0-9a-f]{64}$/m)
  expect(result.stdout).toMatch(/^404 not_found There is nothing here/m)
  const lines = [
    `import { createClient } from '@nmp/sdk/client'`,
    `import { uploadPaths } from '@nmp/sdk/node-files'`,
    `const client = createClient({ baseUrl: process.env.NMP_BASE_URL, token: process.env.NMP_TOKEN })`,
    `const [upload] = await uploadPaths(client.transport, ['try.mjs'])`,
    `console.log((await client.users.getCurrentUser()).user.email, upload.sizeBytes > 0)`,
    'process.exit(0)',
  ]
  await writeFile(join(desk, 'try.mjs'), lines.join('\n'))
  expect(await run('node', ['try.mjs'], desk, environment)).toMatchObject({ code: 0, stdout: 'admin@localhost true\n' })
})

test('the sources of the SDK are not packed by mistake: the way to a package is said', async () => {
  const desk = await makeFolder()
  const packed = await run('npm', ['pack', '-w', 'sdk', '--pack-destination', desk], checkout, environment)
  expect(packed).toMatchObject({ code: 1, stderr: expect.stringContaining('npm pack ./sdk/dist') })
})

test('each page tells the exit codes that the command has', async () => {
  const page = await readFile(join(checkout, 'docs', 'tutorials', 'cli.md'), 'utf8')
  const told = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  const source = await readFile(join(checkout, 'cli', 'src', 'failures.ts'), 'utf8')
  const known = [...source.matchAll(/^ {2}\w+: (\d+),$/gm)].map(([, code]) => Number(code))
  expect(told).toEqual([0, ...known])
})

import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
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

test('cli.md', async () => {
  const desk = await makeDesk()
  await mkdir(join(desk, 'bin'))
  const script = `#!/bin/sh\nexec node ${nmp.path} "$@"\n`
  await writeFile(join(desk, 'bin', 'nmp'), script)
  await chmod(join(desk, 'bin', 'nmp'), 0o755)
  const env = { ...environment, PATH: `${join(desk, 'bin')}:${environment.PATH}` }
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

test('typescript.md', async () => {
  const desk = await makeDesk()
  await mkdir(join(desk, 'node_modules', '@nmp'), { recursive: true })
  await symlink(join(checkout, 'sdk'), join(desk, 'node_modules', '@nmp', 'sdk'))
  await writeFile(join(desk, 'tutorial.mts'), await readBlocks('typescript', 'ts'))
  const result = await run(process.execPath, ['tutorial.mts'], desk, environment)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toMatch(/^\.\/ts-two\.tar \d+ [0-9a-f]{64}$/m)
  expect(result.stdout).toMatch(/^404 not_found There is nothing here/m)
})

test('each page tells the exit codes that the command has', async () => {
  const page = await readFile(join(checkout, 'docs', 'tutorials', 'cli.md'), 'utf8')
  const told = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  const source = await readFile(join(checkout, 'cli', 'src', 'failures.ts'), 'utf8')
  const known = [...source.matchAll(/^ {2}\w+: (\d+),$/gm)].map(([, code]) => Number(code))
  expect(told).toEqual([0, ...known])
})

test('the packed SDK is plain JavaScript that any Node from 20.3 on runs', async () => {
  const desk = await makeFolder()
  const env = { ...environment, PATH: process.env.PATH ?? '' }
  for (const words of [
    ['run', '--silent', '--workspace', 'sdk', 'build'],
    ['pack', join(checkout, 'sdk', 'dist'), '--pack-destination', desk],
  ])
    expect(await run('npm', words, checkout, env)).toMatchObject({ code: 0 })
  const unpacked = join(desk, 'node_modules', '@nmp', 'sdk')
  await mkdir(unpacked, { recursive: true })
  const words = ['-xzf', join(desk, 'nmp-sdk-0.1.0.tgz'), '-C', unpacked, '--strip-components', '1']
  expect(await run('tar', words, desk, environment)).toMatchObject({ code: 0 })
  const lines = [
    `import { createClient } from '@nmp/sdk/client'`,
    `import { uploadPaths } from '@nmp/sdk/node-files'`,
    `const client = createClient({ baseUrl: process.env.NMP_BASE_URL, token: process.env.NMP_TOKEN })`,
    `const [upload] = await uploadPaths(client.transport, ['try.mjs'])`,
    `console.log((await client.users.getCurrentUser()).user.email, upload.sizeBytes > 0)`,
    'process.exit(0)',
  ]
  await writeFile(join(desk, 'try.mjs'), lines.join('\n'))
  const result = await run('node', ['try.mjs'], desk, environment)
  expect(result).toMatchObject({ code: 0, stdout: 'admin@localhost true\n' })
})

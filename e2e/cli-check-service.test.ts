import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'
import { listSteps } from './workflow-steps.ts'

/** `nmp check` of what the service has. */
let program: Program
let nmp: NmpCommand

beforeAll(async () => {
  program = await startProgram()
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write']
  const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'e2e', scopes } })
  nmp = await installCommand({ NMP_BASE_URL: program.url, NMP_TOKEN: body.token })
  await nmp.mustRun('import', 'file', getFixture('lerobot/recorded-v3.0-can-motion'), '--slug', 'cans')
})
afterAll(cleanUp)

interface Printed {
  ok: boolean
  episodes: number
  signals: { status: string }
  findings: { rule: string; episode_index: number }[]
  rankings: { rule: string; episode_index: number; rank: number; of: number }[]
  set_values: { rule: string; agreeing: number; measured: number }[]
}

const listShaky = ({ findings }: Printed): number[] =>
  findings.filter(({ rule }) => rule === 'shakiness').map((finding) => finding.episode_index)

test('an import is checked already: what was found ends the command with 9', async () => {
  const found = await nmp.run(['check', 'cans', '--fail-on', 'warning', '--json'])
  const printed: Printed = JSON.parse(found.stdout)
  expect([found.code, listShaky(printed).toSorted((one, other) => one - other)]).toEqual([9, [14, 16, 19]])
  expect(printed).toMatchObject({ episodes: 30, signals: { status: 'succeeded' } })
  const longest = printed.rankings.filter(({ rule, rank, of }) => rule === 'length' && rank === of)
  expect([printed.rankings.filter(({ rule }) => rule === 'length').length, longest.length]).toEqual([30, 1])
  expect(printed.set_values).toMatchObject([{ rule: 'lag', measured: 29 }])
  const people = await nmp.run(['check', 'cans'])
  expect(people.stdout).toMatch(/The state follows the action by [\d.]+ frames; confidence/)
  expect(people.stdout).toContain('shakiness (episode 14')
})

test('the workflow of docs/checks.md that asks the service fails on what was found, and keeps its report', async () => {
  const [install, check = ''] = await listSteps('checks.md', 'check what the service has')
  expect(install).toContain('npm pack -w cli')
  const runner = await makeFolder()
  await writeFile(join(runner, 'nmp'), `#!/bin/sh\nexec node '${nmp.path}' "$@"\n`, { mode: 0o755 })
  const env = {
    ...nmp.environment,
    PATH: `${runner}:${nmp.environment.PATH}`,
    NMP_ORG: 'admin',
    NMP_PROJECT: 'default',
  }
  const line = check.replace('pick-cans', 'cans')
  const { status } = spawnSync('bash', ['-e', '-c', line], { cwd: runner, env })
  expect(status).toBe(9)
  const printed: Printed = JSON.parse(await readFile(join(runner, 'checks.json'), 'utf8'))
  expect(listShaky(printed)).toHaveLength(3)
})

test('a cut-off is another one without another run, and --run does what is missing', async () => {
  const strict = await nmp.run(['check', 'cans', '--cut-off', 'shakiness=1000', '--json'])
  expect(listShaky(JSON.parse(strict.stdout))).toEqual([])
  expect(await nmp.run(['check', 'cans', '--cut-off', 'saturation=9'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('run the checks again'),
  })
  const recipe = ['--recipe', '-', '--slug', 'steady']
  const made = await nmp.run(['versions', 'create', 'cans', ...recipe], {
    input: JSON.stringify({ where: { checks: { shakiness: 'absent' } } }),
  })
  expect(made).toMatchObject({ code: 0 })
  expect(await nmp.run(['check', 'steady'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--run') })
  const run = await nmp.run(['check', 'steady', '--run', '--json'])
  expect(JSON.parse(run.stdout)).toMatchObject({ episodes: 27, signals: { status: 'succeeded' } })
})

test('what is neither on this machine nor in the project is not found', async () => {
  expect(await nmp.run(['check', 'nothing-here'])).toMatchObject({ code: 4 })
  expect(await nmp.run(['check', './nothing-here'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('on this machine'),
  })
})

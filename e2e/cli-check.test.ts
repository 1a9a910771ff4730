import { execFileSync, spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { testWhere } from '../fixtures/test-where.ts'
import { installCommand, type NmpCommand, plainEnvironment } from './nmp-command.ts'
import { checkout, cleanUp, makeFolder } from './program.ts'
import { listSteps } from './workflow-steps.ts'

/** `nmp check`, which asks no service. */
const nodeOnPath = execFileSync('node', ['-p', 'process.versions.node'], { env: plainEnvironment(), encoding: 'utf8' })
let nmp: NmpCommand

beforeAll(async () => {
  nmp = await installCommand()
})
afterAll(cleanUp)

/** As `npm install -g ./formats` leaves it: a link to the file in the checkout. */
async function linkFormats(target: string): Promise<Record<string, string>> {
  const folder = await makeFolder()
  await symlink(target, join(folder, 'nmp-formats'))
  return { PATH: `${folder}:${nmp.environment.PATH}` }
}

test('check reads a dataset with nmp-formats, whatever Node the command runs on', async () => {
  const env = await linkFormats(join(checkout, 'formats', 'bin', 'nmp-formats.mjs'))
  const good = await nmp.run(['check', getFixture('lerobot/recorded-v2.1')], { env })
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('4 episodes and 231 frames are usable') })
  const bad = await nmp.run(['check', await makeFolder()], { env })
  expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('No known robot dataset was found.') })
})

test('check ends with 9 when something is found at or above --fail-on, and with 4 where nothing is', async () => {
  const env = await linkFormats(join(checkout, 'formats', 'bin', 'nmp-formats.mjs'))
  const strict = ['check', getFixture('lerobot/recorded-v3.0-can-motion'), '--fail-on', 'warning', '--json']
  const found = await nmp.run(strict, { env })
  const { findings } = JSON.parse(found.stdout) as { findings: { rule: string; episode_index: number }[] }
  const shaky = findings.filter(({ rule }) => rule === 'shakiness').map((finding) => finding.episode_index)
  expect([found.code, shaky.toSorted((one, other) => one - other)]).toEqual([9, [14, 16, 19]])
  const lenient = ['check', getFixture('lerobot/recorded-v2.1'), '--fail-on', 'info', '--without-pictures', '--json']
  expect(await nmp.run(lenient, { env })).toMatchObject({ code: 0 })
  expect(await nmp.run(['check', join(nmp.home, 'nothing-here')], { env })).toMatchObject({ code: 4 })
})

test('the workflow of docs/checks.md that needs no service fails on a set with findings, and keeps its report', async () => {
  const [install, check = ''] = await listSteps('checks.md', 'check')
  expect(install).toBe('npm ci --prefix nmp')
  const runner = await makeFolder()
  await symlink(getFixture('lerobot/recorded-v3.0-can-motion'), join(runner, 'data'))
  await symlink(checkout, join(runner, 'nmp'))
  const path = `${dirname(process.execPath)}:${nmp.environment.PATH}`
  const { status } = spawnSync('bash', ['-e', '-c', check], { cwd: runner, env: { ...nmp.environment, PATH: path } })
  expect(status).toBe(9)
  const printed = JSON.parse(await readFile(join(runner, 'checks.json'), 'utf8'))
  expect(printed).toMatchObject({
    episodes: 30,
    findings: expect.arrayContaining([expect.objectContaining({ rule: 'shakiness' })]),
  })
})

testWhere(Number(nodeOnPath.split('.')[0]) < 24)('check says only that it cannot where Node is too old', async () => {
  const alone = join(await makeFolder(), 'nmp-formats.mjs')
  await copyFile(join(checkout, 'formats', 'bin', 'nmp-formats.mjs'), alone)
  const { code, stdout, stderr } = await nmp.run(['check', nmp.home], { env: await linkFormats(alone) })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^nmp-formats needs Node 24 or newer, this is v\d[^\n]*\n$/)
})

test('check says how to get what it runs', async () => {
  expect(await nmp.run(['check', nmp.home])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install -g ./formats'),
  })
  // A file of that name that may not be run does not count.
  const folder = join(nmp.home, 'not-to-be-run')
  await mkdir(folder)
  await writeFile(join(folder, 'nmp-formats'), '', { mode: 0o644 })
  expect(await nmp.run(['check', nmp.home], { env: { PATH: `${nmp.environment.PATH}:${folder}` } })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install -g ./formats'),
  })
})

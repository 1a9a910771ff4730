import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'

/** `nmp export VERSION --to …`: a version in another form, with its options, on this machine. */
let program: Program
let nmp: NmpCommand

beforeAll(async () => {
  program = await startProgram()
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write']
  const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'e2e', scopes } })
  nmp = await installCommand({ NMP_BASE_URL: program.url, NMP_TOKEN: body.token })
  await nmp.mustRun('import', 'file', getFixture('lerobot/recorded-v3.0-two-cameras'), '--slug', 'arms')
  const recipe = JSON.stringify({ selected_episode_indices: [2] })
  const made = await nmp.run(['versions', 'create', 'arms', '--recipe', '-', '--slug', 'one'], { input: recipe })
  expect(made).toMatchObject({ code: 0 })
})
afterAll(cleanUp)

const unpack = (tar: string, name: string): string =>
  execFileSync('tar', ['-xOf', tar, name], { encoding: 'utf8', maxBuffer: 1024 * 1024 })

test('what there is, and what each has no place for', async () => {
  const items = await nmp.json('targets', 'one')
  const stats = items.find(({ key }: { key: string }) => key === 'openpi-norm-stats')
  expect(stats).toMatchObject({ estimated_files: 1, options: { properties: { horizon: { default: 50 } } } })
  expect(await nmp.mustRun('targets', 'one')).toContain('robomimic')
})

test('targets --to with --set: of one form, with those options; --set alone and a wrong option are refused', async () => {
  const [archive] = await nmp.json('targets', 'one', '--to', 'zarr')
  const [folder, ...others] = await nmp.json('targets', 'one', '--to', 'zarr', '--set', 'container=folder')
  expect([others, archive.key, archive.estimated_files]).toEqual([[], 'zarr', 1])
  expect(folder.estimated_files).toBeGreaterThan(20)
  expect(await nmp.run(['targets', 'one', '--to', 'zarr', '--set', 'container=box'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('container of zarr must be'),
  })
  expect(await nmp.run(['targets', 'one', '--set', 'container=folder'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--set needs --to'),
  })
})

test('--to with --set and -o: made, waited for, downloaded; what is lost is said; other options give other bytes', async () => {
  const folder = await makeFolder()
  const fetchStats = async (horizon: number) => {
    const path = join(folder, `${horizon}.tar`)
    const words = ['--to', 'openpi-norm-stats', '--set', `horizon=${horizon}`, '--set', 'delta_mask=2,-1', '-o', path]
    expect(await nmp.run(['export', 'one', ...words])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('observation.images.top: norm_stats.json holds statistics'),
    })
    return unpack(path, 'openpi-norm-stats/norm_stats.json')
  }
  const [near, far] = [await fetchStats(1), await fetchStats(30)]
  expect(Object.keys(JSON.parse(near).norm_stats)).toEqual(['state', 'actions'])
  expect(near).not.toBe(far)
})

test('into a folder it is named after the version and the form', async () => {
  const folder = await makeFolder()
  await nmp.mustRun('export', 'one', '--to', 'zarr', '--set', 'container=folder', '-o', `${folder}/`)
  const described = JSON.parse(unpack(join(folder, 'one-zarr.tar'), 'zarr/dataset.zarr/data/top_rgb/.zarray'))
  expect(described).toMatchObject({ zarr_format: 2, dtype: '|u1' })
})

test('several forms in one go: options by the name of the form, a file of each in the folder', async () => {
  const folder = await makeFolder()
  const words = ['export', 'one', '--to', 'rlds', '--to', 'zarr', '--set', 'rlds.name=arms']
  const files = await nmp.json(...words, '-o', `${folder}/`)
  expect(files.map(({ path }: { path: string }) => path)).toEqual([
    join(folder, 'one-rlds.tar'),
    join(folder, 'one-zarr.tar'),
  ])
  expect(unpack(join(folder, 'one-rlds.tar'), 'rlds/arms/1.0.0/dataset_info.json')).toContain('"arms"')
  const refused = async (...more: string[]) => (await nmp.run([...words, ...more])).stderr
  expect(await refused('-o', join(folder, 'both.tar'))).toContain('-o must be a folder')
  expect(await refused('--set', 'images=png')).toContain('must say which form it is of, e.g. rlds.images')
})

test('an option that a form does not have, and a form that there is not, are refused by a sentence', async () => {
  expect(await nmp.run(['export', 'one', '--to', 'robomimic', '--set', 'horizon=3'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('robomimic has no option "horizon"'),
  })
  expect((await nmp.run(['export', 'one', '--to', 'tape'])).code).not.toBe(0)
  expect(await nmp.run(['export', 'one', '--set', 'horizon'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--set takes KEY=VALUE'),
  })
})

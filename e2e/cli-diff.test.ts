import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

/** `nmp diff` and `nmp lineage` of what was imported and derived. */
let program: Program
let nmp: NmpCommand

beforeAll(async () => {
  program = await startProgram()
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write']
  const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'e2e', scopes } })
  nmp = await installCommand({ NMP_BASE_URL: program.url, NMP_TOKEN: body.token })
  await nmp.mustRun('import', 'file', getFixture('lerobot/recorded-v3.0-can-motion'), '--slug', 'cans')
  const made = await nmp.run(['versions', 'create', 'cans', '--recipe', '-', '--slug', 'few'], {
    input: JSON.stringify({ selected_episode_indices: [3, 5, 7], trim: { ranges: { 5: [[2, 30]] } } }),
  })
  expect(made).toMatchObject({ code: 0 })
})
afterAll(cleanUp)

test('what became of each episode, by its content', async () => {
  const same = await nmp.mustRun('diff', 'cans@1', 'cans', '--json')
  const found = JSON.parse(same)
  // Taken with the import: nothing had to be read first.
  expect(found).toMatchObject({ state: 'ready', preparing: [], counts: { same: 30, added: 0, removed: 0 } })
  expect(found.episodes.same).toHaveLength(30)
  const cut = await nmp.mustRun('diff', 'cans', 'few')
  expect(cut).toContain('27 removed, 1 trimmed')
  expect(cut).toContain('episode 5 -> 1')
  expect(cut).toContain('keeps 2..30')
  expect(cut).toContain('recipe trim.ranges.5: null -> [[2,30]]')
  expect(await nmp.run(['diff', 'cans@9', 'few'])).toMatchObject({ code: 4 })
})

test('what came from what', async () => {
  const stdout = await nmp.mustRun('lineage', 'cans')
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^import /),
    expect.stringMatching(/^ {2}revision .*revision 1/),
    expect.stringMatching(/^ {4}version few, version 1/),
  ])
})

test('several datasets as one: a suggested map is taken as it is printed, and both are among what the version came from', async () => {
  const suggested = await nmp.mustRun('versions', 'suggest-map', 'cans', 'cans')
  const { sources } = JSON.parse(suggested)
  expect(sources).toHaveLength(2)
  // Everything is called the same, so there is nothing to say.
  expect(sources[1].rows).toEqual([])
  const input = JSON.stringify({
    sources: [
      { ...sources[0], sample: 2 },
      { ...sources[1], sample: 3 },
    ],
    seed: 7,
  })
  const tried = await nmp.run(['versions', 'merge', 'cans', 'cans', '--map', '-', '--dry-run', '--json'], { input })
  expect(JSON.parse(tried.stdout)).toMatchObject({
    episode_count: 5,
    sources: [{ episode_count: 2 }, { episode_count: 3 }],
  })
  const made = await nmp.run(['versions', 'merge', 'cans', 'cans', '--map', '-', '--slug', 'both', '--json'], { input })
  expect(made).toMatchObject({ code: 0 })
  const { id } = JSON.parse(made.stdout)
  expect(JSON.parse(await nmp.mustRun('diff', 'cans', id, '--json')).counts).toMatchObject({ changed: 0, trimmed: 0 })
  expect(await nmp.mustRun('lineage', 'cans')).toContain('version both, version 1')
  const wrong = await nmp.run(['versions', 'merge', 'cans', 'cans', '--map', '-', '--slug', 'both'], {
    input: JSON.stringify({ sources: [{}] }),
  })
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('speaks of 1 sources, and 2 are named')])
})

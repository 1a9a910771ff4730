import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { cleanUp, makeFolder, startProgram } from './program.ts'

afterAll(cleanUp)

/** Draws and encodes 24 episodes, a minute of CPU: only by NMP_TEST_LONG. The short form is server/src/demo/demo.test.ts. */
test('a first start makes the demo dataset once, also when it is killed at it', async () => {
  const dataDir = await makeFolder()
  const env = { NMP_DEMO: '1', NMP_PUBLIC_URL: 'http://nmp.test' }
  let program = await startProgram({ dataDir, env })
  await sleep(4_000)
  await program.kill()
  program = await startProgram({ dataDir, env })
  const begun = performance.now()
  const find = async () => (await program.call('GET', '/api/v1/catalog/datasets')).body.items
  while ((await find()).length === 0) {
    if (performance.now() - begun > 240_000) throw new Error(`no demo dataset:\n${program.output()}`)
    await sleep(500)
  }
  process.stdout.write(
    `the demo is in the catalog ${((performance.now() - begun) / 1000).toFixed(0)} s after the start\n`,
  )
  expect(await find()).toMatchObject([{ title: 'Blocks to bin, simulated arm', total_episodes: 24, total_tasks: 2 }])
  const [{ id }] = await find()
  const { body } = await program.call('GET', `/api/v1/catalog/datasets/${id}/filtering`)
  const shaky = body.item.high_variance_episodes.map((episode: { episode_index: number }) => episode.episode_index)
  expect(shaky.toSorted((one: number, other: number) => one - other)).toEqual([6, 13, 22])
  const still = body.item.low_motion_episodes.map((episode: { episode_index: number }) => episode.episode_index)
  expect(still.toSorted((one: number, other: number) => one - other)).toEqual([3, 9, 20])

  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const imports = await program.call('GET', '/api/v1/orgs/admin/projects/default/imports', { bearer })
  expect(imports.body.items).toMatchObject([{ status: 'succeeded', consistency_status: 'ok' }])
  expect(await program.stop()).toBe(0)
}, 400_000)

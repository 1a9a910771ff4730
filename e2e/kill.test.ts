import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { isLongRun } from '../fixtures/test-where.ts'
import { listPostgres, waitFor } from './processes.ts'
import { cleanUp, makeFolder, startProgram } from './program.ts'
import { createRecord, findLost, readStored, startWriters } from './writers.ts'

const kills = isLongRun ? 20 : 2

afterAll(cleanUp)

test(`kill -9 ${kills} times under writes loses nothing that was acknowledged and leaves no PostgreSQL`, async () => {
  const dataDir = await makeFolder()
  // A fixed address, so that one session outlives the ports.
  const env = { NMP_PUBLIC_URL: 'http://nmp.test' }
  const record = createRecord()
  let program = await startProgram({ dataDir, env })
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '170')
  const org: string = (await program.call('GET', '/api/v1/users/me', { bearer })).body.user.org_slugs[0]
  let lost: string[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const writers = startWriters({ url: program.url, bearer, org }, record)
    await sleep(200 + Math.random() * 600)
    await program.kill()
    await writers.stop()
    // Half of the restarts meet a PostgreSQL that is still shutting down.
    if (kill % 2 === 0) await waitFor('no orphan', async () => (await listPostgres(dataDir)).length === 0)
    program = await startProgram({ dataDir, env })
    lost = [...lost, ...findLost(record, await readStored({ url: program.url, bearer, org }))]
  }
  process.stdout.write(
    `kill -9: ${kills}; acknowledged: ${record.tokenIds.size} tokens, ${record.projectSlugs.size} projects, profile change ${record.nameAcknowledged}; lost: ${lost.length}; refused while alive: ${record.refusals.length}\n`,
  )
  expect(lost).toEqual([])
  expect(record.refusals).toEqual([])
  expect(record.tokenIds.size).toBeGreaterThan(kills)
  expect(record.projectSlugs.size).toBeGreaterThan(kills)
  expect(await program.stop()).toBe(0)
  expect(await listPostgres(dataDir)).toEqual([])
}, 400_000)

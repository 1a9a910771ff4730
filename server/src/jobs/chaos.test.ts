import { expect, test } from 'vitest'
import { isLongRun } from '../../../fixtures/test-where.ts'
import { type ChaosOptions, type ChaosResult, runChaos } from '../../test/chaos/run.ts'
import { createTestDatabase } from '../../test/database.ts'

const seed = Number(process.env.NMP_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const run = async (options: Omit<ChaosOptions, 'connection' | 'seed'>): Promise<ChaosResult> => {
  const database = await createTestDatabase()
  try {
    const result = await runChaos({ connection: database.connection, seed, ...options })
    process.stdout.write(`chaos ${JSON.stringify(result)}\n`)
    return result
  } finally {
    await database.close()
  }
}

const nothingWrong = {
  lost: 0,
  failed: 0,
  duplicates: 0,
  staleWritesAccepted: 0,
  succeededAfterCancel: 0,
  brokenObjects: 0,
  leftovers: 0,
}

const size = isLongRun
  ? { jobCount: 300, killCount: 40, freezeCount: 40, cancelCount: 20 }
  : { jobCount: 60, killCount: 8, freezeCount: 12, cancelCount: 4 }

test(`${size.jobCount} jobs, ${size.killCount} workers killed, ${size.freezeCount} frozen beyond their lease (NMP_TEST_SEED=${seed})`, {
  timeout: 600_000,
}, async () => {
  const result = await run(size)
  const { killCount: kills, freezeCount: freezes, cancelCount: cancels } = size
  expect(result).toMatchObject({ ...nothingWrong, kills, freezes, cancels })
  expect(result.succeeded + result.canceled).toBe(size.jobCount)
  // Without late workers that tried and were refused, the zeros above prove nothing.
  expect(result.fencedRejections).toBeGreaterThan(0)
})

test(`the same without the fence is caught (NMP_TEST_SEED=${seed})`, { timeout: 600_000 }, async () => {
  const result = await run({ jobCount: 60, killCount: 4, freezeCount: 16, cancelCount: 0, fence: 'id' })
  expect(result.duplicates + result.staleWritesAccepted).toBeGreaterThan(0)
})

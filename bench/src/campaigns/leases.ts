import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { openDatabase } from '../../../server/src/db/database.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../../server/src/db/migrations.ts'
import { soundProtocol } from '../../../server/src/jobs/model.ts'
import { exploreProtocol } from '../../../server/src/jobs/model-explorer.ts'
import type { Fence } from '../../../server/test/chaos/job.ts'
import { type ChaosResult, runChaos } from '../../../server/test/chaos/run.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import type { CampaignOptions } from './options.ts'

/** What one full campaign injects. */
const full = { jobCount: 5000, killCount: 500, freezeCount: 400, crashCount: 40, cancelCount: 250 }
const control = { jobCount: 150, killCount: 10, freezeCount: 50, crashCount: 0, cancelCount: 0 }

/**
 * The leases under kill -9, freezes beyond the lease, crashes of PostgreSQL and cancels, on a cluster with fsync on.
 * The two controls finish as popular queues do and must be caught: they show that the faults were hard enough.
 */
export const campaignLeases = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  console.log(`leases: seed ${seed}, scale ${scale}`)
  const model = exploreProtocol(soundProtocol, 3, 3)
  console.log(`model, three workers: ${model.stateCount} states, ${model.violation ?? 'no violation'}`)
  const chaos = await runOn(seed, 'epoch', scaled(full, scale))
  const byState = await runOn(seed, 'state', scaled(control, Math.max(scale, 0.5)))
  const byId = await runOn(seed, 'id', scaled(control, Math.max(scale, 0.5)))
  const verdict = {
    model: model.violation === undefined,
    chaos: isSound(chaos) && isComplete(chaos, scaled(full, scale)),
    controlsCaught: [byState, byId].every((result) => result.duplicates + result.staleWritesAccepted > 0),
  }
  const passed = Object.values(verdict).every(Boolean)
  await writeResult({
    campaign: 'leases',
    passed,
    seed,
    scale,
    ...describeMachine(),
    verdict,
    model,
    chaos,
    controls: [byState, byId],
  })
  console.log(passed ? 'passed' : 'FAILED', verdict)
  return passed
}

type Counts = typeof full

const scaled = (counts: Counts, scale: number): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round(count * scale)])) as Counts

const runOn = async (seed: number, fence: Fence, counts: Counts): Promise<ChaosResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-campaign-'))
  const log = pino({ level: 'error' }, process.stderr)
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const { connection } = postgres
  const { pool, close } = openDatabase({ connection, log })
  await migrateDatabase(pool)
  await close()
  let said = 0
  const onProgress = (line: string): void => {
    if (performance.now() - said < 10_000) return
    said = performance.now()
    console.log(`${fence}: ${line}`)
  }
  const result = await runChaos({
    connection,
    ...counts,
    crashDatabase: () => crash(postgres),
    fence,
    seed,
    onProgress,
  })
  console.log(JSON.stringify(result))
  await postgres.stop()
  await rm(folder, { recursive: true, maxRetries: 5 })
  return result
}

/** What `pg_ctl stop -m immediate` does: no shutdown, the next start recovers from the log. The supervisor starts it. */
const crash = async (postgres: EmbeddedPostgres): Promise<void> => {
  const pid = postgres.findPid()
  if (pid === undefined) return
  process.kill(pid, 'SIGQUIT')
  while (postgres.findPid() === pid) await sleep(20)
  while (postgres.findPid() === undefined) await sleep(20)
}

const isSound = (result: ChaosResult): boolean =>
  result.fencedRejections > 0 &&
  result.succeeded + result.canceled === result.jobs &&
  result.lost + result.failed + result.duplicates + result.staleWritesAccepted === 0 &&
  result.succeededAfterCancel + result.brokenObjects + result.leftovers === 0

/** Every fault that was planned did happen. */
const isComplete = (result: ChaosResult, planned: Counts): boolean =>
  result.kills === planned.killCount &&
  result.freezes === planned.freezeCount &&
  result.crashes === planned.crashCount &&
  result.cancels === planned.cancelCount

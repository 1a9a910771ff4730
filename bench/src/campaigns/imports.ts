import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getFixture } from '../../../fixtures/fixture.ts'
import { isConnectionError } from '../../../server/src/db/database.ts'
import { sweepWorkFolders } from '../../../server/src/jobs/work-folder.ts'
import { checkStore } from '../../../server/src/storage/care/check.ts'
import { collectBlobs, collectRuns } from '../../../server/src/storage/care/collection.ts'
import { createRandom } from '../../../server/test/chaos/random.ts'
import { type ImportSetup, openImportSetup, type StoredSource } from '../imports/import-setup.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import type { CampaignOptions } from './options.ts'

const full = { imports: 200, kills: 60, crashes: 5 }
const sources = [
  ['lerobot/recorded-v3.0-two-cameras', 'lerobot'],
  ['lerobot/recorded-v2.1', 'lerobot'],
  ['hdf5/act_sim_transfer_cube', 'hdf5'],
] as const

/**
 * Imports of real datasets while workers are killed (-9) and PostgreSQL crashes. Each must end once, be published once, give
 * the digest of an undisturbed import of the same source, and leave nothing behind that a collection does not remove.
 */
export const campaignImports = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  const planned = Object.fromEntries(
    Object.entries(full).map(([name, count]) => [name, Math.ceil(count * scale)]),
  ) as typeof full
  console.log(`imports: seed ${seed}, scale ${scale}`, planned)
  const setup = await openImportSetup()
  try {
    const stored: StoredSource[] = []
    for (const [path, kind] of sources)
      stored.push(await setup.store(getFixture(path), kind, path.replaceAll('/', '-')))
    const fleet = await openFleet(setup, 3)
    const expected: (string | null)[] = []
    for (const [index, source] of stored.entries())
      expected.push((await setup.wait(await setup.queue(source, `calm-${index}`))).result_digest)
    const ids: string[] = []
    for (let n = 0; n < planned.imports; n += 1) {
      const source = stored[n % stored.length]
      if (source) ids.push(await setup.queue(source, `set-${n}`))
    }
    const faults = await disturb(setup, fleet, planned, ids, createRandom(seed))
    await fleet.stop()
    const findings = await judge(setup, ids, expected)
    const isComplete = faults.kills === planned.kills && faults.crashes === planned.crashes
    const passed = isComplete && Object.values(findings).every((list) => list.length === 0)
    await writeResult({
      campaign: 'imports',
      passed,
      seed,
      scale,
      ...describeMachine(),
      planned,
      faults,
      findings,
    })
    console.log(passed ? 'passed' : 'FAILED', faults, findings)
    return passed
  } finally {
    await setup.close()
  }
}

/** Workers that are replaced when they die. */
async function openFleet(setup: ImportSetup, size: number) {
  const members = new Set<ChildProcess>()
  let isStopping = false
  const enlist = async (): Promise<void> => {
    const child = await setup.startWorker({ leaseSeconds: 8, concurrency: 1 })
    members.add(child)
    child.once('exit', () => {
      members.delete(child)
      if (!isStopping) void enlist()
    })
  }
  for (let n = 0; n < size; n += 1) await enlist()
  return {
    members,
    async stop(): Promise<void> {
      isStopping = true
      for (const child of [...members]) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    },
  }
}

async function disturb(
  setup: ImportSetup,
  { members }: Awaited<ReturnType<typeof openFleet>>,
  planned: typeof full,
  ids: readonly string[],
  random: () => number,
) {
  const faults = { kills: 0, crashes: 0, seconds: 0, killsByPhase: {} as Record<string, number> }
  const startedAt = performance.now()
  let saidAt = startedAt
  const { db } = setup.context
  let open = ids.length
  while (open > 0) {
    await sleep(200 + random() * 1800)
    try {
      const rows = await db
        .selectFrom('jobs')
        .select(['claimed_by', 'attempt_count', 'state', 'progress_phase'])
        .where('id', 'in', ids)
        .execute()
      open = rows.filter(({ state }) => state === 'queued' || state === 'running').length
      const share = 1 - open / ids.length
      if (faults.crashes < planned.crashes && share * planned.crashes >= faults.crashes && open > 0) {
        await setup.crashDatabase()
        faults.crashes += 1
        continue
      }
      // A third attempt is let be: killed too, the import would rightly fail.
      const spared = new Set(rows.filter((row) => row.attempt_count > 2).map((row) => row.claimed_by))
      const busy = new Set(rows.map((row) => row.claimed_by))
      const victims = [...members].filter(
        ({ pid }) => busy.has(`${hostname()}:${pid}`) && !spared.has(`${hostname()}:${pid}`),
      )
      const victim = victims[Math.floor(random() * victims.length)]
      // Kills go with the imports that are over, so that every phase and every hour of the run meets some.
      if (!victim || faults.kills >= Math.min(planned.kills, share * planned.kills + members.size)) continue
      victim.kill('SIGKILL')
      faults.kills += 1
      const struck = rows.find((row) => row.claimed_by === `${hostname()}:${victim.pid}`)?.progress_phase ?? 'claimed'
      faults.killsByPhase[struck] = (faults.killsByPhase[struck] ?? 0) + 1
    } catch (error) {
      if (!isConnectionError(error)) throw error
    }
    if (performance.now() - saidAt < 10_000) continue
    saidAt = performance.now()
    console.log(`${ids.length - open} of ${ids.length} imports are over`, faults)
  }
  faults.seconds = Math.round((performance.now() - startedAt) / 1000)
  return faults
}

/** Everything that is not as it must be. */
async function judge(setup: ImportSetup, ids: readonly string[], expected: readonly (string | null)[]) {
  const { db, storage } = setup.context
  const jobs = new Map(
    (await db.selectFrom('jobs').selectAll().where('id', 'in', ids).execute()).map((job) => [job.id, job]),
  )
  const revisions = await db
    .selectFrom('dataset_revisions')
    .select(['import_id'])
    .where('import_id', 'in', ids)
    .execute()
  const countOf = (id: string): number => revisions.filter((row) => row.import_id === id).length
  await sweepWorkFolders(setup.context)
  await collectRuns(db, storage, { listActiveJobs: async () => new Set(), graceSeconds: -60 })
  await collectBlobs(db, storage, { graceSeconds: -60 })
  const { findings } = await checkStore(db, storage, {
    level: 'content',
    secondLookSeconds: 0,
    listActiveJobs: async () => new Set(),
  })
  const known = new Set((await db.selectFrom('blobs').select('store_key').execute()).map((row) => row.store_key))
  const orphans: string[] = []
  for await (const { key } of storage.listObjects('runs/')) if (!known.has(key)) orphans.push(key)
  return {
    notSucceeded: ids
      .filter((id) => jobs.get(id)?.state !== 'succeeded')
      .map((id) => jobs.get(id)?.error_message ?? id),
    notOk: ids.filter((id) => jobs.get(id)?.consistency_status !== 'ok'),
    notPublishedOnce: ids.filter((id) => countOf(id) !== 1),
    otherResult: ids.filter((id, n) => jobs.get(id)?.result_digest !== expected[n % expected.length]),
    brokenObjects: findings.map(({ storeKey, fault }) => `${fault} ${storeKey}`),
    orphans,
    workFolders: await readdir(join(setup.folder, 'work')).catch(() => []),
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../../server/test/chaos/random.ts'
import { holdAgainstLeRobot } from '../exports/export-check.ts'
import { planMatrix } from '../exports/export-matrix.ts'
import { type ExportSetup, openExportSetup } from '../exports/export-setup.ts'
import { exportCalmly, type MadeExport } from '../exports/exporting.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import type { CampaignOptions } from './options.ts'

/** Everything that a job says it is doing; a worker dies when it says so. */
const phases = ['encoding', 'reading', 'writing', 'verifying', 'packing', 'publishing'] as const
type Moment = (typeof phases)[number] | 'any time'

/**
 * Every recipe on every source, first undisturbed and then with workers killed in every phase and at random moments: the checksums
 * must be equal and each version ready once, and each tar must load in stock lerobot with the numbers that numpy expects.
 */
export const campaignExports = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  console.log(`exports: seed ${seed}, scale ${scale}`)
  const began = performance.now()
  const setup = await openExportSetup()
  const folder = await mkdtemp(join(tmpdir(), 'nmp-campaign-exports-'))
  try {
    const random = createRandom(seed)
    const chosen = (await planMatrix(setup)).filter(
      ({ name }) => scale >= 1 || name.endsWith('/whole') || random() < scale,
    )
    const calm = await exportCalmly(setup, chosen)
    const chaos = await exportWithKills(setup, calm, random)
    const lerobot = await holdAgainstLeRobot(setup, calm, folder)
    const passed = chaos.differing.length === 0 && chaos.faults.length === 0 && lerobot.failed.length === 0
    const result = {
      campaign: 'exports',
      passed,
      seed,
      scale,
      ...describeMachine(),
      seconds: Math.round((performance.now() - began) / 1000),
      exports: calm.length,
      ...chaos,
      lerobot,
    }
    await writeResult(result)
    for (const sentence of [...chaos.differing, ...chaos.faults, ...lerobot.failed]) console.log(sentence)
    console.log(passed ? 'passed' : 'FAILED')
    return passed
  } finally {
    await setup.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Chaos {
  kills: Record<string, number>
  /** Exports that a kill has hit, themselves or one of their parts. */
  interrupted: number
  differing: string[]
  faults: string[]
}

const longestLife = 2500

async function exportWithKills(setup: ExportSetup, calm: readonly MadeExport[], random: () => number): Promise<Chaos> {
  const queued: { name: string; version: string; job: string; checksum: string }[] = []
  for (const { name, recipe, datasetId, checksum } of calm) {
    const version = await setup.derive(datasetId, recipe)
    queued.push({ name, version, job: await setup.queue(version), checksum })
  }
  // A person's machine does not die every second; attempts are bounded for files that kill their worker.
  await setup.db.updateTable('jobs').set({ max_attempts: 500 }).where('state', '=', 'queued').execute()
  let isOver = false
  const kills: Record<string, number> = {}
  const moments: Moment[] = [...phases, 'any time']
  let turn = 0
  const count = () => Object.values(kills).reduce((sum, entry) => sum + entry, 0)
  const killing = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const moment = moments[turn++ % moments.length] ?? 'any time'
      const isPhase = moment !== 'any time'
      const worker = await setup.startWorker({ concurrency: 2, leaseSeconds: 5, ...(isPhase && { dieAt: moment }) })
      const died = await Promise.race([worker.gone.then(() => true), sleep(300 + random() * longestLife, false)])
      if (isOver) return
      await worker.kill()
      const what = died ? moment : 'any time'
      kills[what] = (kills[what] ?? 0) + 1
    }
  })
  const survive = async () => {
    while (!isOver && count() < queued.length) await sleep(100)
    // One that lives, so that the campaign ends: the killed ones take their share of claims from it all the same.
    if (!isOver) await setup.startWorker({ concurrency: 1, leaseSeconds: 5 })
  }
  const surviving = survive()
  const differing: string[] = []
  for (const { name, version, job, checksum } of queued) {
    const { status, checksum_sha256: sum, error_message: why } = await setup.wait(version, job)
    if (status !== 'succeeded' || sum !== checksum)
      differing.push(`${name}: ${status} ${why ?? ''} ${sum} instead of ${checksum}`)
  }
  isOver = true
  await Promise.all([...killing, surviving])
  const { interrupted, faults } = await inspect(setup, queued)
  console.log(`${count()} kills, ${interrupted} exports hit, ${differing.length} of ${queued.length} differ`)
  return { kills, interrupted, differing, faults }
}

/** Ready exactly once, told exactly once, and nothing left behind. */
async function inspect(setup: ExportSetup, queued: readonly { name: string; version: string; job: string }[]) {
  const { db } = setup
  const faults: string[] = []
  let interrupted = 0
  for (const { name, version, job } of queued) {
    const { item } = await setup.call('GET', `${setup.versionsPath}/${version}`)
    const ready = item.export_artifacts.filter((entry: { status: string }) => entry.status === 'ready').length
    const { items: jobs } = await setup.call('GET', `${setup.versionsPath}/${version}/export-jobs`)
    const published = await db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'export.publish')
      .where('resource_id', '=', job)
      .execute()
    const told = await db
      .selectFrom('notifications')
      .select('kind')
      .where('resource_id', '=', version)
      .orderBy('kind')
      .execute()
    const kinds = told.map(({ kind }) => kind).join(' ')
    if (ready !== 2 || jobs.length !== 1 || published.length !== 1 || kinds !== 'export_ready transform_done')
      faults.push(`${name}: ${ready} ready, ${jobs.length} jobs, published ${published.length} times, told: ${kinds}`)
    const parts = await db.selectFrom('export_shards').select('id').where('export_id', '=', job).execute()
    const attempts = await db
      .selectFrom('jobs')
      .select('attempt_count')
      .where('id', 'in', [job, ...parts.map(({ id }) => id)])
      .execute()
    if (attempts.some(({ attempt_count: number }) => number > 1)) interrupted += 1
  }
  const staged = await db.selectFrom('blob_references').select('owner_id').where('owner_kind', '=', 'export').execute()
  if (staged.length > 0) faults.push(`${staged.length} staged parts of finished exports are still there`)
  return { interrupted, faults }
}

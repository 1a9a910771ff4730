import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, cpus, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFixtureFolder } from '../../../formats/test/fixture-folder.ts'
import { createRandom } from '../../../server/test/chaos/random.ts'
import type { CampaignOptions } from '../campaign.ts'
import { type ExportStand, openExportStand } from '../export-stand.ts'

const run = promisify(execFile)
const resultFolder = join(import.meta.dirname, '..', '..', 'results')
const python = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python/lerobot-0.6.1/bin/python')

interface Source {
  name: string
  folder: string | undefined
  /** Pictures carry the number of their frame. */
  barCodes: boolean
  hasCameras: boolean
}

const sources: readonly Source[] = [
  ['v2.1', 'lerobot/recorded-v2.1', true, true],
  ['v3.0', 'lerobot/recorded-v3.0-two-cameras', true, true],
  ['v3.0-many-files', 'lerobot/recorded-v3.0-many-files', true, true],
  ['v3.0-images', 'lerobot/recorded-v3.0-images', true, true],
  ['aloha', 'hdf5/actpp_sim_insertion_compressed', false, true],
  ['robomimic', 'hdf5/robomimic_lift_image.hdf5', false, true],
  ['maniskill', 'hdf5/maniskill_pickcube_rgb', false, true],
].map(([name, folder, barCodes, hasCameras]) => {
  return { name, folder: findFixtureFolder(String(folder)), barCodes, hasCameras } as Source
})

const crop = { left_pct: 12.5, top_pct: 10, width_pct: 75, height_pct: 80 }
const size = { width: 96, height: 64 }

/** One after another each thing a recipe can do, then all at once. Episode and camera lists fit every source. */
const recipes: Readonly<Record<string, object>> = {
  whole: {},
  subset: { selected_episode_indices: [0] },
  'first-n': { first_n_episodes: 2 },
  crop: { crop },
  fit: { resize: { ...size, mode: 'fit' } },
  fill: { resize: { ...size, mode: 'fill' } },
  stretch: { resize: { ...size, mode: 'stretch' } },
  mean: { action: { smoothing_window: 7, smoothing_mode: 'mean' } },
  median: { action: { smoothing_window: 5, smoothing_mode: 'median' } },
  gaussian: { action: { smoothing_window: 9, smoothing_mode: 'gaussian' } },
  clip: { action: { clip_min: -0.1, clip_max: 0.2 } },
  scale: { action: { scale: -2.5 } },
  everything: {
    first_n_episodes: 2,
    crop,
    resize: { ...size, mode: 'fit' },
    action: { smoothing_window: 5, smoothing_mode: 'gaussian', scale: 0.5, clip_min: -1, clip_max: 1 },
  },
}

interface Made {
  name: string
  source: Source
  recipe: object
  version: string
  checksum: string
}

/**
 * Every recipe on every source, first undisturbed and then with workers killed at random moments: the checksums must be equal, and each
 * tar must load in stock lerobot with the numbers that numpy expects.
 */
export const campaignExports = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  console.log(`exports: seed ${seed}, scale ${scale}`)
  const stand = await openExportStand()
  const folder = await mkdtemp(join(tmpdir(), 'nmp-campaign-exports-'))
  try {
    const random = createRandom(seed)
    const chosen = (name: string) => scale >= 1 || name.endsWith('/whole') || random() < scale
    const plan = await publishSources(stand)
    const wanted = plan.filter(({ name }) => chosen(name))
    const calm = await exportCalmly(stand, wanted)
    const { kills, differing } = await exportWithKills(stand, wanted, calm, random)
    const lerobot = await holdAgainstLeRobot(stand, calm, folder)
    const passed = differing.length === 0 && lerobot.failed.length === 0
    const result = {
      campaign: 'exports',
      passed,
      seed,
      scale,
      ...describeMachine(),
      exports: calm.length,
      kills,
      differing,
      lerobot,
    }
    await mkdir(resultFolder, { recursive: true })
    const suffix = scale === 1 ? '' : `-scale-${scale}`
    const file = join(resultFolder, `exports-${result.date.slice(0, 10)}${suffix}.json`)
    await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
    console.log(passed ? 'passed' : 'FAILED', `written to ${file}`)
    return passed
  } finally {
    await stand.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Planned {
  name: string
  source: Source
  recipe: object
  datasetId: string
}

async function publishSources(stand: ExportStand): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const source of sources) {
    if (!source.folder) continue
    const datasetId = await stand.publish(source.folder, source.name.replaceAll('.', '-'))
    const { item } = await stand.call('GET', `/api/v1/catalog/datasets/${datasetId}`)
    const cameras = item.observation.cameras.map(({ key }: { key: string }) => key)
    const count = item.metrics.total_episodes
    const own = {
      ...recipes,
      ...(cameras.length > 1 ? { cameras: { camera_keys: cameras.slice(1) } } : {}),
      ...(count > 2 ? { excluded: { excluded_episode_indices: [1], selected_episode_indices: [2, 1, 0] } } : {}),
    }
    for (const [recipeName, recipe] of Object.entries(own)) {
      if ('action' in recipe && !item.action) continue
      if (('crop' in recipe || 'resize' in recipe) && cameras.length === 0) continue
      planned.push({ name: `${source.name}/${recipeName}`, source, recipe, datasetId })
    }
  }
  return planned
}

async function exportCalmly(stand: ExportStand, planned: readonly Planned[]): Promise<Made[]> {
  const workers = [await stand.startWorker({ concurrency: 2 }), await stand.startWorker({ concurrency: 2 })]
  const made: Made[] = []
  for (const { name, source, recipe, datasetId } of planned) {
    const version = await stand.derive(datasetId, recipe)
    const job = await stand.wait(version, await stand.queue(version))
    if (job.status !== 'succeeded') throw new Error(`${name} ${job.status}: ${job.error_message}`)
    made.push({ name, source, recipe, version, checksum: job.checksum_sha256 ?? '' })
    console.log(`made ${name}`)
  }
  for (const worker of workers) await worker.kill()
  return made
}

const longestLife = 2500

async function exportWithKills(
  stand: ExportStand,
  planned: readonly Planned[],
  calm: readonly Made[],
  random: () => number,
): Promise<{ kills: number; differing: string[] }> {
  const queued: { name: string; version: string; job: string; checksum: string }[] = []
  for (const [place, { name, recipe, datasetId }] of planned.entries()) {
    const version = await stand.derive(datasetId, recipe)
    queued.push({ name, version, job: await stand.queue(version), checksum: calm[place]?.checksum ?? '' })
  }
  // A person's machine does not die every second; attempts are bounded for files that kill their worker.
  await stand.db.updateTable('jobs').set({ max_attempts: 500 }).where('state', '=', 'queued').execute()
  let isOver = false
  let kills = 0
  const killing = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const worker = await stand.startWorker({ concurrency: 2, leaseSeconds: 5 })
      await sleep(300 + random() * longestLife)
      if (isOver) return
      await worker.kill()
      kills += 1
    }
  })
  // One that lives, so that the campaign ends: the killed ones take their share of claims from it all the same.
  await stand.startWorker({ concurrency: 1, leaseSeconds: 5 })
  const differing: string[] = []
  for (const { name, version, job, checksum } of queued) {
    const { status, checksum_sha256: sum, error_message: why } = await stand.wait(version, job)
    if (status !== 'succeeded' || sum !== checksum)
      differing.push(`${name}: ${status} ${why ?? ''} ${sum} instead of ${checksum}`)
  }
  isOver = true
  await Promise.all(killing)
  console.log(`${kills} kills, ${differing.length} of ${queued.length} differ`)
  return { kills, differing }
}

async function holdAgainstLeRobot(stand: ExportStand, made: readonly Made[], folder: string) {
  if (!existsSync(python))
    return { checked: 0, failed: [], note: 'skipped: no lerobot 0.6.1; `.ci/python --install` makes it' }
  const lines: string[] = []
  for (const { name, source, recipe, version } of made) {
    const target = join(folder, name)
    const { url } = await stand.call('GET', `${stand.versionsPath}/${version}/artifacts/lerobot/download-url`)
    await mkdir(target, { recursive: true })
    await run('sh', ['-c', 'curl -sf "$0" | tar -xf - -C "$1"', url, target])
    const whole = join(folder, `${source.name}/whole`)
    lines.push(JSON.stringify({ name, folder: target, source: whole, recipe, bar_codes: source.barCodes }))
  }
  await writeFile(join(folder, 'exports.jsonl'), `${lines.join('\n')}\n`)
  const script = join(import.meta.dirname, '../../../server/test/python/export_loads.py')
  const args = [script, join(folder, 'exports.jsonl'), '--tools', join(folder, 'tools'), '--train']
  const env = {
    ...process.env,
    HF_HUB_OFFLINE: '1',
    HF_HOME: join(folder, 'hf'),
    PYTHONDONTWRITEBYTECODE: '1',
    SVT_LOG: '1',
  }
  const { stdout } = await run(python, args, { env, maxBuffer: 1 << 28 }).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? String(error),
  }))
  const said = stdout.split('\n').filter((line) => /^(ok|FAILED)/.test(line))
  for (const line of said) console.log(line)
  const failed = said.filter((line) => line.startsWith('FAILED'))
  if (said.length < made.length)
    failed.push(`only ${said.length} of ${made.length} were looked at: ${stdout.slice(-500)}`)
  return { checked: said.length, failed, trained: said.filter((line) => line.includes('ACT')) }
}

const describeMachine = () => ({
  date: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', cwd: import.meta.dirname }).trim(),
  machine: `${cpus().length} x ${cpus()[0]?.model}, ${arch()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  node: process.version,
})

import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Context } from '../context.ts'
import { changeDataset, findDatasetBySlug } from '../datasets/service.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { changeSetting, findSetting, storeSetting, waitForOtherStarts } from '../db/settings.ts'
import { describeError } from '../errors.ts'
import { createImportFromBlobs } from '../imports/service.ts'
import { findJob } from '../jobs/statements/find-job.ts'
import { createProject, findProject } from '../organizations/projects/service.ts'
import { createOrg, findOrgBySlug } from '../organizations/service.ts'
import { dropBlobs, publishBlobs, stageBlob } from '../storage/blobs.ts'
import { findFirstPlace, isEmpty } from './repository.ts'
import { episodeCount } from './script.ts'

/** How far the demo has come, as all processes see it. */
type Progress =
  | { state: 'making'; until: number }
  | { state: 'importing'; importId: string; projectId: string }
  | { state: 'done' | 'skipped' | 'failed' }

const settingName = 'demo_dataset'
const slug = 'blocks-to-bin'
const title = 'Blocks to bin, simulated arm'
const claimMs = 20_000
const pollMs = 1_000

const description =
  'Made by nmp itself at its first start: a simulated arm with six joints sorts and stacks blocks, seen by two cameras. ' +
  'Most demonstrations are clean. Some idle, some shake, and one stops early: sort by motion, flag what you find, and derive a version without it.'

/** On a new database, in the background: makes the simulated dataset, imports it as anybody would, and publishes it. */
export function startDemo(context: Context): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const running = followDemo(context, stopping.signal).catch((error) => {
    if (!stopping.signal.aborted) context.log.warn({ error: describeError(error) }, 'the demo dataset was not made')
  })
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Takes up whatever step is next until there is none; several processes may do so at once, and a killed one is followed by another. */
export async function followDemo(context: Context, signal: AbortSignal, episodes = episodeCount): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const progress = await claim(context)
    if (progress === 'claimed') await makeDemo(context, signal, episodes)
    else if (progress?.state === 'importing') {
      if (await publishDemo(context, progress)) return
    } else if (progress && progress.state !== 'making') return
    await sleep(pollMs, undefined, { signal })
  }
}

/** Answers `claimed` to the one process that makes the dataset now. */
const claim = ({ db, config }: Context): Promise<Progress | 'claimed' | undefined> =>
  inTransaction(db, async (trx) => {
    await waitForOtherStarts(trx)
    const progress = (await findSetting(trx, settingName)) as Progress | undefined
    if (progress && !(progress.state === 'making' && progress.until < Date.now())) return progress
    if (!progress && !(await isEmpty(trx))) {
      const skipped: Progress = { state: 'skipped' }
      await storeSetting(trx, settingName, skipped)
      return skipped
    }
    // With local accounts the first person is made by the API process, perhaps a moment later.
    if (!config.NMP_OIDC_ISSUER && !(await findFirstPlace(trx))) return undefined
    await storeSetting(trx, settingName, { state: 'making', until: Date.now() + claimMs } satisfies Progress)
    return 'claimed'
  })

async function makeDemo(context: Context, signal: AbortSignal, episodes: number): Promise<void> {
  const { db, config, log } = context
  const folder = join(config.NMP_DATA_DIR, 'demo')
  const renewal = setInterval(() => {
    const renew = async (value: unknown): Promise<Progress> =>
      (value as Progress).state === 'making' ? { state: 'making', until: Date.now() + claimMs } : (value as Progress)
    changeSetting(db, settingName, renew).catch((error) => log.debug({ error: describeError(error) }, 'demo claim'))
  }, claimMs / 4)
  try {
    await rm(folder, { recursive: true, force: true })
    await writeDataset(folder, episodes, signal)
    const files = await stageFolder(context, folder, signal)
    clearInterval(renewal)
    await inTransaction(db, async (trx) => {
      const place = (await findFirstPlace(trx)) ?? (await makePlace(trx))
      const owner = { kind: 'demo', id: slug, orgId: place.orgId }
      await publishBlobs(trx, owner, files)
      const { row } = await createImportFromBlobs(trx, {
        orgId: place.orgId,
        projectId: place.projectId,
        slug,
        title,
        sourceKind: 'lerobot',
        files: files.map(({ logicalPath, sha256, sizeBytes }) => ({ path: logicalPath, sha256, sizeBytes })),
        createdBy: place.userId,
        idempotencyKey: 'nmp-demo',
      })
      await dropBlobs(trx, owner)
      const importing: Progress = { state: 'importing', importId: row.id, projectId: place.projectId }
      await storeSetting(trx, settingName, importing)
    })
  } finally {
    clearInterval(renewal)
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeDataset(folder: string, episodes: number, signal: AbortSignal): Promise<void> {
  const thread = new Worker(new URL('./make-entry.ts', import.meta.url), { workerData: { folder, episodes } })
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [code] = await once(thread, 'exit')
    signal.throwIfAborted()
    if (code !== 0) throw new Error(`the simulation ended with code ${code}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function stageFolder({ storage }: Context, folder: string, signal: AbortSignal) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = []
  for (const path of paths.sort()) {
    const blob = await stageBlob(storage, { id: 'demo', epoch: 0 }, createReadStream(path), { signal })
    files.push({ logicalPath: relative(folder, path), ...blob })
  }
  return files
}

/** Where people come from elsewhere, the demo has an organization of its own. */
async function makePlace(db: Database): Promise<{ userId: null; orgId: string; projectId: string }> {
  const org = (await findOrgBySlug(db, 'demo')) ?? (await createOrg(db, 'program', { slug: 'demo', name: 'Demo' }))
  const project =
    (await findProject(db, org.id, 'default')) ??
    (await createProject(db, 'program', { orgId: org.id, slug: 'default', name: 'Default' }))
  return { userId: null, orgId: org.id, projectId: project.id }
}

/** True when there is nothing left to do. */
async function publishDemo(
  { db, log }: Context,
  { importId, projectId }: Extract<Progress, { state: 'importing' }>,
): Promise<boolean> {
  const job = await findJob(db, importId)
  if (job?.state === 'queued' || job?.state === 'running') return false
  const dataset = await findDatasetBySlug(db, projectId, slug)
  if (job?.state !== 'succeeded' || !dataset) {
    log.warn({ importId, error: job?.errorMessage ?? 'it is gone' }, 'the demo dataset was not imported')
    await storeSetting(db, settingName, { state: 'failed' } satisfies Progress)
    return true
  }
  const tags = ['simulated', 'manipulation', 'demo']
  await changeDataset(
    db,
    'program',
    { project: { id: projectId, role: 'admin' }, dataset },
    { visibility: 'public', description, tags, licence: 'apache-2.0' },
  )
  await storeSetting(db, settingName, { state: 'done' } satisfies Progress)
  return true
}

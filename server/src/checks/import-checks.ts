import { readFile, writeFile } from 'node:fs/promises'
import { ChecksBeside } from '@nmp/formats/checks/beside'
import type { SetStatistics } from '@nmp/formats/checks/beyond-rule'
import type { MotionPaths } from '@nmp/formats/checks/motion-paths'
import { runChecks } from '@nmp/formats/checks/run'
import type { Dataset } from '@nmp/formats/dataset'
import type { MotionScale } from '@nmp/formats/statistics/idle'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { findDatasetBySlug } from '../datasets/service.ts'
import type { Database, Transaction } from '../db/database.ts'
import { describeError } from '../errors.ts'
import { addBeyond, findBeyond, type KnownRevision, readQuantiles, takeQuantiles } from './beyond.ts'
import { readIdentities } from './identities.ts'
import { packPaths, unpackPaths, type WrittenPaths } from './paths/parts.ts'
import * as pathsRepository from './paths/repository.ts'
import * as repository from './repository.ts'
import { queueRun } from './runs.ts'
import { packReport, type StoredReport, takePart, unpackReport } from './stored-report.ts'

/** Where what was found is, in the folder that an import is prepared in. */
export const checksFile = 'checks.json'

/** An import waits no longer for its checks; they can be run afterwards. */
const longestMs = 15 * 60_000

const kept = { keepsNear: true, outlivesRules: true } as const

/** What came of the rules of numbers beside an import. */
export interface NumbersOutcome {
  state: 'succeeded' | 'failed'
  message: string
}

interface CheckedNumbers {
  report: StoredReport
  identities: { episode_index: number; content: string; numbers: string | null }[]
  statistics: SetStatistics
  paths: WrittenPaths | null
}

/** To be given to what reads an import's rows anyway. */
export const startNumbers = (cutOffs: Readonly<Record<string, number>>, signal: AbortSignal): ChecksBeside =>
  new ChecksBeside({ cutOffs: new Map(Object.entries(cutOffs)), signal, maxMs: longestMs, ...kept })

export interface CheckNumbersRequest {
  /** What has looked already; where it could not, the rows are read again. */
  beside: ChecksBeside
  dataset: Dataset
  /** Where it lies. */
  folder: string
  /** Where what is found is written. */
  path: string
  cutOffs: Readonly<Record<string, number>>
  /** As the read model has it. */
  scale: MotionScale | undefined
  signal: AbortSignal
}

/** In the process that prepares an import, on what it has written. Whatever happens here is a status and ends no import. */
export async function checkNumbers(request: CheckNumbersRequest): Promise<NumbersOutcome> {
  const { beside, dataset, folder, path, cutOffs, scale } = request
  const timeout = beside.isLate ? AbortSignal.abort() : AbortSignal.timeout(longestMs)
  const signal = AbortSignal.any([request.signal, timeout])
  try {
    const report =
      beside.conclude(dataset.findings) ??
      (await runChecks(dataset, {
        signal,
        cutOffs: new Map(Object.entries(cutOffs)),
        scale,
        pictures: false,
        opensCameras: false,
        ...kept,
      }))
    const identities = (await readIdentities(folder, signal)).map(({ episodeIndex, content, numbers }) => ({
      episode_index: episodeIndex,
      content: content.toString('base64'),
      numbers: numbers?.toString('base64') ?? null,
    }))
    const statistics = await readQuantiles(folder)
    const paths = report.paths ? packPaths(report.paths) : null
    const checked: CheckedNumbers = { report: takePart(report, 'signals', cutOffs), identities, statistics, paths }
    await writeFile(path, JSON.stringify(checked))
    return { state: 'succeeded', message: '' }
  } catch (error) {
    request.signal.throwIfAborted()
    const reason = timeout.aborted ? `they took longer than ${longestMs / 60_000} minutes.` : describeError(error)
    return { state: 'failed', message: `The import did not wait for the checks: ${reason} Run them again.` }
  }
}

/** What is published with a revision: found during its import, or of another revision with the same content, whose pictures count too. */
export type ImportChecks =
  | { kind: 'none' }
  | { kind: 'failed'; message: string }
  | {
      kind: 'found'
      episodeCount: number
      ruleSetVersion: number
      packed: Buffer
      identities: readonly repository.EpisodeIdentity[]
      paths: MotionPaths | undefined
      picturesOf?: string
    }

/** Where a revision is to appear. */
interface Target {
  projectId: string
  datasetSlug: string
}

/** What the process that prepared an import has written, with what only the service knows. */
export async function readChecked(
  context: Context,
  target: Target,
  path: string,
  outcome: NumbersOutcome,
): Promise<ImportChecks> {
  if (outcome.state === 'failed') return { kind: 'failed', message: outcome.message }
  const { report, identities, statistics, paths }: CheckedNumbers = JSON.parse(await readFile(path, 'utf8'))
  const known = identities.map(({ episode_index: episodeIndex, content, numbers }) => ({
    episodeIndex,
    content: Buffer.from(content, 'base64'),
    numbers: numbers === null ? null : Buffer.from(numbers, 'base64'),
  }))
  return complete(context, target, report, {
    identities: known,
    statistics,
    paths: paths ? unpackPaths(paths) : undefined,
  })
}

/** Of a revision with the same content, anywhere in the organization. */
export async function takeSameChecks(
  context: Context,
  target: Target,
  revision: { id: string; orgId: string; readModelDigest: string },
): Promise<ImportChecks> {
  const bytes = await repository.findReport(context.db, revision.id, 'signals')
  if (!bytes) return { kind: 'none' }
  const { manifest } = await getReadModel(context, revision)
  const found = await complete(context, target, await unpackReport(bytes), {
    identities: await repository.listIdentities(context.db, revision.id),
    statistics: takeQuantiles(manifest.feature_statistics),
    paths: await pathsRepository.findPaths(context.db, revision.id),
  })
  return { ...found, picturesOf: revision.id }
}

async function complete(
  context: Context,
  { projectId, datasetSlug }: Target,
  report: StoredReport,
  known: KnownRevision,
): Promise<Extract<ImportChecks, { kind: 'found' }>> {
  const datasetId = (await findDatasetBySlug(context.db, projectId, datasetSlug))?.id
  const { cutOffs } = await repository.findSettings(context.db, datasetId ?? '')
  const beyond = await findBeyond(context, { projectId, datasetId }, known, cutOffs)
  const packed = await packReport(addBeyond(report, beyond, cutOffs))
  const { episodes: episodeCount, ruleSetVersion } = report
  return { kind: 'found', episodeCount, ruleSetVersion, packed, identities: known.identities, paths: known.paths }
}

export interface PublishedChecks {
  orgId: string
  datasetId: string
  revisionId: string
  summary: RevisionSummary
  checks: ImportChecks
}

/** In the transaction in which the revision appears: its numbers, and a run over its pictures where the settings say so. */
export async function publishChecks(
  trx: Transaction,
  config: Pick<Config, 'NMP_CHECK_PICTURES_MAX_BYTES'>,
  { orgId, datasetId, revisionId, summary, checks }: PublishedChecks,
): Promise<void> {
  const subject = { kind: 'revision', id: revisionId, ownerId: datasetId } as const
  if (checks.kind === 'failed')
    await repository.putPart(trx, subject, 'signals', { state: 'failed', message: checks.message })
  else if (checks.kind === 'found') {
    await repository.putIdentities(trx, revisionId, checks.identities)
    await pathsRepository.putPaths(trx, revisionId, checks.paths)
    if (checks.picturesOf) await repository.copyPictures(trx, checks.picturesOf, revisionId)
    await repository.putPart(trx, subject, 'signals', {
      state: 'succeeded',
      episodeCount: checks.episodeCount,
      ruleSetVersion: checks.ruleSetVersion,
      report: checks.packed,
    })
  }
  const known = await repository.listParts(trx, revisionId)
  if (known.some(({ part, hasReport }) => part === 'pictures' && hasReport)) return
  const skipped = await explainSkipped(trx, config, datasetId, summary)
  if (skipped === undefined) await queueRun(trx, 'program', { subject, orgId, parts: ['pictures'] })
  else await repository.putPart(trx, subject, 'pictures', { state: 'skipped', message: skipped })
}

/** Undefined where pictures are to be looked at. */
async function explainSkipped(
  db: Database,
  config: Pick<Config, 'NMP_CHECK_PICTURES_MAX_BYTES'>,
  datasetId: string,
  summary: RevisionSummary,
): Promise<string | undefined> {
  if (summary.camera_keys.length === 0) return 'The dataset has no camera.'
  const { pictures } = await repository.findSettings(db, datasetId)
  if (pictures === 'never') return 'Pictures are not looked at, by the settings of the dataset.'
  const most = config.NMP_CHECK_PICTURES_MAX_BYTES
  if (pictures === 'always' || summary.size_bytes <= most) return undefined
  return most === 0
    ? 'Pictures are looked at only when somebody asks for it.'
    : `Pictures of imports up to ${formatSize(most)} are looked at by themselves; this one has ${formatSize(summary.size_bytes)}. Run the checks to look at them.`
}

/** As the setting may be any number, in the largest unit that leaves something before the point. */
function formatSize(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = (bytes / 1000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })
  return `${value} ${['bytes', 'kB', 'MB', 'GB', 'TB'][power]}`
}

import { readFile } from 'node:fs/promises'
import type { MotionPaths } from '@nmp/formats/checks/motion-paths'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { findDatasetBySlug } from '../datasets/service.ts'
import type { Database, Transaction } from '../db/database.ts'
import { addBeyond, findBeyond, type KnownRevision } from './beyond.ts'
import type { CheckedNumbers, NumbersOutcome } from './import-numbers.ts'
import { unpackPaths } from './paths/parts.ts'
import * as pathsRepository from './paths/repository.ts'
import { takeQuantiles } from './quantiles.ts'
import * as repository from './repository.ts'
import { queueRun } from './runs.ts'
import { packReport, type StoredReport, unpackReport } from './stored-report.ts'

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

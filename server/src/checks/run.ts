import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ruleSetVersion } from '@nmp/formats/checks'
import type { Beyond } from '@nmp/formats/checks/beyond-rule'
import type { MotionPaths } from '@nmp/formats/checks/motion-paths'
import { runChecks } from '@nmp/formats/checks/run'
import type { Dataset } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { withRoles } from '@nmp/formats/signal-roles'
import type { Context } from '../context.ts'
import { layOutRevision } from '../datasets/local-revision.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import { findReadableKind } from '../datasets/readable.ts'
import { getRevision } from '../datasets/service.ts'
import type { Transaction } from '../db/database.ts'
import { notFound } from '../errors.ts'
import type { JobHandler, JobRun } from '../jobs/handler.ts'
import type { JobResult } from '../jobs/statements/finish-job.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import { addBeyond, findBeyond } from './beyond.ts'
import { readIdentities } from './identities.ts'
import * as pathsRepository from './paths/repository.ts'
import { readQuantiles } from './quantiles.ts'
import * as repository from './repository.ts'
import { checkJobKind, settleChecks } from './runs.ts'
import { identifyByPlace, openSeenPictures } from './seen-pictures.ts'
import { packReport, takePart } from './stored-report.ts'

const deadlineHours = 24

/** Looks at a revision or a version with every rule. What was seen in pictures is kept as it goes, so that a later attempt goes on. */
export const createCheckHandler = (context: Context): JobHandler => ({
  kind: checkJobKind,
  deadlineSeconds: deadlineHours * 3600,
  run: (run) => runCheck(context, run),
  settle: settleChecks,
})

async function runCheck(context: Context, run: JobRun): Promise<JobResult> {
  const found = await repository.findRun(run.db, run.job.id)
  if (!found) throw notFound()
  const { subject, parts } = found
  const { cutOffs } = await repository.findSettings(run.db, subject.ownerId)
  const folder = await openWorkFolder(context, run.claim)
  try {
    run.report({ phase: 'reading', message: 'The numbers are read.' })
    await using opened = await openSubject(context, subject, join(folder, 'source'), run.signal)
    const hasPictures = parts.includes('pictures')
    const report = await runChecks(opened.dataset, {
      signal: run.signal,
      cutOffs: new Map(Object.entries(cutOffs)),
      pictures: hasPictures,
      opensCameras: false,
      keepsNear: true,
      outlivesRules: true,
      ...(hasPictures && { seen: openSeenPictures(run, subject, opened.identify) }),
      onProgress: ({ phase, done, total }) => {
        if (phase === 'rules')
          run.report({ pct: (100 * done) / total, phase: 'rules', message: `${done} of ${total} episodes.` })
      },
    })
    const beyond = parts.includes('signals') ? await opened.findBeyond?.(report.paths, cutOffs) : undefined
    const packed = await Promise.all(
      parts.map(async (part) => {
        const taken = takePart(report, part, cutOffs)
        const whole = part === 'signals' && beyond ? addBeyond(taken, beyond, cutOffs) : taken
        return { part, bytes: await packReport(whole) }
      }),
    )
    const hash = createHash('sha256')
    for (const { bytes } of packed) hash.update(bytes)
    return {
      digest: hash.digest('hex'),
      publish: async (trx: Transaction) => {
        if (opened.identities) {
          await repository.putIdentities(trx, subject.id, opened.identities)
          await pathsRepository.putPaths(trx, subject.id, report.paths)
        }
        for (const { part, bytes } of packed)
          await repository.putPart(trx, subject, part, {
            state: 'succeeded',
            episodeCount: report.episodes,
            ruleSetVersion,
            report: bytes,
          })
      },
    }
  } finally {
    await removeWorkFolder(context, run.claim)
  }
}

interface OpenedSubject extends AsyncDisposable {
  dataset: Dataset
  /** Of a revision. */
  identities: repository.EpisodeIdentity[] | undefined
  findBeyond?(paths: MotionPaths | undefined, cutOffs: Readonly<Record<string, number>>): Promise<Beyond>
  identify(episodeIndex: number): Buffer | undefined
}

async function openSubject(
  context: Context,
  subject: repository.CheckSubject,
  folder: string,
  signal: AbortSignal,
): Promise<OpenedSubject> {
  if (subject.kind === 'version') {
    const kind = findReadableKind(context, subject.id)
    if (!kind) throw notFound()
    const dataset = await kind.openData(context, subject.id, folder, signal)
    const identify = (episodeIndex: number) => identifyByPlace(subject, episodeIndex)
    return { dataset, identities: undefined, identify, [Symbol.asyncDispose]: () => dataset.close() }
  }
  const revision = await getRevision(context.db, subject.id)
  const { id, orgId, number, datasetId } = revision
  await layOutRevision(context, { id, orgId }, folder, { signal })
  const { roles } = (await getReadModel(context, revision)).manifest
  const dataset = withRoles(await openDataset(await openFolder(folder, { links: 'anywhere' }), { signal }), roles)
  const identities = await readIdentities(folder, signal)
  const projectId = await repository.findProjectId(context.db, datasetId)
  const statistics = await readQuantiles(folder)
  const contents = new Map(identities.map(({ episodeIndex, content }) => [episodeIndex, content]))
  return {
    dataset,
    identities,
    findBeyond: (paths, cutOffs) =>
      findBeyond(context, { projectId, datasetId, beforeNumber: number }, { identities, paths, statistics }, cutOffs),
    identify: (index) => contents.get(index),
    [Symbol.asyncDispose]: () => dataset.close(),
  }
}

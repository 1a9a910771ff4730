import { beyondIds, tellBeyond } from '@nmp/formats/checks/beyond'
import type { Beyond, SetStatistics } from '@nmp/formats/checks/beyond-rule'
import type { MotionPaths } from '@nmp/formats/checks/motion-paths'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import { findNearCopies } from './paths/near-copies.ts'
import { takeQuantiles } from './quantiles.ts'
import * as repository from './repository.ts'
import type { StoredReport } from './stored-report.ts'

export interface Placed {
  projectId: string
  /** Undefined where the revision is the first of its dataset. */
  datasetId: string | undefined
  /** Of the dataset, the revision that others came before; undefined: all of them did. */
  beforeNumber?: number
}

/** What is held against others. */
export interface KnownRevision {
  identities: readonly repository.EpisodeIdentity[]
  paths: MotionPaths | undefined
  statistics: SetStatistics
}

/** What is known beyond a revision: other datasets of its project, and the revision before it. */
export async function findBeyond(
  context: Context,
  { projectId, datasetId, beforeNumber }: Placed,
  { identities, paths, statistics: now }: KnownRevision,
  cutOffs: Readonly<Record<string, number>>,
): Promise<Beyond> {
  const digests = identities.flatMap(({ numbers }) => numbers ?? [])
  const found = await repository.listCopies(context.db, projectId, datasetId ?? '', digests)
  const byDigest = new Map(found.map((copy) => [copy.numbers.toString('base64'), copy]))
  const copies = identities.flatMap(({ episodeIndex, numbers }) => {
    const copy = numbers && byDigest.get(numbers.toString('base64'))
    if (!copy) return []
    const { datasetId: ofDataset, slug, episodeIndex: there } = copy
    return [{ episodeIndex, count: copy.count, elsewhere: { datasetId: ofDataset, slug, episodeIndex: there } }]
  })
  const place = { projectId, exceptDatasetId: datasetId ?? '' }
  const near = paths ? await findNearCopies(context.db, place, paths, cutOffs) : { nearCopies: [], notCompared: 0 }
  // Those are told as copies.
  const isCopied = new Set(copies.map(({ episodeIndex }) => episodeIndex))
  const nearCopies = near.nearCopies.filter(({ episodeIndex }) => !isCopied.has(episodeIndex))
  const others = { copies, nearCopies, notCompared: near.notCompared }
  const earlier = datasetId && (await repository.findEarlierRevision(context.db, datasetId, beforeNumber))
  if (!earlier) return others
  const { manifest } = await getReadModel(context, earlier)
  const before = takeQuantiles(manifest.feature_statistics)
  return { ...others, statistics: { before, now, revision: earlier.number } }
}

/** The report with what these rules say of it. */
export function addBeyond(
  report: StoredReport,
  beyond: Beyond,
  cutOffs: Readonly<Record<string, number>>,
): StoredReport {
  const told = tellBeyond(beyond, new Map(Object.entries(cutOffs)))
  // A report that was taken over speaks of where it comes from.
  const others = report.findings.filter(({ rule }) => !beyondIds.has(rule))
  return {
    ...report,
    findings: [...others, ...told.findings, ...told.near],
    unlisted: { ...without(report.unlisted, beyondIds), ...told.unlisted },
    unlistedNear: { ...without(report.unlistedNear, beyondIds), ...told.unlistedNear },
    strictest: { ...without(report.strictest, beyondIds), ...told.strictest },
  }
}

const without = <T>(byRule: Readonly<Record<string, T>>, rules: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(byRule).filter(([rule]) => !rules.has(rule)))

import type { Caller } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { cursorsOf } from '../../cursor.ts'
import { inDatasetTransaction } from '../../datasets/public-datasets.ts'
import type { Database, Transaction } from '../../db/database.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { findRevision } from '../repository.ts'
import { matchEpisodes } from '../same-episodes.ts'
import { type CuratedDataset, EpisodeCheck, openCuratedModel } from '../service.ts'
import { type EpisodeAnnotation, type GivenAnnotation, joinAnnotations } from './content.ts'
import * as repository from './repository.ts'

export type AnnotationSet = repository.SetRow
export type AnnotationSetVersion = repository.VersionRow

export const maxAnnotatedEpisodes = 100_000
const shownVersions = 100

export async function listAnnotationSets(
  db: Database,
  { revision }: CuratedDataset,
  limit: number,
  cursor: string | undefined,
) {
  const cursors = cursorsOf('annotation sets', revision.id)
  const rows = await repository.listSets(db, revision.id, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, (row) => row.id)
}

export interface OpenedSet {
  set: AnnotationSet
  version: number
  episodes: EpisodeAnnotation[]
  versions: AnnotationSetVersion[]
}

/** Without a version: the newest. */
export async function openAnnotationSet(
  db: Database,
  datasetId: string,
  setId: string,
  version?: number,
): Promise<OpenedSet> {
  const set = await repository.findSet(db, datasetId, setId)
  if (!set) throw notFound()
  const number = version ?? set.latestVersion
  const episodes = await repository.findEpisodes(db, setId, number)
  if (!episodes) throw notFound()
  return { set, version: number, episodes, versions: await repository.listVersions(db, setId, shownVersions) }
}

export async function createAnnotationSet(
  context: Context,
  caller: Caller,
  curated: CuratedDataset,
  { name, message, episodes }: { name: string; message: string; episodes: readonly GivenAnnotation[] },
): Promise<OpenedSet> {
  await checkEpisodes(context, curated, episodes)
  return inDatasetTransaction(context.db, curated.dataset, (trx) =>
    insertSet(trx, caller, curated, { name, message, episodes: joinAnnotations([], episodes) }),
  )
}

async function insertSet(
  trx: Transaction,
  caller: Caller,
  { dataset, revision }: CuratedDataset,
  { name, message, episodes }: { name: string; message: string; episodes: readonly EpisodeAnnotation[] },
): Promise<OpenedSet> {
  const { userId } = caller
  const set = { id: createId('ann'), name, createdBy: userId }
  if (!(await repository.insertSet(trx, revision, set)))
    throw new ServiceError(
      'conflict',
      `This ${revision.kind} already has an annotation set called ${name}. Choose another name.`,
    )
  await repository.insertVersion(trx, { setId: set.id, version: 1, message, episodes, userId })
  await recordAudit(trx, caller, {
    action: 'annotation_set.create',
    resource: { kind: 'annotation_set', id: set.id },
    orgId: dataset.orgId,
    detail: { dataset: dataset.slug, revision: revision.number, name, episodes: episodes.length },
  })
  return openAnnotationSet(trx, dataset.id, set.id)
}

export interface AnnotationChange {
  episodes: readonly GivenAnnotation[]
  /** Episodes that are not named stay as they are. */
  merge: boolean
  /** The version the change was made on; another one since then is a conflict. */
  baseVersion: number | undefined
  message: string
}

/** Makes the next version; those before it stay as they are. */
export async function changeAnnotationSet(
  context: Context,
  caller: Caller,
  curated: Omit<CuratedDataset, 'revision'> & { revision?: CuratedDataset['revision'] },
  setId: string,
  { episodes, merge, baseVersion, message }: AnnotationChange,
): Promise<OpenedSet> {
  const { dataset } = curated
  const set = await repository.findSet(context.db, dataset.id, setId)
  const revision = set && (curated.revision ?? (await findRevision(context.db, dataset.id, set.revisionNumber)))
  if (!revision) throw notFound()
  await checkEpisodes(context, { ...curated, revision }, episodes)
  return inDatasetTransaction(context.db, dataset, async (trx) => {
    const latest = await repository.lockSet(trx, setId)
    if (latest === undefined) throw notFound()
    if (baseVersion !== undefined && baseVersion !== latest)
      throw new ServiceError(
        'conflict',
        `Someone else has saved version ${latest} in the meantime. Look at it, then send the change again with base_version ${latest}.`,
      )
    const kept = merge ? ((await repository.findEpisodes(trx, setId, latest)) ?? []) : []
    const next = joinAnnotations(kept, episodes)
    if (next.length > maxAnnotatedEpisodes)
      throw new ServiceError('conflict', `An annotation set holds at most ${maxAnnotatedEpisodes} episodes.`)
    const version = latest + 1
    await repository.insertVersion(trx, { setId, version, message, episodes: next, userId: caller.userId })
    await recordAudit(trx, caller, {
      action: 'annotation_set.change',
      resource: { kind: 'annotation_set', id: setId },
      orgId: dataset.orgId,
      detail: { dataset: dataset.slug, version, episodes: next.length },
    })
    return openAnnotationSet(trx, dataset.id, setId)
  })
}

/** Out of the lists; recipes that name it go on. */
export const deleteAnnotationSet = (
  db: Database,
  caller: Caller,
  dataset: CuratedDataset['dataset'],
  setId: string,
): Promise<AnnotationSet> =>
  inDatasetTransaction(db, dataset, async (trx) => {
    const set = await repository.findSet(trx, dataset.id, setId)
    if (!set) throw notFound()
    await repository.updateSet(trx, setId, { deletedAt: new Date() })
    await recordAudit(trx, caller, {
      action: 'annotation_set.delete',
      resource: { kind: 'annotation_set', id: setId },
      orgId: dataset.orgId,
      detail: { dataset: dataset.slug, name: set.name },
    })
    return set
  })

export interface CopiedSet {
  opened: OpenedSet
  changedEpisodes: number[]
}

/** A set of its own on another revision, with the episodes that are the same there under the numbers they have there. */
export async function copyAnnotationSet(
  context: Context,
  caller: Caller,
  source: OpenedSet,
  { to, name }: { to: CuratedDataset; name: string },
  signal: AbortSignal,
): Promise<CopiedSet> {
  const from = await findRevision(context.db, to.dataset.id, source.set.revisionNumber)
  if (!from) throw notFound()
  const annotated = source.episodes.map((episode) => episode.episode_index)
  const places = await matchEpisodes(context, to.dataset.orgId, { from, to: to.revision }, annotated, signal)
  const moved = source.episodes.flatMap((episode) => {
    const index = places.get(episode.episode_index)
    return index === undefined ? [] : [{ ...episode, episode_index: index }]
  })
  const message = `Copied from revision ${from.number}, version ${source.version}`
  const opened = await inDatasetTransaction(context.db, to.dataset, (trx) =>
    insertSet(trx, caller, to, { name, message, episodes: joinAnnotations([], moved) }),
  )
  return { opened, changedEpisodes: annotated.filter((episode) => !places.has(episode)) }
}

async function checkEpisodes(
  context: Context,
  curated: CuratedDataset,
  episodes: readonly GivenAnnotation[],
): Promise<void> {
  const check = new EpisodeCheck(await openCuratedModel(context, curated))
  const seen = new Set<number>()
  for (const [index, episode] of episodes.entries()) {
    const loc = ['body', 'episodes', index]
    const length = check.findLength(loc, episode.episode_index)
    if (seen.has(episode.episode_index))
      check.add([...loc, 'episode_index'], 'an episode may appear only once in a set', episode.episode_index)
    seen.add(episode.episode_index)
    if (length === undefined) continue
    for (const [place, { start_frame, end_frame }] of (episode.segments ?? []).entries())
      check.checkFrames([...loc, 'segments', place], length, start_frame, end_frame)
  }
  check.throwIfAny()
}

export interface AnnotationVersion {
  setId: string
  name: string
  version: number
  episodes: EpisodeAnnotation[]
}

/** For recipes: a version of a set of exactly this revision or derived version (null: its newest), or undefined. */
export async function findAnnotationVersion(
  db: Database,
  subject: { id: string },
  setId: string,
  version: number | null,
): Promise<AnnotationVersion | undefined> {
  const set = await repository.findSetOf(db, subject.id, setId)
  if (!set) return undefined
  const number = version ?? set.latestVersion
  const episodes = await repository.findEpisodes(db, setId, number)
  return episodes && { setId, name: set.name, version: number, episodes }
}

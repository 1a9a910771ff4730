import type { Caller, Principal } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { cursorsOf } from '../../cursor.ts'
import { viewerRoute } from '../../datasets/viewer-route.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { notify } from '../../notifications/service.ts'
import { listEditors } from '../repository.ts'
import { matchEpisodes } from '../same-episodes.ts'
import { type CuratedDataset, EpisodeCheck, openCuratedModel } from '../service.ts'
import * as repository from './repository.ts'

export type Flag = repository.FlagRow

export const flagReasons = ['idle', 'shaky', 'failed', 'tracking', 'camera', 'task', 'other'] as const
export type FlagReason = (typeof flagReasons)[number]

export interface GivenFlag {
  episode_index: number
  reason: FlagReason
  note?: string | null | undefined
  start_frame?: number | null | undefined
  end_frame?: number | null | undefined
}

export const maxFlagsPerRequest = 2_000
export const maxFlagsPerRevision = 100_000

const tooMany = (): ServiceError =>
  new ServiceError('conflict', `A revision or version holds at most ${maxFlagsPerRevision} flags. Remove some first.`)

export async function listFlags(
  db: Database,
  { revision }: CuratedDataset,
  filter: repository.FlagFilter,
  limit: number,
  cursor: string | undefined,
) {
  const cursors = cursorsOf('flags', revision.id)
  const place = cursors.decode(cursor)
  const [, episode, id = ''] = /^(\d{1,9}) (\w+)$/.exec(place ?? '') ?? []
  if (place !== undefined && episode === undefined) throw cursors.refusal(cursor)
  const after = episode === undefined ? undefined : { episodeIndex: Number(episode), id }
  const rows = await repository.listFlags(db, revision.id, filter, limit + 1, after)
  return cursors.cut(rows, limit, (row) => `${row.episodeIndex} ${row.id}`)
}

/** Puts every flag or none. Answers them as they stand now, and which are new: taking those away undoes it. */
export async function putFlags(
  context: Context,
  caller: Caller,
  curated: CuratedDataset,
  given: readonly GivenFlag[],
): Promise<{ flags: Flag[]; createdIds: string[] }> {
  const flags = await completeFlags(context, curated, given)
  return inTransaction(context.db, async (trx) => {
    const put = await storeFlags(trx, caller.userId, curated, flags)
    await recordAudit(trx, caller, {
      action: 'flag.put',
      resource: { kind: kindOf(curated), id: curated.dataset.id },
      orgId: curated.dataset.orgId,
      detail: { revision: curated.revision.number, flags: put.flags.length, new: put.createdIds.length },
    })
    await tellEditors(trx, caller, curated, put.flags, put.createdIds)
    return put
  })
}

/** Of equal flags in one request the last one counts. */
async function completeFlags(
  context: Context,
  curated: CuratedDataset,
  given: readonly GivenFlag[],
): Promise<repository.NewFlag[]> {
  const check = new EpisodeCheck(await openCuratedModel(context, curated))
  const flags = new Map<string, repository.NewFlag>()
  for (const [index, flag] of given.entries()) {
    const loc = ['body', 'items', index]
    const length = check.findLength(loc, flag.episode_index)
    if (length === undefined) continue
    const isRange = (flag.start_frame ?? flag.end_frame ?? null) !== null
    const startFrame = isRange ? (flag.start_frame ?? 0) : null
    const endFrame = isRange ? (flag.end_frame ?? length) : null
    if (startFrame !== null && endFrame !== null) check.checkFrames(loc, length, startFrame, endFrame)
    const { episode_index: episodeIndex, reason, note = null } = flag
    const key = [episodeIndex, reason, startFrame, endFrame].join(' ')
    flags.set(key, { id: createId('flg'), episodeIndex, reason, note, startFrame, endFrame })
  }
  check.throwIfAny()
  return [...flags.values()]
}

async function storeFlags(
  trx: Transaction,
  userId: string | null,
  { revision }: CuratedDataset,
  flags: readonly repository.NewFlag[],
): Promise<{ flags: Flag[]; createdIds: string[] }> {
  const put = await repository.upsertFlags(trx, revision, userId, flags)
  if ((await repository.countFlags(trx, revision.id)) > maxFlagsPerRevision) throw tooMany()
  const rows = await repository.listFlagsByIds(
    trx,
    [revision.id],
    put.map(({ id }) => id),
  )
  return { flags: rows, createdIds: put.flatMap(({ id, isNew }) => (isNew ? [id] : [])) }
}

export interface CopiedFlags {
  copied: number
  /** Were there already. */
  present: number
  /** Episodes of the older revision that have flags, but are not in this one as they were. */
  changedEpisodes: number[]
}

/** Takes the flags of another revision over, for episodes that are the same in both. Nobody is told: the flags are known. */
export async function copyFlags(
  context: Context,
  caller: Caller,
  from: CuratedDataset,
  to: CuratedDataset,
  signal: AbortSignal,
): Promise<CopiedFlags> {
  const flags = await repository.listFlags(context.db, from.revision.id, {}, maxFlagsPerRevision, undefined)
  const episodes = new Set(flags.map((flag) => flag.episodeIndex))
  const revisions = { from: from.revision, to: to.revision }
  const places = await matchEpisodes(context, to.dataset.orgId, revisions, episodes, signal)
  const moved = flags.flatMap((flag) => {
    const episodeIndex = places.get(flag.episodeIndex)
    return episodeIndex === undefined ? [] : [{ ...flag, id: createId('flg'), episodeIndex }]
  })
  return inTransaction(context.db, async (trx) => {
    const copied = await repository.copyFlags(trx, to.revision, moved)
    if ((await repository.countFlags(trx, to.revision.id)) > maxFlagsPerRevision) throw tooMany()
    await recordAudit(trx, caller, {
      action: 'flag.copy',
      resource: { kind: 'dataset', id: to.dataset.id },
      orgId: to.dataset.orgId,
      detail: { from_revision: from.revision.number, to_revision: to.revision.number, flags: copied },
    })
    const changedEpisodes = [...episodes].filter((episode) => !places.has(episode))
    return { copied, present: moved.length - copied, changedEpisodes }
  })
}

/** One message for all flags of a request; who set them knows already. */
async function tellEditors(
  trx: Transaction,
  principal: Principal,
  curated: CuratedDataset,
  flags: readonly Flag[],
  createdIds: readonly string[],
): Promise<void> {
  const { dataset } = curated
  const created = new Set(createdIds)
  const fresh = flags.filter(({ id }) => created.has(id))
  if (fresh.length === 0) return
  const editors = await listEditors(trx, { orgId: dataset.orgId, projectId: dataset.projectId })
  const episodes = new Set(fresh.map((flag) => flag.episodeIndex))
  const reasons = flagReasons.filter((reason) => fresh.some((flag) => flag.reason === reason)).join(', ')
  const [first] = episodes
  const what = episodes.size === 1 ? `episode ${first}` : `${episodes.size} episodes`
  const who = fresh[0]?.createdByName ?? principal.email
  await notify(trx, {
    kind: 'episode_flag',
    userIds: editors.filter((userId) => userId !== principal.userId),
    orgId: dataset.orgId,
    projectId: dataset.projectId,
    resourceKind: kindOf(curated),
    resourceId: dataset.id,
    title: `${who} flagged ${what} of ${dataset.title}: ${reasons}`,
    path: describePage(curated, episodes.size === 1 ? first : undefined),
  })
}

const kindOf = ({ revision }: Pick<CuratedDataset, 'revision'>) => (revision.kind === 'version' ? 'version' : 'dataset')

const describePage = ({ dataset, revision }: CuratedDataset, episode: number | undefined): string => {
  if (revision.kind === 'version') return viewerRoute(dataset)
  return episode === undefined ? `/datasets/${dataset.id}/flags` : `/datasets/${dataset.id}/episodes/${episode}`
}

/** Answers the flags that are gone now, so that whoever took them away can put them back. Ids that are not there are passed over. */
export const removeFlags = (
  db: Database,
  caller: Caller,
  { dataset, revision }: { dataset: CuratedDataset['dataset']; revision?: CuratedDataset['revision'] },
  ids: readonly string[],
): Promise<Flag[]> =>
  inTransaction(db, async (trx) => {
    const flags = await repository.listFlagsOfDataset(trx, dataset.id, ids)
    await repository.deleteFlags(
      trx,
      flags.map(({ id }) => id),
    )
    await recordAudit(trx, caller, {
      action: 'flag.delete',
      resource: { kind: revision ? kindOf({ revision }) : 'dataset', id: dataset.id },
      orgId: dataset.orgId,
      detail: { flags: flags.length, episodes: flags.slice(0, 20).map((flag) => flag.episodeIndex) },
    })
    return flags
  })

export async function removeFlag(
  db: Database,
  caller: Caller,
  subject: Parameters<typeof removeFlags>[2],
  id: string,
): Promise<Flag> {
  return inTransaction(db, async (trx) => {
    const [flag] = await removeFlags(trx, caller, subject, [id])
    if (!flag) throw notFound()
    return flag
  })
}

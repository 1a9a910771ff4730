import type { ProjectGrant } from '../../access/access.ts'
import type { Caller, Principal } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import type { Context } from '../../context.ts'
import { cursorsOf } from '../../cursor.ts'
import { findReadable } from '../../datasets/service.ts'
import { type Database, inTransaction, type Transaction } from '../../db/database.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { notify } from '../../notifications/service.ts'
import { listEditors } from '../repository.ts'
import { type CuratedDataset, EpisodeCheck, openCuratedModel } from '../service.ts'
import type { Verdict } from '../tables.ts'
import * as repository from './repository.ts'

export type Review = repository.ReviewRow

export interface OpenedReview {
  review: Review
  episodes: number[]
  verdicts: repository.VerdictRow[]
}

export const maxEpisodesPerReview = 100_000
export const maxVerdictsPerRequest = 2_000
export const maxPeople = 50
const maxReviews = 200

/** A dataset or version of this project, as it is now; one of another project is not there. */
async function openSubject(
  context: Context,
  principal: Principal,
  project: ProjectGrant,
  datasetId: string,
): Promise<CuratedDataset> {
  const seen = await findReadable(context, principal, datasetId)
  if (seen.project.id !== project.id) throw notFound()
  const { number, digest, readModelDigest } = seen.revision
  if (seen.derived)
    return {
      dataset: seen.dataset,
      revision: { kind: 'version', id: datasetId, number, digest, readModelDigest },
      place: seen.revision,
    }
  return {
    dataset: seen.dataset,
    revision: { kind: 'revision', id: seen.revision.id, number, digest, readModelDigest },
  }
}

export async function listReviews(
  context: Context,
  principal: Principal,
  project: ProjectGrant,
  datasetId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const { revision } = await openSubject(context, principal, project, datasetId)
  const cursors = cursorsOf('reviews', revision.id)
  const rows = await repository.listReviews(context.db, revision.id, limit + 1, cursors.decode(cursor))
  return cursors.cut(rows, limit, ({ id }) => id)
}

interface NewReview {
  datasetId: string
  name: string
  episodes: readonly number[]
  people: readonly string[]
}

export async function createReview(
  context: Context,
  caller: Caller,
  project: ProjectGrant,
  { datasetId, name, episodes, people }: NewReview,
): Promise<OpenedReview> {
  const curated = await openSubject(context, caller, project, datasetId)
  const model = await openCuratedModel(context, curated)
  const check = new EpisodeCheck(model)
  const seen = new Set<number>()
  for (const [at, episode] of episodes.entries()) {
    const place = ['body', 'episodes', at]
    if (seen.has(episode)) check.add(place, 'an episode stands in a queue once', episode)
    else if (!model.hasEpisode(episode)) check.add(place, `the episodes are 0 to ${model.episodeCount - 1}`, episode)
    seen.add(episode)
  }
  check.throwIfAny()
  const { dataset, revision } = curated
  const id = createId('rvw')
  return inTransaction(context.db, async (trx) => {
    if ((await repository.countReviews(trx, revision.id)) >= maxReviews)
      throw new ServiceError('conflict', `A dataset has at most ${maxReviews} reviews. Delete one first.`)
    const subject = { kind: revision.kind, id: revision.id }
    await repository.insertReview(trx, {
      id,
      projectId: project.id,
      subject,
      name,
      episodes,
      createdBy: caller.userId,
    })
    await assign(trx, dataset.orgId, project, id, people)
    await tellPeople(trx, caller, { orgId: dataset.orgId, project, id, before: [] })
    await record(trx, caller, {
      orgId: dataset.orgId,
      action: 'review.create',
      id,
      detail: { episodes: episodes.length, dataset: dataset.id },
    })
    return openReview(trx, project, id)
  })
}

/** A queue is dealt between people who may say something in it. */
async function assign(
  trx: Transaction,
  orgId: string,
  project: ProjectGrant,
  reviewId: string,
  people: readonly string[],
): Promise<void> {
  const editors = new Set(await listEditors(trx, { orgId, projectId: project.id }))
  const at = people.findIndex((person, place) => !editors.has(person) || people.indexOf(person) < place)
  if (at >= 0)
    throw invalidValue(['body', 'people', at], 'a review goes to editors of the project, each once', people[at])
  await repository.replacePeople(trx, reviewId, people)
}

interface Assignment {
  orgId: string
  project: ProjectGrant
  id: string
  /** Whom it was dealt between until now. */
  before: readonly string[]
}

/** Who has a part of a queue that they had not before is told, by the switch for invites; who did it knows. */
async function tellPeople(trx: Transaction, caller: Caller, { orgId, project, id, before }: Assignment): Promise<void> {
  const { people, name, datasetId, total } = await getReview(trx, project, id)
  const fresh = people.filter((person) => person.id !== caller.userId && !before.includes(person.id))
  if (fresh.length === 0) return
  const [first = 0] = await repository.readEpisodes(trx, id)
  const shares = people.length > 1 ? `, dealt between ${people.length} people` : ''
  await notify(trx, {
    kind: 'team_invite',
    userIds: fresh.map((person) => person.id),
    orgId,
    projectId: project.id,
    resourceKind: 'review',
    resourceId: id,
    title: `${caller.email} asks you to review ${total === 1 ? '1 episode' : `${total} episodes`}: ${name}${shares}`,
    path: `/datasets/${datasetId}/episodes/${first}?review=${id}`,
  })
}

export async function getReview(db: Database, project: ProjectGrant, id: string): Promise<Review> {
  const review = await repository.findReview(db, id, project.id)
  if (!review) throw notFound()
  return review
}

export async function openReview(db: Database, project: ProjectGrant, id: string): Promise<OpenedReview> {
  const review = await getReview(db, project, id)
  return { review, episodes: await repository.readEpisodes(db, id), verdicts: await repository.listVerdicts(db, id) }
}

export const changeReview = (
  db: Database,
  caller: Caller,
  { org, project }: { org: { id: string }; project: ProjectGrant },
  id: string,
  { name, people }: { name?: string | undefined; people?: readonly string[] | undefined },
): Promise<Review> =>
  inTransaction(db, async (trx) => {
    const before = (await getReview(trx, project, id)).people.map((person) => person.id)
    await repository.touchReview(trx, id, name === undefined ? {} : { name })
    if (people) {
      await assign(trx, org.id, project, id, people)
      await tellPeople(trx, caller, { orgId: org.id, project, id, before })
    }
    await record(trx, caller, {
      orgId: org.id,
      action: 'review.change',
      id,
      detail: people ? { people: people.length } : {},
    })
    return getReview(trx, project, id)
  })

/** Says what becomes of episodes, or takes it back. The last one who says something of an episode is the one who is heard. */
export const decide = (
  db: Database,
  caller: Caller,
  { org, project }: { org: { id: string }; project: ProjectGrant },
  id: string,
  given: readonly { episode_index: number; verdict: Verdict | null }[],
): Promise<Review> =>
  inTransaction(db, async (trx) => {
    await getReview(trx, project, id)
    // The row is held first: two people who say something at once do so one after the other.
    if (!(await repository.touchReview(trx, id))) throw notFound()
    const queue = new Set(await repository.readEpisodes(trx, id))
    const last = new Map(given.map(({ episode_index, verdict }) => [episode_index, verdict]))
    for (const [at, { episode_index: episode }] of given.entries())
      if (!queue.has(episode))
        throw invalidValue(['body', 'items', at, 'episode_index'], 'the review does not have this episode', episode)
    const verdicts = [...last].map(([episodeIndex, verdict]) => ({ episodeIndex, verdict }))
    await repository.writeVerdicts(trx, id, caller.userId, verdicts)
    await record(trx, caller, {
      orgId: org.id,
      action: 'review.decide',
      id,
      detail: { episodes: [...last].slice(0, 20).map(([episode, verdict]) => ({ episode, verdict })) },
    })
    return getReview(trx, project, id)
  })

export const deleteReview = (
  db: Database,
  caller: Caller,
  { org, project }: { org: { id: string }; project: ProjectGrant },
  id: string,
): Promise<void> =>
  inTransaction(db, async (trx) => {
    const { name, total } = await getReview(trx, project, id)
    await repository.deleteReview(trx, id)
    await record(trx, caller, { orgId: org.id, action: 'review.delete', id, detail: { name, episodes: total } })
  })

interface Deed {
  orgId: string
  action: string
  id: string
  detail: Record<string, unknown>
}

const record = (trx: Transaction, caller: Caller, { orgId, action, id, detail }: Deed) =>
  recordAudit(trx, caller, { action, resource: { kind: 'review', id }, orgId, detail })

/** For live events, which ask whether it may be seen themselves. */
export const findReviewById = (db: Database, id: string) => repository.findReview(db, id)
export const listReviewsChangedSince = (db: Database, orgIds: readonly string[], since: Date, limit: number) =>
  repository.listReviewsChangedSince(db, orgIds, since, limit)

import type { Database, Transaction } from '../db/database.ts'
import { createId } from '../ids.ts'
import type { EpisodeAnnotation } from './annotations/content.ts'
import * as annotationSets from './annotations/repository.ts'
import * as flags from './flags/repository.ts'
import { maxFlagsPerRevision } from './flags/service.ts'
import type { Subject } from './repository.ts'

interface SaidFlag {
  id: string
  episode_index: number
  reason: string
  note: string
  start_frame: number | null
  end_frame: number | null
  created_by: string | null
  created_at: string
}

/** What people said of the episodes of a version, as JSON holds it. */
export interface Curation {
  flags: SaidFlag[]
  /** Each at its newest version. */
  annotationSets: { name: string; version: number; created_by: string | null; episodes: EpisodeAnnotation[] }[]
}

const setsAtATime = 100

export async function readCuration(db: Database, subjectId: string): Promise<Curation> {
  const rows = await flags.listFlags(db, subjectId, {}, maxFlagsPerRevision, undefined)
  const sets: Curation['annotationSets'] = []
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = await annotationSets.listSets(db, subjectId, setsAtATime, after)
    for (const { id, name, latestVersion: version, createdBy } of page)
      sets.push({
        name,
        version,
        created_by: createdBy,
        episodes: (await annotationSets.findEpisodes(db, id, version)) ?? [],
      })
    after = page.at(-1)?.id
    isMore = page.length === setsAtATime
  }
  return {
    flags: rows.map((flag) => ({
      id: flag.id,
      episode_index: flag.episodeIndex,
      reason: flag.reason,
      note: flag.note,
      start_frame: flag.startFrame,
      end_frame: flag.endFrame,
      created_by: flag.createdBy,
      created_at: flag.createdAt.toISOString(),
    })),
    annotationSets: sets,
  }
}

/** For a subject with the same episodes under the same numbers, of which nothing was said so far. */
export async function putCuration(
  trx: Transaction,
  subject: Subject,
  { flags: given, annotationSets: sets }: Curation,
  said: string,
): Promise<void> {
  await flags.copyFlags(
    trx,
    subject,
    given.map((flag) => ({
      id: createId('flg'),
      episodeIndex: flag.episode_index,
      reason: flag.reason,
      note: flag.note,
      startFrame: flag.start_frame,
      endFrame: flag.end_frame,
      createdBy: flag.created_by,
      createdAt: new Date(flag.created_at),
    })),
  )
  for (const { name, version, created_by: createdBy, episodes } of sets) {
    const id = createId('ann')
    await annotationSets.insertSet(trx, subject, { id, name, createdBy })
    await annotationSets.insertVersion(trx, {
      setId: id,
      version: 1,
      message: `${said}, version ${version} of the set`,
      episodes,
      userId: createdBy,
    })
  }
}

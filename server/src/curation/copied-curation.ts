import type { Database, Transaction } from '../db/database.ts'
import { createId } from '../ids.ts'
import type { EpisodeAnnotation } from './annotations/content.ts'
import * as annotationSets from './annotations/repository.ts'
import * as flags from './flags/repository.ts'
import { maxFlagsPerRevision } from './flags/service.ts'
import type { Subject } from './repository.ts'

/** What people said of the episodes of a version, as JSON holds it. */
export interface Curation {
  flags: (Omit<flags.FlagRow, 'created_at' | 'updated_at' | 'created_by_name'> & { created_at: string })[]
  /** Each at its newest version. */
  annotationSets: { name: string; version: number; created_by: string | null; episodes: EpisodeAnnotation[] }[]
}

const setsAtATime = 100

export async function readCuration(db: Database, subjectId: string): Promise<Curation> {
  const rows = await flags.listFlags(db, subjectId, {}, maxFlagsPerRevision, undefined)
  const sets: Curation['annotationSets'] = []
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = await annotationSets.listSets(db, subjectId, setsAtATime, after)
    for (const { id, name, latest_version: version, created_by } of page)
      sets.push({ name, version, created_by, episodes: (await annotationSets.findEpisodes(db, id, version)) ?? [] })
    after = page.at(-1)?.id
    isMore = page.length === setsAtATime
  }
  return {
    flags: rows.map(({ created_by_name: _, updated_at: __, created_at, ...flag }) => ({
      ...flag,
      created_at: created_at.toISOString(),
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
    given.map((flag) => ({ ...flag, id: createId('flg'), created_at: new Date(flag.created_at) })),
  )
  for (const { name, version, created_by, episodes } of sets) {
    const id = createId('ann')
    await annotationSets.insertSet(trx, subject, { id, name, created_by })
    await annotationSets.insertVersion(trx, {
      setId: id,
      version: 1,
      message: `${said}, version ${version} of the set`,
      episodes,
      userId: created_by,
    })
  }
}

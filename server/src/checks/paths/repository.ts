import type { MotionPaths } from '@nmp/formats/checks/motion-paths'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/database.ts'
import { joinParts, readPoints, splitPaths, writePoints } from './parts.ts'

interface PathRow extends Omit<MotionPaths, 'points'> {
  points: Buffer
}

const takePaths = ({ points, ...row }: PathRow): MotionPaths => ({ ...row, points: readPoints(points) })

/** Instead of what was kept of the revision before. */
export const putPaths = async (trx: Transaction, revisionId: string, paths: MotionPaths | undefined): Promise<void> => {
  await trx.deleteFrom('episode_paths').where('revision_id', '=', revisionId).execute()
  if (!paths) return
  for (const { firstPlace, ...part } of splitPaths(paths))
    await trx
      .insertInto('episode_paths')
      .values({
        revision_id: revisionId,
        first_place: firstPlace,
        role: part.role,
        width: part.width,
        dimensions: [...part.dimensions],
        scales: [...part.scales],
        episodes: [...part.episodes],
        lengths: [...part.lengths],
        points: writePoints(part.points),
      })
      .execute()
}

/** Of every episode of a revision. */
export const findPaths = async (db: Database, revisionId: string): Promise<MotionPaths | undefined> => {
  const rows = await db
    .selectFrom('episode_paths')
    .select(['role', 'width', 'dimensions', 'scales', 'episodes', 'lengths', 'points'])
    .where('revision_id', '=', revisionId)
    .orderBy('first_place')
    .execute()
  return joinParts(rows.map(takePaths))
}

/** Some episodes of a dataset of the project. */
export interface PathPart {
  revisionId: string
  firstPlace: number
  datasetId: string
  slug: string
  episodeCount: number
}

/** Of what datasets of the project show now, but for one dataset: those that can be compared, newest dataset first. */
export const listParts = async (
  db: Database,
  { projectId, exceptDatasetId }: { projectId: string; exceptDatasetId: string },
  { role, width }: Pick<MotionPaths, 'role' | 'width'>,
): Promise<PathPart[]> => {
  const { rows } = await sql<PathPart>`
    select path.revision_id as "revisionId", path.first_place as "firstPlace", dataset.id as "datasetId", dataset.slug,
      cardinality(path.episodes) as "episodeCount"
    from episode_paths path join datasets dataset on dataset.current_revision_id = path.revision_id
    where dataset.project_id = ${projectId} and dataset.id <> ${exceptDatasetId}
      and dataset.deletion_requested_at is null and path.role = ${role} and path.width = ${width}
    order by dataset.created_at desc, dataset.id, path.first_place`.execute(db)
  return rows
}

export const readParts = async (
  db: Database,
  parts: readonly PathPart[],
): Promise<{ datasetId: string; slug: string; paths: MotionPaths }[]> => {
  const { rows } = await sql<PathRow & { place: number }>`
    select wanted.place::integer, path.role, path.width, path.dimensions, path.scales, path.episodes, path.lengths, path.points
    from unnest(${parts.map(({ revisionId }) => revisionId)}::text[], ${parts.map(({ firstPlace }) => firstPlace)}::integer[])
      with ordinality as wanted(revision_id, first_place, place)
      join episode_paths path using (revision_id, first_place)
    order by wanted.place`.execute(db)
  return rows.flatMap(({ place, ...row }) => {
    const part = parts[place - 1]
    return part ? [{ datasetId: part.datasetId, slug: part.slug, paths: takePaths(row) }] : []
  })
}

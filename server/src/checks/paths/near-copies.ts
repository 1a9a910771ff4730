import type { Beyond } from '@nmp/formats/checks/beyond-rule'
import { ElsewhereSearch } from '@nmp/formats/checks/elsewhere-search'
import type { MotionPaths } from '@nmp/formats/checks/motion-paths'
import type { Database } from '../../db/database.ts'
import * as repository from './repository.ts'

/** Held at once, some two megabytes. */
const episodesAtATime = 2000
/** Read at most, some 400 MB. */
const mostEpisodes = 500_000

/** Episodes that are nearly those of other datasets of the project. */
export async function findNearCopies(
  db: Database,
  place: { projectId: string; exceptDatasetId: string },
  own: MotionPaths,
  cutOffs: Readonly<Record<string, number>>,
): Promise<Pick<Beyond, 'nearCopies' | 'notCompared'>> {
  const search = new ElsewhereSearch(own, cutOffs)
  let [left, notCompared] = [mostEpisodes, 0]
  let batch: repository.PathPart[] = []
  const compare = async (): Promise<void> => {
    for (const { paths, ...where } of await repository.readParts(db, batch)) search.compare(paths, where)
    batch = []
  }
  for (const part of await repository.listParts(db, place, own)) {
    if (part.episodeCount > left) {
      notCompared += part.episodeCount
      continue
    }
    left -= part.episodeCount
    batch.push(part)
    if (batch.reduce((sum, { episodeCount }) => sum + episodeCount, 0) >= episodesAtATime) await compare()
  }
  if (batch.length > 0) await compare()
  return { nearCopies: search.list(), notCompared: notCompared + search.skipped }
}

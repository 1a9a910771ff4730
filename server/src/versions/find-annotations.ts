import type { Context } from '../context.ts'
import type { EpisodeAnnotation } from '../curation/annotations/content.ts'
import { findAnnotationVersion } from '../curation/annotations/service.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { invalidValue } from '../errors.ts'
import type { StoredAnnotations } from './annotations.ts'
import type { RecipePlan } from './plan.ts'
import type { Recipe } from './recipe.ts'

/**
 * The named set at the named version, cut to the episodes that are kept; the newest version where none is named. Annotations are for
 * people of the project: to others that see a public dataset they are not there.
 */
export async function findAnnotations(
  { db }: Context,
  { dataset, revision, role, derived }: SeenDataset,
  { annotation_set_id: id, annotation_set_version: version }: Recipe,
  { episodes }: RecipePlan,
): Promise<StoredAnnotations | null> {
  if (id === null) return null
  const place = ['body', 'recipe']
  // What is said of a version is said of it and not of the files it has at the moment.
  const subject = derived ? dataset : revision
  const newest = role && (await findAnnotationVersion(db, subject, id, null))
  const what = derived ? 'version' : 'revision of the dataset'
  if (!newest) throw invalidValue([...place, 'annotation_set_id'], `this ${what} has no annotation set ${id}`, id)
  const found = version === null ? newest : await findAnnotationVersion(db, subject, id, version)
  if (!found)
    throw invalidValue(
      [...place, 'annotation_set_version'],
      `the set has no version ${version}; the newest is ${newest.version}`,
      version,
    )
  const kept = new Set(episodes)
  return {
    header: { annotation_set_id: id, annotation_set_version: found.version, name: found.name },
    episodes: found.episodes.filter(({ episode_index: index }) => kept.has(index)).map(packAnnotation),
  }
}

const packAnnotation = ({ episode_index, task, success, tags, note, segments }: EpisodeAnnotation) => ({
  episode_index,
  task,
  rest:
    success !== null || tags.length > 0 || note !== null || segments.length > 0
      ? { success, tags, note, segments: segments.map((segment) => ({ ...segment })) }
      : {},
})

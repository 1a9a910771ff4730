import type { Context } from '../../context.ts'
import type { EpisodeAnnotation } from '../../curation/annotations/content.ts'
import { findAnnotationVersion } from '../../curation/annotations/service.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { invalidValue } from '../../errors.ts'
import type { StoredAnnotations } from '../recipe/annotations.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { findUnknownLabels } from '../recipe/recipe-where.ts'
import type { RecipePlan } from './plan.ts'

/**
 * The named set at the named version, whole; the newest version where none is named. Annotations are for
 * people of the project: to others that see a public dataset they are not there.
 */
export async function findAnnotations(
  { db }: Context,
  { dataset, revision, role, derived }: SeenDataset,
  { annotation_set_id: id, annotation_set_version: version, where }: Recipe,
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
  const annotations = {
    header: { annotation_set_id: id, annotation_set_version: found.version, name: found.name },
    episodes: found.episodes.map(packAnnotation),
  }
  const [unknown] = findUnknownLabels(where, annotations)
  if (unknown)
    throw invalidValue([...place, 'where', unknown.key, String(unknown.place)], unknown.sentence, unknown.word)
  return annotations
}

/** What is said of the episodes that a recipe keeps: all that a version holds of a set. */
export function keepAnnotated(
  annotations: StoredAnnotations | null,
  { episodes }: RecipePlan,
): StoredAnnotations | null {
  if (!annotations) return null
  const kept = new Set(episodes)
  return { ...annotations, episodes: annotations.episodes.filter(({ episode_index: index }) => kept.has(index)) }
}

const packAnnotation = ({ episode_index, task, success, tags, note, segments }: EpisodeAnnotation) => ({
  episode_index,
  task,
  rest:
    success !== null || tags.length > 0 || note !== null || segments.length > 0
      ? { success, tags, note, segments: segments.map((segment) => ({ ...segment })) }
      : {},
})

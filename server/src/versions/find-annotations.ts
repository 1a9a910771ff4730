import type { Context } from '../context.ts'
import type { SeenDataset } from '../datasets/service.ts'
import { invalidValue } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'
import type { StoredAnnotations } from './annotations.ts'
import type { RecipePlan } from './plan.ts'
import type { Recipe } from './recipe.ts'

/** The named set at the named version, cut to the episodes that are kept. */
export async function findAnnotations(
  _context: Context,
  _principal: Principal,
  _seen: SeenDataset,
  recipe: Recipe,
  _plan: RecipePlan,
): Promise<StoredAnnotations | null> {
  const { annotation_set_id: id } = recipe
  if (id === null) return null
  throw invalidValue(['body', 'recipe', 'annotation_set_id'], `the dataset has no annotation set ${id}`, id)
}

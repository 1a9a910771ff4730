import type { Context } from '../../context.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { planChain } from '../chain.ts'
import type { Recipe } from '../recipe/recipe.ts'
import type { OpenedSource } from '../source.ts'
import { findAnnotations } from './find-annotations.ts'
import { findChecks } from './find-checks.ts'
import type { PlannedLink, RecipePlan } from './plan.ts'
import { resolveCuts } from './resolve-cuts.ts'

export interface PlannedRecipe {
  /** What the recipe speaks of. */
  model: ReadModel
  plan: RecipePlan
  stored: RecipePlan
  /** The recipe with what was found for it; annotations are those of the whole set. */
  link: PlannedLink
}

/** A recipe on an opened source, with everything that it pins. */
export async function planSource(context: Context, source: OpenedSource, recipe: Recipe): Promise<PlannedRecipe> {
  const annotations = await findAnnotations(context, source.seen, recipe)
  const checks = await findChecks(context, source.seen, recipe)
  const cutSource = { place: source.root, root: source.rootModel, earlier: source.ancestors }
  const cuts = await resolveCuts(context, cutSource, { recipe, annotations, checks })
  const link = { recipe, cuts, annotations, checks }
  const { source: model, plan, stored } = planChain(source.rootModel, source.ancestors, link)
  return { model, plan, stored, link }
}

import { createHash } from 'node:crypto'
import { appendTransform } from '@nmp/formats/image'
import { composeFrames } from '../datasets/read-model/kept-frames.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Database } from '../db/database.ts'
import { deriveReadModel } from './derive/derive-read-model.ts'
import { boundAction, changeBounds, type PlannedLink, planRecipe, type RecipePlan } from './plan/plan.ts'
import { listAncestors, type Version } from './repository.ts'

/** From the dataset to the version itself: every export goes through all of them. */
export const maxRecipes = 16

export interface ChainLink extends PlannedLink {
  recipeDigest: string
}

/** The recipes between the revision that all began with and the version, its own last. */
export const listLinks = async (db: Database, version: Version): Promise<ChainLink[]> => [
  ...(version.ancestors.length > 0 ? await listAncestors(db, version.id) : []),
  version,
]

export interface PlannedChain {
  /** What the last recipe speaks of: what those before it give. */
  source: ReadModel
  /** The last recipe, in numbers and sizes of `source`. */
  plan: RecipePlan
  /** All of them as one, in numbers and sizes of the stored dataset: what is read, copied and encoded. */
  stored: RecipePlan
}

/** Nothing is read: each recipe is planned on the read model that those before it lead to. `cuts` is what was found for the last one. */
export function planChain(root: ReadModel, earlier: readonly PlannedLink[], last: PlannedLink): PlannedChain {
  let source = root
  let bounds = boundAction(root.manifest)
  let before: RecipePlan | undefined
  for (const link of earlier) {
    const plan = planRecipe(source, link, bounds)
    before = joinPlans(before, plan)
    bounds = changeBounds(bounds, link.recipe)
    source = deriveReadModel(source, link.recipe, plan, link.annotations)
  }
  const plan = planRecipe(source, last, bounds)
  return { source, plan, stored: joinPlans(before, plan) }
}

function joinPlans(before: RecipePlan | undefined, next: RecipePlan): RecipePlan {
  if (!before) return next
  return {
    ...next,
    episodes: next.episodes.map((episode) => before.episodes[episode] as number),
    frames: composeFrames(before.frames, next.frames, next.episodes),
    isCut: before.isCut || next.isCut,
    cameras: next.cameras.map((planned) => {
      const stored = before.cameras.find(({ name }) => name === planned.camera.key) ?? planned
      return { ...planned, camera: stored.camera, transform: appendTransform(stored.transform, planned.transform) }
    }),
    changesAction: before.changesAction || next.changesAction,
    keepsSignals: before.keepsSignals && next.keepsSignals,
  }
}

/** Of what a chain begins with and every recipe in it: equal ones give equal bytes. */
export function hashChain(
  rootDigest: string,
  links: readonly Pick<ChainLink, 'recipeDigest' | 'annotations' | 'cuts' | 'checks'>[],
): string {
  const described = links.map(({ recipeDigest: digest, annotations, cuts, checks }) => [
    digest,
    annotations,
    ...(cuts ? [cuts] : []),
    ...(checks ? [checks] : []),
  ])
  const meaning = [rootDigest, ...described]
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex')
}

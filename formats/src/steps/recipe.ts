import type { Dataset } from '../dataset.ts'
import type { ActionSettings } from './action.ts'
import type { AnnotationSettings } from './annotate.ts'
import type { PixelSettings } from './crop-resize.ts'
import { steps } from './index.ts'
import type { CameraSelection } from './select-cameras.ts'
import type { EpisodeSelection } from './select-episodes.ts'

/** The settings of every step; a step without settings is left out. */
export interface RecipeSteps {
  readonly 'select-episodes'?: EpisodeSelection
  readonly 'select-cameras'?: CameraSelection
  readonly 'crop-resize'?: PixelSettings
  readonly action?: ActionSettings
  readonly annotate?: AnnotationSettings
}

export function applyRecipe(dataset: Dataset, recipe: RecipeSteps): Dataset {
  let result = dataset
  for (const { name, apply } of steps) {
    const settings = recipe[name]
    if (settings) result = (apply as (dataset: Dataset, settings: unknown) => Dataset)(result, settings)
  }
  return result
}

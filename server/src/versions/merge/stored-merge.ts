import type { SourceMap } from '@nmp/formats/merge/source-map'
import type { VersionSource } from '../pinned-source.ts'
import type { StoredAnnotations } from '../recipe/annotations.ts'
import type { StoredCuts } from '../recipe/cuts.ts'
import type { Recipe } from '../recipe/recipe.ts'
import type { StoredChecks } from '../recipe/stored-checks.ts'

/** What a version of several sources is made from, pinned at its creation. A version of one source has none: it is that source. */
export interface StoredMerge {
  seed: number | null
  /** By task text; null where weights are those of sources. */
  task_weights: Record<string, number> | null
  /** Episodes that were drawn of a task; absent in versions from before there was such a thing. */
  task_samples?: Record<string, number> | null
  sources: StoredSource[]
}

export interface StoredSource {
  source: VersionSource
  source_org_id: string
  /** The revision whose files are stored. */
  root_revision_id: string
  /** Its own recipe, with the frame rate of the result and the episodes that were drawn. */
  recipe: Recipe
  /** Every recipe from the stored dataset on, its own last. */
  links: StoredLink[]
  /** Versions that the recipes before its own belong to. */
  parents: string[]
  /** Datasets and versions in other organizations that it was derived from. */
  foreign: string[]
  map: SourceMap
  confirm: string[]
  weight: number | null
  sample: number | null
  episode_count: number
  frame_count: number
}

/** One recipe, with what it pinned. */
interface StoredLink {
  recipe: Recipe
  recipeDigest: string
  annotations: StoredAnnotations | null
  cuts: StoredCuts | null
  checks: StoredChecks | null
}

/** Versions that stay while this one does. */
export const listParents = (parent: { id: string } | null, merge: StoredMerge | null): string[] =>
  merge ? [...new Set(merge.sources.flatMap(({ parents }) => parents))] : parent ? [parent.id] : []

import type { Recipe } from '@nmp/sdk/generated/records'
import { useMemo } from 'react'
import { createStoreByKey, useStore } from '../../session/store.ts'
import { type MergeDraft, readMerge } from './merge-draft.ts'

/** A recipe in the making has every key of the contract, unset ones null. */
export type { Recipe }
export type Crop = NonNullable<Recipe['crop']>
export type Resize = NonNullable<Recipe['resize']>
export type ActionStep = NonNullable<Recipe['action']>

export interface Draft {
  slug: string
  name: string
  recipe: Recipe
  /** What is merged with it; null where it is the only source. */
  merge: MergeDraft | null
  /** When the server had it last; 0 before that. */
  savedAt: number
  /** At the server: its address, and the change that this one follows. */
  id: string
  revision: number
  /** Not at the server yet. */
  isChanged: boolean
}

export const emptyRecipe: Recipe = {
  selected_episode_indices: null,
  excluded_episode_indices: null,
  where: null,
  first_n_episodes: null,
  trim: null,
  split: null,
  fps: null,
  camera_keys: null,
  crop: null,
  resize: null,
  action: null,
  features: null,
  annotation_set_id: null,
  annotation_set_version: null,
  notes: null,
}

/** What a recipe may ask of episodes beside their numbers. */
export const noCondition: NonNullable<Recipe['where']> = {
  success: null,
  tags_any: null,
  tasks_any: null,
  splits_any: null,
  checks: null,
}

/** Every key of the action step, unset. */
export const noAction: ActionStep = {
  smoothing_window: null,
  smoothing_mode: null,
  smoothing_dimensions: null,
  clip_min: null,
  clip_max: null,
  scale: null,
  shift_frames: null,
}

const emptyDraft: Draft = {
  slug: '',
  name: '',
  recipe: emptyRecipe,
  merge: null,
  savedAt: 0,
  id: '',
  revision: 0,
  isChanged: false,
}
const keyOf = (datasetId: string) => `nmp.recipe.${datasetId}`

/** What the server has not got yet is kept in this browser: closing the tab loses nothing. */
const draftOf = createStoreByKey((datasetId): Draft => {
  const stored = localStorage.getItem(keyOf(datasetId))
  if (!stored) return emptyDraft
  const draft = JSON.parse(stored) as Partial<Draft>
  // One of an older program knows fewer keys, and was kept in the browser alone.
  const isChanged = draft.isChanged ?? draft.recipe !== undefined
  return {
    ...emptyDraft,
    ...draft,
    isChanged,
    recipe: { ...emptyRecipe, ...draft.recipe },
    merge: readMerge(draft.merge),
  }
})
export const getDraft = (datasetId: string): Draft => draftOf(datasetId).get()

export const subscribeToDraft = (datasetId: string, listener: () => void): (() => void) =>
  draftOf(datasetId).subscribe(listener)

/** What people say of a version in the making. */
export type DraftContent = Pick<Draft, 'slug' | 'name' | 'recipe' | 'merge'>

export const contentOf = ({ slug, name, recipe, merge }: DraftContent): DraftContent => ({ slug, name, recipe, merge })

export const changeDraft = (datasetId: string, change: Partial<DraftContent>): void =>
  adoptDraft(datasetId, { ...change, isChanged: true })

/** What the server says of it, beside what people change. */
export function adoptDraft(datasetId: string, change: Partial<Draft>): void {
  const next = { ...getDraft(datasetId), ...change }
  try {
    localStorage.setItem(keyOf(datasetId), JSON.stringify(next))
  } catch {
    // A full store only means that the draft lives as long as the tab.
  }
  draftOf(datasetId).set(next)
}

export const changeRecipe = (datasetId: string, change: Partial<Recipe>): void =>
  changeDraft(datasetId, { recipe: { ...getDraft(datasetId).recipe, ...change } })

/** A change that can be taken back. */
export function changeMerge(datasetId: string, merge: MergeDraft | null): () => void {
  const before = getDraft(datasetId).merge
  changeDraft(datasetId, { merge })
  return () => changeDraft(datasetId, { merge: before })
}

export const useDraft = (datasetId: string): Draft => useStore(draftOf(datasetId))

/** What the draft leaves out, for the lists that show it. */
export function useLeftOut(datasetId: string): ReadonlySet<number> {
  const out = useDraft(datasetId).recipe.excluded_episode_indices
  return useMemo(() => new Set(out ?? []), [out])
}

/** A change that can be taken back: what it says of these keys is put back, and nothing else. */
export function changeRecipeBack(datasetId: string, change: Partial<Recipe>): () => void {
  const before = getDraft(datasetId).recipe
  changeRecipe(datasetId, change)
  const keys = Object.keys(change) as (keyof Recipe)[]
  return () => changeRecipe(datasetId, Object.fromEntries(keys.map((key) => [key, before[key]])))
}

/** Takes episodes back that were left out; answers how to undo it. */
export function includeEpisodes(datasetId: string, indices: Iterable<number>): () => void {
  const before = getDraft(datasetId).recipe.excluded_episode_indices
  const back = new Set(indices)
  const next = (before ?? []).filter((index) => !back.has(index))
  changeRecipe(datasetId, { excluded_episode_indices: next.length > 0 ? next : null })
  return () => changeRecipe(datasetId, { excluded_episode_indices: before })
}

/** Leaves episodes out of the draft; answers how to take that back. */
export function excludeEpisodes(datasetId: string, indices: Iterable<number>): () => void {
  const before = getDraft(datasetId).recipe.excluded_episode_indices
  const next = [...new Set([...(before ?? []), ...indices])].sort((a, b) => a - b)
  changeRecipe(datasetId, { excluded_episode_indices: next })
  return () => changeRecipe(datasetId, { excluded_episode_indices: before })
}

/** Keeps nothing but these; answers how to take that back. */
export function keepOnlyEpisodes(datasetId: string, indices: Iterable<number>): () => void {
  const { selected_episode_indices, excluded_episode_indices } = getDraft(datasetId).recipe
  const kept = new Set(indices)
  const out = excluded_episode_indices?.filter((index) => !kept.has(index)) ?? []
  changeRecipe(datasetId, {
    selected_episode_indices: [...kept].sort((a, b) => a - b),
    excluded_episode_indices: out.length > 0 ? out : null,
  })
  return () => changeRecipe(datasetId, { selected_episode_indices, excluded_episode_indices })
}

/** What was kept is left out, or the other way round; for lists that were chosen under the other meaning. */
export function turnSelectionAround(datasetId: string): () => void {
  const { selected_episode_indices, excluded_episode_indices } = getDraft(datasetId).recipe
  changeRecipe(datasetId, {
    selected_episode_indices: excluded_episode_indices,
    excluded_episode_indices: selected_episode_indices,
  })
  return () => changeRecipe(datasetId, { selected_episode_indices, excluded_episode_indices })
}

const hasCondition = (where: Recipe['where']): boolean =>
  Object.values(where ?? {}).some((asked) => (Array.isArray(asked) ? asked.length > 0 : asked !== null))

/** Which episodes the recipe keeps, in order; undefined where that is the server's to say: labels, checks, episodes that lose every frame. */
export function listShowable(recipe: Recipe, total: number): number[] | undefined {
  if (hasCondition(recipe.where) || recipe.trim?.idle || recipe.action?.shift_frames) return undefined
  const selected = recipe.selected_episode_indices?.length ? new Set(recipe.selected_episode_indices) : undefined
  const excluded = new Set(recipe.excluded_episode_indices ?? [])
  const kept: number[] = []
  for (let index = 0; index < total && kept.length < (recipe.first_n_episodes ?? total); index++)
    if (!excluded.has(index) && (!selected || selected.has(index))) kept.push(index)
  return kept
}

/** The wanted one if it is kept, else the first that is; undefined where the server shows the first of the result. */
export function findShownEpisode(recipe: Recipe, total: number, wanted: number): number | undefined {
  const kept = listShowable(recipe, total)
  return kept?.includes(wanted) ? wanted : kept?.[0]
}

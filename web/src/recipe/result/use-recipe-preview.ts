import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { findShownEpisode, type Recipe } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { isSendable } from '../step-fields.tsx'
import { previewQuery } from './preview-query.ts'

/** What the recipe would give, asked anew when it has stood still for a moment; the last answer stays until the next comes. */
export function useRecipePreview(dataset: Manifest, { org, source }: RecipeTarget, recipe: Recipe, episode: number) {
  const settled = useSettled(recipe)
  const total = dataset.metrics.total_episodes
  const previewed = useMemo(() => findShownEpisode(settled, total, episode), [settled, total, episode])
  const preview = useQuery({ ...previewQuery(org, source, settled, previewed), enabled: isSendable(settled) })
  const last = useRef(preview.data)
  if (preview.data) last.current = preview.data
  // Asked again for its size alone, what is shown holds.
  const isAsked = preview.isFetching && preview.data?.estimate !== 'measuring'
  return {
    result: preview.data ?? last.current,
    /** Not of this recipe as it stands now. */
    isOld: preview.isPlaceholderData || settled !== recipe || isAsked || preview.isError,
    /** The first answer is on its way. */
    isAwaited: preview.isLoading,
    isRefused: preview.error !== null,
    /** Why; nothing while the next answer is on its way. */
    error: preview.isFetching ? undefined : preview.error,
  }
}

export type RecipePreview = ReturnType<typeof useRecipePreview>

import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { type MergeDraft, writeMerge } from '../../data/recipe/merge-draft.ts'
import { mergePreviewQuery } from '../../data/recipe/merge-queries.ts'
import type { Recipe } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { isSendable } from '../step-fields.tsx'

/** What all sources would give together; nothing is asked while the draft has one. */
export function useMergePreview({ org, source }: RecipeTarget, recipe: Recipe, merge: MergeDraft | null) {
  const { dataset_kind, dataset_id } = source
  const body = useMemo(
    () => (merge && isSendable(recipe) ? writeMerge({ dataset_kind, dataset_id }, recipe, merge) : undefined),
    [dataset_kind, dataset_id, recipe, merge],
  )
  const settled = useSettled(body)
  const preview = useQuery(mergePreviewQuery(org, settled))
  // A refusal takes the last answer from the query; its numbers stay, dimmed.
  const last = useRef(preview.data)
  if (preview.data) last.current = preview.data
  // Asked again for its size alone, what is shown holds.
  const isAsked = preview.isFetching && preview.data?.estimate !== 'measuring'
  return {
    result: merge ? (preview.data ?? last.current) : undefined,
    isOld: preview.isPlaceholderData || settled !== body || isAsked || preview.isError,
    isRefused: merge !== null && preview.error !== null,
    error: merge === null || preview.isFetching ? undefined : preview.error,
  }
}

export type MergePreviewed = ReturnType<typeof useMergePreview>

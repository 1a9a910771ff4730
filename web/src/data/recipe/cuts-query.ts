import type { PreviewCuts, Recipe } from '@nmp/sdk/generated/records'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../session/client.ts'
import { noAction } from './recipe-draft.ts'

/** Which frames a recipe keeps, in all and of one episode. A question that is asked anew meanwhile is canceled. */
export const cutsQuery = (org: string, source: PreviewCuts['source'], recipe: Recipe, episodeIndex: number) => {
  const asked = pickTime(recipe)
  return queryOptions({
    queryKey: ['recipe-cuts', org, source, asked, episodeIndex],
    queryFn: async ({ signal }) =>
      (
        await client.versions.previewCuts(
          { org_slug: org, body: { source, recipe: asked, episode_index: episodeIndex } },
          { signal },
        )
      ).item,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
}

/** What decides on frames: a crop that is being drawn asks for nothing new. */
const pickTime = (recipe: Recipe): PreviewCuts['recipe'] => ({
  selected_episode_indices: recipe.selected_episode_indices,
  excluded_episode_indices: recipe.excluded_episode_indices,
  where: recipe.where,
  first_n_episodes: recipe.first_n_episodes,
  trim: recipe.trim,
  split: recipe.split,
  fps: recipe.fps,
  action: recipe.action?.shift_frames ? { ...noAction, shift_frames: recipe.action.shift_frames } : null,
  annotation_set_id: recipe.annotation_set_id,
  annotation_set_version: recipe.annotation_set_version,
})

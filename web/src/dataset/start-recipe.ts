import { useNavigate } from '@tanstack/react-router'
import { setSelection, useSelection } from '../app/selection.ts'
import { changeRecipe } from '../recipe/draft.ts'

/** The way to the recipe takes what is selected with it; with nothing selected the draft stays as it is. */
export function useStartRecipe(datasetId: string) {
  const selected = useSelection(datasetId)
  const navigate = useNavigate()
  const takeSelection = () => {
    if (selected.size === 0) return
    changeRecipe(datasetId, { selected_episode_indices: [...selected].sort((a, b) => a - b) })
    setSelection(datasetId, [])
  }
  const start = () => {
    takeSelection()
    void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId } })
  }
  return { takeSelection, start }
}

import { useNavigate } from '@tanstack/react-router'
import { excludeEpisodes, keepOnlyEpisodes } from '../data/recipe/recipe-draft.ts'
import { plural } from '../parts/formats.ts'
import { showToast } from '../parts/toasts.tsx'
import { setSelection, useSelection } from '../session/selection.ts'

/**
 * The way to the recipe. What is selected goes with it under one of two meanings; "left out" is the one taken where none was
 * chosen, since people select what is wrong. With nothing selected the draft stays as it is.
 */
export function useStartRecipe(datasetId: string) {
  const selected = useSelection(datasetId)
  const navigate = useNavigate()
  const take = (change: typeof excludeEpisodes, say: (count: string) => string) => {
    if (selected.size === 0) return
    const indices = [...selected].sort((a, b) => a - b)
    const undo = change(datasetId, indices)
    setSelection(datasetId, [])
    showToast(say(plural(indices.length, 'episode')), () => {
      undo()
      setSelection(datasetId, indices)
    })
  }
  const open = () => void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId } })
  const takeSelection = () => take(excludeEpisodes, (count) => `The recipe leaves ${count} out`)
  return {
    takeSelection,
    leaveOut: () => {
      takeSelection()
      open()
    },
    keepOnly: () => {
      take(keepOnlyEpisodes, (count) => `The recipe keeps only ${count}`)
      open()
    },
  }
}

import type { Camera, Manifest } from '../data/dataset.ts'
import type { Recipe } from '../data/recipe-draft.ts'
import { ActionPane } from './action-pane.tsx'
import { CropPane } from './crop-pane.tsx'
import { EpisodesPane } from './episodes-pane.tsx'
import type { StepName } from './step.tsx'
import type { UnreadLists } from './unread-lists.ts'
import type { RecipePreview } from './use-recipe-preview.ts'
import type { ShownFrame } from './use-shown-frame.ts'

interface RecipePaneProps {
  dataset: Manifest
  recipe: Recipe
  step: StepName
  /** The cameras that the recipe keeps. */
  cameras: Camera[]
  shown: ShownFrame
  preview: RecipePreview
  unread: UnreadLists
  onUnread(unread: UnreadLists): void
  /** One step at a time: there is no room for the others' pictures. */
  isNarrow: boolean
}

/** What the chosen step does, in pictures; the chosen step stands first. */
export function RecipePane(props: RecipePaneProps) {
  const { dataset, recipe, step, cameras, shown, preview, unread, onUnread, isNarrow } = props
  if (step === 'episodes') return <EpisodesPane dataset={dataset} recipe={recipe} unread={unread} onUnread={onUnread} />
  const crop = step !== 'annotations' && cameras.length > 0 && !(isNarrow && step === 'action') && (
    <CropPane
      key="crop"
      dataset={dataset}
      recipe={recipe}
      cameras={cameras}
      episode={shown.episode}
      lengthFrames={shown.lengthFrames}
      frame={shown.frame}
      onFrame={shown.setFrame}
      onEpisode={shown.setEpisode}
    />
  )
  const action = (!isNarrow || step === 'action') && (
    <ActionPane key="action" action={preview.result?.action ?? null} step={recipe.action} isOld={preview.isOld} />
  )
  return step === 'action' ? [action, crop] : [crop, action]
}

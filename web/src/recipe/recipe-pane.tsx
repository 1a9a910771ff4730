import type { VersionPreview } from '@nmp/sdk/generated/records'
import type { Camera, Manifest } from '../data/dataset.ts'
import type { MergeDraft } from '../data/recipe/merge-draft.ts'
import type { Recipe } from '../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../data/recipe/recipe-target.ts'
import { EpisodesPane } from './episodes/episodes-pane.tsx'
import type { UnreadLists } from './episodes/unread-lists.ts'
import { CropPane } from './pictures/crop-pane.tsx'
import type { ShownFrame } from './pictures/use-shown-frame.ts'
import type { RecipePreview } from './result/use-recipe-preview.ts'
import { SourcesPane } from './sources/sources-pane.tsx'
import type { MergePreviewed } from './sources/use-merge-preview.ts'
import type { StepName } from './step.tsx'
import { TimePane } from './time/time-pane.tsx'
import { ActionPane } from './values/action-pane.tsx'
import { FeaturesPane } from './values/features-pane.tsx'

interface RecipePaneProps {
  dataset: Manifest
  target: RecipeTarget
  recipe: Recipe
  merge: MergeDraft | null
  step: StepName
  /** The cameras that the recipe keeps. */
  cameras: Camera[]
  shown: ShownFrame
  preview: RecipePreview
  merged: MergePreviewed
  unread: UnreadLists
  onUnread(unread: UnreadLists): void
  /** What the server said of the recipe, if it refused it. */
  error: unknown
  /** One step at a time: there is no room for the others' pictures. */
  isNarrow: boolean
}

const pictureTitles: Partial<Record<StepName, string>> = { cameras: 'Cameras', resize: 'Resize' }

/** Until the first answer comes its place is kept: what stands below does not jump. */
function drawNothing({ action }: Manifest, episode_index: number): VersionPreview['action'] {
  if (!action?.names?.length) return null
  const { names } = action
  const empty = names.map(() => [])
  return { episode_index, names, before: empty, after: empty, timestamp: [], frame_index: [], is_switch: [] }
}

/** What the chosen step does, in pictures; the chosen step stands first. */
export function RecipePane(props: RecipePaneProps) {
  const { dataset, target, recipe, merge, merged, step, cameras, shown, preview, unread, onUnread, error, isNarrow } =
    props
  if (step === 'episodes') return <EpisodesPane {...{ dataset, recipe, unread, onUnread, error }} />
  if (step === 'time') return <TimePane {...{ dataset, recipe, preview, error }} />
  if (step === 'sources') return <SourcesPane {...{ dataset, target, recipe, merge, error }} preview={merged} />
  if (step === 'features') return <FeaturesPane {...{ dataset, recipe, error }} />
  const crop = step !== 'annotations' && cameras.length > 0 && !(isNarrow && step === 'action') && (
    <CropPane key="crop" title={pictureTitles[step]} {...{ dataset, recipe, cameras, shown }} />
  )
  const action = (!isNarrow || step === 'action') && (
    <ActionPane
      key="action"
      action={preview.isAwaited ? drawNothing(dataset, shown.episode) : (preview.result?.action ?? null)}
      step={recipe.action}
      isOld={preview.isOld}
    />
  )
  return step === 'action' ? [action, crop] : [crop, action]
}

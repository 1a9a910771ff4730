import { isNumericDtype } from '@nmp/formats/feature'
import { nameAction } from '@nmp/formats/signal-roles'
import { planAction } from '@nmp/formats/steps/action'
import { findGathering, type Gathering } from '@nmp/formats/steps/rate'
import { type Derivation, findStoredName, type RowChange } from '../../datasets/read-model/derivation.ts'
import { allFrames, composeFrames, findFrames, type KeptFrames } from '../../datasets/read-model/kept-frames.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { type RecipePlan, toActionSettings } from '../plan/plan.ts'
import { listLabels } from '../plan/plan-features.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { deriveColumns } from './derive-features.ts'

/** What a recipe's result takes from the stored rows, and what is done to the numbers in them. */
export type DerivedFrames = Pick<
  Derivation,
  'storedIndex' | 'storedLength' | 'storedFps' | 'frames' | 'changes' | 'columns'
>

export function deriveFrames(source: ReadModel, recipe: Recipe, plan: RecipePlan): DerivedFrames {
  const { episodes } = plan
  const { derivation, columns, manifest } = source
  const pick = (values: Uint32Array): Uint32Array => episodes.map((episode) => values[episode] as number)
  const before = derivation?.frames ?? allFrames
  const cut = composeFrames(before, plan.cut, episodes)
  const rated = plan.rated === plan.cut ? cut : composeFrames(before, plan.rated, episodes)
  const frames = plan.frames === plan.rated ? rated : composeFrames(before, plan.frames, episodes)
  const settings = toActionSettings(recipe)
  const column = findStoredName(derivation, nameAction(manifest))
  const rates = { fps: manifest.fps, newFps: plan.fps }
  const own: RowChange[] = [
    ...(rates.fps === rates.newFps
      ? []
      : [{ kind: 'rate' as const, columns: listGathered(source), ...rates, frames: cut, left: rated }]),
    ...(plan.shiftFrames === 0
      ? []
      : [{ kind: 'shift' as const, column, count: plan.shiftFrames, frames: rated, left: frames }]),
    ...(planAction(settings)
      ? [{ kind: 'action' as const, column, settings, ...findSmoothed(source, settings), frames }]
      : []),
  ]
  return {
    storedIndex: derivation ? pick(derivation.storedIndex) : episodes.slice(),
    storedLength: pick(derivation?.storedLength ?? columns.lengthFrames),
    storedFps: derivation?.storedFps ?? manifest.fps,
    frames,
    changes: [...(derivation?.changes ?? []).map((change) => pickChange(change, episodes)), ...own],
    columns: deriveColumns(source, plan),
  }
}

/** Places in the stored column: a recipe before may have picked dimensions, or put them in another order. */
function findSmoothed(
  { derivation, manifest }: ReadModel,
  { smoothingDimensions: names }: ReturnType<typeof toActionSettings>,
): { smoothed?: number[] } {
  const actionName = nameAction(manifest)
  const feature = manifest.features.find(({ name }) => name === actionName)
  const labels = feature && listLabels(feature)
  if (!names || !labels) return {}
  const stored = derivation?.columns.get(actionName)?.dimensions
  return { smoothed: names.map((name) => stored?.[labels.indexOf(name)] ?? labels.indexOf(name)) }
}

/** Columns whose values at frames that a rate leaves out are gathered, by their stored names. */
function listGathered({ derivation, manifest }: ReadModel): Map<string, Gathering> {
  const gathered = new Map<string, Gathering>()
  for (const feature of manifest.features) {
    const how = isNumericDtype(feature.dtype) ? findGathering(feature) : undefined
    if (how) gathered.set(findStoredName(derivation, feature.name), how)
  }
  return gathered
}

function pickChange(change: RowChange, episodes: Uint32Array): RowChange {
  const frames = pickFrames(change.frames, episodes)
  return change.kind === 'action'
    ? { ...change, frames }
    : { ...change, frames, left: pickFrames(change.left, episodes) }
}

const pickFrames = (frames: KeptFrames, episodes: Uint32Array): KeptFrames =>
  frames.size === 0 ? allFrames : findFrames(episodes.length, (index) => frames.get(episodes[index] as number))

/** How far the first frame of an episode lies behind the one that its source begins with, in the stored files. */
export function countMoved(
  { derivation }: ReadModel,
  { episodes }: RecipePlan,
  frames: KeptFrames,
  index: number,
): number {
  const began = derivation?.frames.get(episodes[index] as number)?.[0]?.[0] ?? 0
  return (frames.get(index)?.[0]?.[0] ?? began) - began
}

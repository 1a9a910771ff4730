import { composeKept, type KeptRanges } from '@nmp/formats/frame-ranges'
import { actionName, planAction } from '@nmp/formats/steps/action'
import { type Derivation, findStoredFrame, findStoredName } from '../datasets/read-model/derivation.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { deriveColumns } from './derive-features.ts'
import { type RecipePlan, toActionSettings } from './plan.ts'
import type { Recipe } from './recipe.ts'

/** What a recipe's result takes from the stored rows, and what is done to the numbers in them. */
export type DerivedFrames = Pick<Derivation, 'storedIndex' | 'storedLength' | 'frames' | 'changes' | 'columns'>

export function deriveFrames(source: ReadModel, recipe: Recipe, plan: RecipePlan): DerivedFrames {
  const { episodes } = plan
  const { derivation, columns } = source
  const pick = (values: Uint32Array): Uint32Array => episodes.map((episode) => values[episode] as number)
  const frames = composeFrames(source, plan)
  const settings = toActionSettings(recipe)
  const earlier = (derivation?.changes ?? []).map((change) => ({ ...change, frames: pickFrames(change.frames, plan) }))
  const column = findStoredName(derivation, actionName)
  return {
    storedIndex: derivation ? pick(derivation.storedIndex) : episodes.slice(),
    storedLength: pick(derivation?.storedLength ?? columns.lengthFrames),
    frames,
    changes: [...earlier, ...(planAction(settings) ? [{ column, action: settings, frames }] : [])],
    columns: deriveColumns(source, plan),
  }
}

/** Which frames of the stored episodes are left, by episode of the result. */
function composeFrames({ derivation }: ReadModel, { episodes, parts }: RecipePlan): Map<number, KeptRanges> {
  const frames = new Map<number, KeptRanges>()
  if (!derivation?.frames.size && parts.size === 0) return frames
  for (const [index, episode] of episodes.entries()) {
    const [before, part] = [derivation?.frames.get(episode), parts.get(index)]
    const kept = before && part ? composeKept(before, part.ranges) : (part?.ranges ?? before)
    if (kept) frames.set(index, kept)
  }
  return frames
}

function pickFrames(frames: ReadonlyMap<number, KeptRanges>, { episodes }: RecipePlan): Map<number, KeptRanges> {
  const picked = new Map<number, KeptRanges>()
  if (frames.size === 0) return picked
  for (const [index, episode] of episodes.entries()) {
    const own = frames.get(episode)
    if (own) picked.set(index, own)
  }
  return picked
}

/** How far the first frame of an episode lies behind the one that its source begins with, in the stored files. */
export function countMoved({ derivation }: ReadModel, { episodes, parts }: RecipePlan, index: number): number {
  const first = parts.get(index)?.ranges[0]?.[0]
  if (!first) return 0
  const episode = episodes[index] as number
  return findStoredFrame(derivation, episode, first) - findStoredFrame(derivation, episode, 0)
}

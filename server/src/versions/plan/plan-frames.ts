import { composeKept, countAtRate, countKept, type KeptRanges, pickAtRate } from '@nmp/formats/frame-ranges'
import type { CutPart } from '@nmp/formats/steps/cut'
import { keepShifted } from '@nmp/formats/steps/shift'
import { allFrames, findFrames, type KeptFrames } from '../../datasets/read-model/kept-frames.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { type StoredCuts, toCutSettings } from '../recipe/cuts.ts'
import type { Recipe } from '../recipe/recipe.ts'

/** Which episodes a recipe gives and which frames they have, in numbers of what it is applied to. */
export interface PlannedFrames {
  /** By episode of the result: its number in the source, ascending; the same one several times where it was split. */
  episodes: Uint32Array
  /** By episode of the result: its frames. */
  lengths: Uint32Array
  /** By episode of the result: what was found of it when the version was made, where it is cut. */
  parts: ReadonlyMap<number, CutPart>
  /** Frames or episodes are cut out, or one episode is several. */
  isCut: boolean
  /** Frames per second of the result. */
  fps: number
  /** How far the action is shifted. */
  shiftFrames: number
  /** By episode of the result: its frames after the cuts; after the lower rate, too; and after all, without those that a shift leaves without an action. */
  cut: KeptFrames
  rated: KeptFrames
  frames: KeptFrames
}

/** The same rules as the steps `cut`, `rate` and `shift`, without a dataset. */
export function planFrames(
  { columns, manifest }: ReadModel,
  selected: Uint32Array,
  recipe: Recipe,
  cuts: StoredCuts | null,
): PlannedFrames {
  const cutOf = cuts ? toCutSettings(cuts).episodes : new Map<number, readonly CutPart[]>()
  const time = readTime(manifest.fps, recipe)
  const { fps, shiftFrames } = time
  const parts = new Map<number, CutPart>()
  const [episodes, lengths, whole]: [number[], number[], number[]] = [[], [], []]
  const add = (episode: number, cutLength: number, part: CutPart | undefined): void => {
    const length = countFrames(cutLength, manifest.fps, time)
    if (length <= 0) return
    if (part) parts.set(episodes.length, part)
    episodes.push(episode)
    lengths.push(length)
    whole.push(cutLength)
  }
  for (const episode of selected) {
    const found = cutOf.get(episode)
    for (const part of found ?? []) add(episode, countKept(part.ranges), part)
    if (!found) add(episode, columns.lengthFrames[episode] ?? 0, undefined)
  }
  const isRated = fps !== manifest.fps
  const count = episodes.length
  const getCut = (index: number): KeptRanges => parts.get(index)?.ranges ?? [[0, whole[index] as number]]
  const cut: KeptFrames = parts.size > 0 ? findFrames(parts.size, (index) => parts.get(index)?.ranges) : allFrames
  const rated = isRated
    ? findFrames(count, (index) => composeKept(getCut(index), pickAtRate(whole[index] as number, manifest.fps, fps)))
    : cut
  const frames =
    shiftFrames === 0
      ? rated
      : findFrames(count, (index) => {
          const before = (isRated ? rated.get(index) : undefined) ?? getCut(index)
          return composeKept(before, [keepShifted(countKept(before), shiftFrames)])
        })
  return {
    episodes: Uint32Array.from(episodes),
    lengths: Uint32Array.from(lengths),
    parts,
    isCut: cuts !== null || isRated || shiftFrames !== 0,
    ...{ fps, shiftFrames, cut, rated, frames },
  }
}

interface Time {
  fps: number
  shiftFrames: number
}

const readTime = (fps: number, recipe: Recipe): Time => ({
  fps: recipe.fps ?? fps,
  shiftFrames: recipe.action?.shift_frames ?? 0,
})

const countFrames = (length: number, fps: number, { fps: rate, shiftFrames }: Time): number =>
  (rate === fps ? length : countAtRate(length, fps, rate)) - Math.abs(shiftFrames)

/** What rate and shift leave of frames that a part keeps. */
export function keepTimed(ranges: KeptRanges, fps: number, recipe: Recipe): KeptRanges {
  const { fps: rate, shiftFrames } = readTime(fps, recipe)
  const rated = rate === fps ? ranges : composeKept(ranges, pickAtRate(countKept(ranges), fps, rate))
  const left = countKept(rated) - Math.abs(shiftFrames)
  return left > 0 ? composeKept(rated, [keepShifted(countKept(rated), shiftFrames)]) : []
}

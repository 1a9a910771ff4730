import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Dataset } from '@nmp/formats/dataset'
import { type FrameRange, intersectKept } from '@nmp/formats/frame-ranges'
import { createLimiter } from '@nmp/formats/limiter'
import { findMotionScale, listIdleRuns, type MotionScale } from '@nmp/formats/statistics/idle'
import type { SignalName } from '@nmp/formats/statistics/motion-signal'
import { cutIdle } from '@nmp/formats/steps/plan-cuts'
import type { Context } from '../context.ts'
import type { ReadModelPlace } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { invalidValue } from '../errors.ts'
import { hashChain } from './chain.ts'
import { deriveReadModel } from './derive-read-model.ts'
import { openDerivedDataset } from './derived-dataset.ts'
import { type PlannedLink, planRecipe } from './plan.ts'
import { hashRecipe, normalizeRecipe } from './recipe.ts'
import type { IdleRule } from './recipe-time.ts'

/** Each reads the signal of every episode. */
const finding = createLimiter(2)
const mostKept = 64
/** What is motion in a source is found once while people try thresholds. */
const scales = new WeakMap<Context, BoundedMap<string, Promise<MotionScale | undefined>>>()

export interface IdleSource {
  place: ReadModelPlace
  /** What the recipe speaks of. */
  model: ReadModel
  /** The recipes that lead there from what is stored. */
  earlier: readonly PlannedLink[]
}

/** What a rule keeps of each of these episodes; those that it leaves whole are not in the answer. Rests are found as Insights finds them. */
export const findIdle = (
  context: Context,
  source: IdleSource,
  rule: IdleRule,
  episodes: readonly number[],
): Promise<Map<number, FrameRange[]>> =>
  finding.run(async () => {
    const { place, model } = source
    await using dataset = await openDerivedDataset(context, place, model.derivation ? model : deriveWhole(model))
    const measured = await measureSignals(context, source, dataset, rule)
    const options = {
      ...(rule.threshold !== null && { threshold: rule.threshold }),
      ...(rule.min_idle_frames !== null && { minIdleFrames: rule.min_idle_frames }),
    }
    const kept = new Map<number, FrameRange[]>()
    for (const episode of episodes) {
      const length = model.columns.lengthFrames[episode] as number
      let runs: FrameRange[] = [[0, length]]
      for (const scale of measured) runs = intersectKept(runs, await listIdleRuns(dataset, episode, scale, options))
      const left = cutIdle(runs, length, { from: rule.from ?? 'start', keepFrames: rule.keep_frames ?? 0 })
      if (left.length !== 1 || left[0]?.[0] !== 0 || left[0][1] !== length) kept.set(episode, left)
    }
    return kept
  })

const deriveWhole = (model: ReadModel): ReadModel => {
  const recipe = normalizeRecipe({})
  return deriveReadModel(model, recipe, planRecipe(model, { recipe, cuts: null, annotations: null }), null)
}

async function measureSignals(
  context: Context,
  source: IdleSource,
  dataset: Dataset,
  { signal }: IdleRule,
): Promise<MotionScale[]> {
  const names: (SignalName | undefined)[] = signal === 'both' ? ['observation.state', 'action'] : [signal ?? undefined]
  const measured: MotionScale[] = []
  for (const name of names) {
    const scale = await findScale(context, source, dataset, name)
    if (!scale)
      throw invalidValue(
        ['body', 'recipe', 'trim', 'idle', ...(name ? ['signal'] : [])],
        name
          ? `the dataset has no numeric feature called ${name}`
          : 'the dataset has neither observation.state nor action, so nothing says whether the robot is still',
        signal,
      )
    measured.push(scale)
  }
  return measured
}

function findScale(
  context: Context,
  { place, earlier }: IdleSource,
  dataset: Dataset,
  name: SignalName | undefined,
): Promise<MotionScale | undefined> {
  const known = scales.get(context) ?? new BoundedMap<string, Promise<MotionScale | undefined>>(mostKept)
  scales.set(context, known)
  const links = earlier.map((link) => ({ ...link, recipeDigest: hashRecipe(link.recipe) }))
  const key = `${hashChain(place.readModelDigest, links)} ${name ?? ''}`
  const found = known.get(key) ?? findMotionScale(dataset, undefined, name)
  known.set(key, found)
  found.catch(() => known.delete(key))
  return found
}

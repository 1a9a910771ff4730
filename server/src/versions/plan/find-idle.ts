import { setImmediate } from 'node:timers/promises'
import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Dataset } from '@nmp/formats/dataset'
import { type FrameRange, intersectKept } from '@nmp/formats/frame-ranges'
import { createLimiter } from '@nmp/formats/limiter'
import { nameAction, nameState } from '@nmp/formats/signal-roles'
import {
  findMotionScale,
  findUsedThreshold,
  listIdleRuns,
  type MotionScale,
  type traceRests,
} from '@nmp/formats/statistics/idle'
import type { SignalName } from '@nmp/formats/statistics/motion-signal'
import { cutIdle } from '@nmp/formats/steps/plan-cuts'
import type { Context } from '../../context.ts'
import type { ReadModelPlace } from '../../datasets/read-model/cache.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { invalidValue, ServiceError } from '../../errors.ts'
import { hashChain } from '../chain.ts'
import { deriveReadModel } from '../derive/derive-read-model.ts'
import { openDerivedDataset } from '../derive/derived-dataset.ts'
import { hashRecipe, normalizeRecipe } from '../recipe/recipe.ts'
import type { IdleRule } from '../recipe/recipe-time.ts'
import { type PlannedLink, planRecipe } from './plan.ts'
import { keepTraces } from './rest-traces.ts'

/** Each reads the signal of every episode. */
const finding = createLimiter(2)
const mostKept = 64
/** What is traced already takes no turns by itself. */
const turnMilliseconds = 20
/** What is motion in a source is found once while people try thresholds. */
const scales = new WeakMap<Context, BoundedMap<string, Promise<MotionScale | undefined>>>()

export interface IdleSource {
  place: ReadModelPlace
  /** What the recipe speaks of. */
  model: ReadModel
  /** The recipes that lead there from what is stored. */
  earlier: readonly PlannedLink[]
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
}

/** What a rule keeps of each of these episodes; those that it leaves whole are not in the answer. Rests are found as Insights finds them. */
export const findIdle = (
  context: Context,
  source: IdleSource,
  rule: IdleRule,
  episodes: readonly number[],
): Promise<Map<number, FrameRange[]>> =>
  finding.run(async () => {
    await using rests = await openRests(context, source, rule)
    const kept = new Map<number, FrameRange[]>()
    let began = performance.now()
    for (const episode of episodes) {
      requireAsker(source)
      if (performance.now() - began > turnMilliseconds) {
        await setImmediate()
        began = performance.now()
      }
      const length = source.model.columns.lengthFrames[episode] as number
      const runs = await rests.list(episode)
      const left = cutIdle(runs, length, { from: rule.from ?? 'start', keepFrames: rule.keep_frames ?? 0 })
      if (left.length !== 1 || left[0]?.[0] !== 0 || left[0][1] !== length) kept.set(episode, left)
    }
    return kept
  })

export interface EpisodeRests {
  runs: FrameRange[]
  /** The share of the usual step that was in force; null where the robot never moves. */
  threshold: number | null
}

/** Every rest of one episode by a rule, those that it leaves included. */
export const findRests = (
  context: Context,
  source: IdleSource,
  rule: IdleRule,
  episode: number,
): Promise<EpisodeRests> =>
  finding.run(async () => {
    requireAsker(source)
    await using rests = await openRests(context, source, rule)
    return { runs: await rests.list(episode), threshold: rests.threshold }
  })

/** The rests that a rule finds in any episode of a source, by every signal that it reads. */
async function openRests(context: Context, source: IdleSource, rule: IdleRule) {
  const { place, model } = source
  const dataset = await openDerivedDataset(context, place, model.derivation ? model : deriveWhole(model))
  const close = () => dataset.close()
  try {
    const measured = await measureSignals(context, source, dataset, rule)
    const options = {
      ...(rule.threshold !== null && { threshold: rule.threshold }),
      ...(rule.min_idle_frames !== null && { minIdleFrames: rule.min_idle_frames }),
    }
    const moving = measured.map(({ scale }) => scale).filter(({ state }) => state === 'moves')
    return {
      threshold:
        moving.length > 0
          ? (rule.threshold ?? Math.max(...moving.map((scale) => findUsedThreshold(scale, dataset.fps))))
          : null,
      list: async (episode: number): Promise<FrameRange[]> => {
        let runs: FrameRange[] = [[0, model.columns.lengthFrames[episode] as number]]
        for (const { scale, trace } of measured)
          runs = intersectKept(runs, await listIdleRuns(dataset, episode, scale, options, trace))
        return runs
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function requireAsker({ signal }: IdleSource): void {
  if (signal?.aborted) throw new ServiceError('request_timeout', 'Nobody waits for the answer any more.')
}

const deriveWhole = (model: ReadModel): ReadModel => {
  const recipe = normalizeRecipe({})
  return deriveReadModel(
    model,
    recipe,
    planRecipe(model, { recipe, cuts: null, annotations: null, checks: null }),
    null,
  )
}

async function measureSignals(
  context: Context,
  source: IdleSource,
  dataset: Dataset,
  { signal }: IdleRule,
): Promise<MeasuredSignal[]> {
  const names: (SignalName | undefined)[] = signal === 'both' ? ['observation.state', 'action'] : [signal ?? undefined]
  const measured: MeasuredSignal[] = []
  for (const name of names) {
    const key = `${hashSource(source)} ${name ?? ''}`
    const scale = await findScale(context, key, dataset, name)
    if (!scale)
      throw invalidValue(
        ['body', 'recipe', 'trim', 'idle', ...(name ? ['signal'] : [])],
        name
          ? `the dataset has no numeric feature called ${name === 'action' ? nameAction(dataset) : nameState(dataset)}`
          : 'the dataset has neither observation.state nor action, so nothing says whether the robot is still',
        signal,
      )
    measured.push({ scale, trace: keepTraces(context, key) })
  }
  return measured
}

interface MeasuredSignal {
  scale: MotionScale
  trace: typeof traceRests
}

/** The same for every recipe that speaks of the same source. */
function hashSource({ place, earlier }: IdleSource): string {
  const links = earlier.map((link) => ({ ...link, recipeDigest: hashRecipe(link.recipe) }))
  return hashChain(place.readModelDigest, links)
}

function findScale(
  context: Context,
  key: string,
  dataset: Dataset,
  name: SignalName | undefined,
): Promise<MotionScale | undefined> {
  const known = scales.get(context) ?? new BoundedMap<string, Promise<MotionScale | undefined>>(mostKept)
  scales.set(context, known)
  const found = known.get(key) ?? findMotionScale(dataset, { name })
  known.set(key, found)
  found.catch(() => known.delete(key))
  return found
}

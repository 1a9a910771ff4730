import {
  type EpisodeMeasures,
  findStandouts,
  type Rankings,
  rankEpisodes,
  type Standout,
  type Standouts,
} from '@nmp/formats/statistics/standouts'
import { outcome } from '@nmp/formats/statistics/success'
import type { Static } from 'typebox'
import type { ReadModelManifest } from '../datasets/read-model/manifest.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { filterOptions, insights, motionCurves } from './schemas.ts'

const maxListed = 1_000
/** A rank costs a sort of all episodes and the standouts several; both are asked for again with each page of a console. */
const known = new WeakMap<ReadModel, { standouts: Standouts; rankings: Rankings }>()

export function listFilterOptions(model: ReadModel): Static<typeof filterOptions> {
  const { lowMotion, highVariance } = compareEpisodes(model).standouts
  const present = ({ position, score, label }: Standout) => {
    const { lengthFrames, durationSec, tasks } = model.getEpisode(position)
    return {
      episode_index: position,
      score: round(score),
      score_label: label,
      length_frames: lengthFrames,
      duration_sec: durationSec,
      tasks,
    }
  }
  return {
    codebase_version: model.manifest.codebase_version,
    supports_motion_insights: canScore(model.manifest),
    low_motion_episodes: lowMotion.slice(0, maxListed).map(present),
    high_variance_episodes: highVariance.slice(0, maxListed).map(present),
    low_motion_total: lowMotion.length,
    high_variance_total: highVariance.length,
    note: describeSet(model),
  }
}

/** What a plot of every episode needs, and everybody's rank. */
export function listInsights(model: ReadModel, offset: number, limit: number): Static<typeof insights> {
  const { columns, manifest } = model
  const cut = (values: Uint32Array | Float64Array | undefined, present = (value: number) => value): number[] =>
    values ? Array.from(values.subarray(offset, offset + limit), present) : []
  const { leastMotion, mostVariance } = compareEpisodes(model).rankings
  return {
    offset,
    limit,
    total: model.episodeCount,
    supports_motion_insights: canScore(manifest),
    signal: manifest.insights.signal,
    dimensions: manifest.insights.dimensions,
    median_step: manifest.insights.median_step,
    note: describeSet(model),
    length_frames: cut(columns.lengthFrames),
    success: columns.success
      ? Array.from(columns.success.subarray(offset, offset + limit), (one) => one === outcome.success)
      : [],
    motion: cut(columns.motion, round),
    variance: cut(columns.variance, round),
    still_seconds: cut(columns.stillSeconds, round),
    longest_still_seconds: cut(columns.longestStillSeconds, round),
    pace: cut(columns.pace, round),
    shake: cut(columns.shake, round),
    least_motion: cut(leastMotion),
    most_variance: cut(mostVariance),
  }
}

/** How each episode moves from its start to its end, coarse enough for a row of a list. */
export function listMotionCurves(model: ReadModel, offset: number, limit: number): Static<typeof motionCurves> {
  const { columns, manifest, episodeCount } = model
  const { curve_points: points = 0, curve_top: top = 0 } = manifest.insights
  const curves: number[][] = []
  const curve = columns.motionCurve
  if (curve)
    for (let episode = offset; episode < Math.min(offset + limit, episodeCount); episode++)
      curves.push(Array.from(curve.subarray(episode * points, (episode + 1) * points)))
  return { offset, limit, total: episodeCount, points, top: round(top), curves }
}

/** Six digits are more than any screen shows. */
const round = (value: number): number => Number(value.toPrecision(6))

function compareEpisodes(model: ReadModel): { standouts: Standouts; rankings: Rankings } {
  const before = known.get(model)
  if (before) return before
  const measures = measureEpisodes(model)
  const compared = measures
    ? { standouts: findStandouts(measures), rankings: rankEpisodes(measures) }
    : {
        standouts: { lowMotion: [], highVariance: [] },
        rankings: { leastMotion: new Uint32Array(), mostVariance: new Uint32Array() },
      }
  known.set(model, compared)
  return compared
}

/** A read model made before pace and shake were measured is compared by what it has of them: motion without the still time, and variance. */
function measureEpisodes({ columns, manifest }: ReadModel): EpisodeMeasures | undefined {
  const { motion, variance, stillSeconds, longestStillSeconds, pace, shake } = columns
  if (!motion || !variance || !stillSeconds) return undefined
  const seconds = Float64Array.from(columns.lengthFrames, (frames) => frames / manifest.fps)
  if (longestStillSeconds && pace && shake) return { seconds, stillSeconds, longestStillSeconds, pace, shake }
  const moving = motion.map((mean, index) => {
    const [length, still] = [seconds[index] as number, stillSeconds[index] as number]
    return still < length ? (mean * length) / (length - still) : mean
  })
  return { seconds, stillSeconds, longestStillSeconds: stillSeconds, pace: moving, shake: variance }
}

const canScore = (manifest: ReadModelManifest): boolean => manifest.insights.supported || isConstant(manifest)

function describeSet({ manifest, columns, episodeCount }: ReadModel): string | null {
  const { insights, state, action, fps } = manifest
  const signal = state?.key ?? action?.key
  if (signal === undefined) return 'There is neither observation.state nor action, so motion cannot be measured.'
  const all = episodeCount === 1 ? 'the one episode' : `any of the ${episodeCount.toLocaleString('en')} episodes`
  if (insights.motion_scale?.state === 'still' || isConstant(manifest))
    return `Nothing moves in ${all}: ${signal} keeps its values${isConstant(manifest) ? '' : ', but for noise,'} from the first frame to the last.`
  if (!insights.supported)
    return `Every dimension of ${signal} has at most eight values. Switches and modes do not say how much a robot moves.`
  const isMostlyStill = (seconds: number, index: number): boolean =>
    seconds > (0.5 * (columns.lengthFrames[index] ?? 0)) / fps
  const still = columns.stillSeconds?.filter(isMostlyStill).length ?? 0
  if (still * 2 > episodeCount)
    return `${still.toLocaleString('en')} of ${episodeCount.toLocaleString('en')} episodes stand still for more than half of their time, so standing still is usual here.`
  if (episodeCount < 3) return 'At least three episodes are needed to tell what is usual.'
  return null
}

/** By the statistics of every feature, which older read models have as well. */
function isConstant({ state, action, feature_statistics: statistics }: ReadModelManifest): boolean {
  const stored = statistics[state?.key ?? action?.key ?? '']
  if (stored === null || typeof stored !== 'object' || Array.isArray(stored)) return false
  const { min, max } = stored
  return min !== undefined && JSON.stringify(min) === JSON.stringify(max)
}

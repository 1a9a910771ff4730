import type { Dataset } from '../dataset.ts'
import { type ColumnFeature, countValues, isColumn, isNumericDtype, type NumericArray } from '../feature.ts'
import { findExactQuantiles } from './quantiles.ts'

/** How much each episode moves and how unsteadily, over every frame of every episode. */
export interface MotionScores {
  /** `observation.state`, or `action` where there is none. */
  readonly signal: string
  /** Dimensions that count: grippers, modes (up to eight values) and constants do not. */
  readonly dimensions: readonly number[]
  /** By episode position: mean Euclidean norm of the step, each dimension divided by its range over the dataset. */
  readonly motion: Float64Array
  /** By episode position: mean Euclidean norm of the second difference. */
  readonly variance: Float64Array
  /** By episode position: seconds in which the step is under a tenth of the dataset's median step. */
  readonly stillSeconds: Float64Array
  readonly seconds: Float64Array
  readonly medianStep: number
  /** By episode position, `CURVE_POINTS` each: mean step in that part of the episode, 255 at `curveTop` and above. */
  readonly curves: Uint8Array
  readonly curveTop: number
}

export const CURVE_POINTS = 24

export interface RankedEpisode {
  readonly position: number
  readonly score: number
  /** Why, in words. */
  readonly label: string
}

const MAX_DISCRETE_VALUES = 8
const STILL_SHARE = 0.1
const MOSTLY_STILL = 0.2
const LIST_LENGTH = 50

/** Undefined when there is no signal, or no dimension of it counts. */
export async function scoreMotion(dataset: Dataset, signal?: AbortSignal): Promise<MotionScores | undefined> {
  const feature = findSignal(dataset)
  if (!feature) return undefined
  const scales = await findScales(dataset, feature, signal)
  const dimensions = scales.flatMap((scale, dimension) => (scale > 0 ? [dimension] : []))
  if (dimensions.length === 0) return undefined
  const readSteps = async function* () {
    for await (const { steps } of walkSteps(dataset, feature, scales, signal)) yield steps
  }
  const medianStep = (await findExactQuantiles(readSteps, 1, [0.5]))[0]?.[0] ?? 0
  const totals = { steps: new Float64Array(dataset.episodeCount), jerks: new Float64Array(dataset.episodeCount) }
  const counts = { steps: new Float64Array(dataset.episodeCount), jerks: new Float64Array(dataset.episodeCount) }
  const stillCount = new Float64Array(dataset.episodeCount)
  const parts: CurveParts = {
    totals: new Float32Array(dataset.episodeCount * CURVE_POINTS),
    counts: new Uint32Array(dataset.episodeCount * CURVE_POINTS),
  }
  for await (const { position, steps, jerks } of walkSteps(dataset, feature, scales, signal)) {
    addToCurve(parts, position, counts.steps[position] as number, dataset.getEpisode(position).length - 1, steps)
    addTo(totals.steps, counts.steps, position, steps)
    addTo(totals.jerks, counts.jerks, position, jerks)
    for (const step of steps)
      if (step < medianStep * STILL_SHARE) stillCount[position] = (stillCount[position] as number) + 1
  }
  return {
    signal: feature.name,
    dimensions,
    motion: totals.steps.map((total, position) => total / Math.max(1, counts.steps[position] as number)),
    variance: totals.jerks.map((total, position) => total / Math.max(1, counts.jerks[position] as number)),
    stillSeconds: stillCount.map((count) => count / dataset.fps),
    seconds: stillCount.map((_, position) => dataset.getEpisode(position).length / dataset.fps),
    medianStep,
    ...drawCurves(parts),
  }
}

interface CurveParts {
  totals: Float32Array
  counts: Uint32Array
}

/** The steps after the `done` first ones of `stepCount`, each to the part of the episode that it lies in. */
function addToCurve(
  { totals, counts }: CurveParts,
  position: number,
  done: number,
  stepCount: number,
  steps: Float64Array,
): void {
  const partsPerStep = CURVE_POINTS / Math.max(1, stepCount)
  for (let at = 0; at < steps.length; at++) {
    const part = position * CURVE_POINTS + Math.min(CURVE_POINTS - 1, Math.floor((done + at) * partsPerStep))
    totals[part] = (totals[part] as number) + (steps[at] as number)
    counts[part] = (counts[part] as number) + 1
  }
}

/** One scale for all, so that rows can be compared; the highest half percent may reach above it. A part without a step repeats the one before. */
function drawCurves({ totals, counts }: CurveParts): { curves: Uint8Array; curveTop: number } {
  for (let at = 0; at < totals.length; at++) {
    const count = counts[at] as number
    const before = at % CURVE_POINTS === 0 ? 0 : (totals[at - 1] as number)
    totals[at] = count > 0 ? (totals[at] as number) / count : before
  }
  const sorted = totals.toSorted()
  const curveTop = sorted[Math.floor((sorted.length - 1) * 0.995)] || sorted.at(-1) || 0
  const curves = new Uint8Array(totals.length)
  if (curveTop > 0)
    for (let at = 0; at < totals.length; at++)
      curves[at] = Math.min(255, Math.round(((totals[at] as number) / curveTop) * 255))
  return { curves, curveTop }
}

/** The episodes that move least, least first. */
export function listLowMotion(scores: MotionScores, limit = LIST_LENGTH): RankedEpisode[] {
  return rank(scores.motion, limit, (a, b) => a - b).map(({ position, score }) => {
    const [still, seconds] = [scores.stillSeconds[position] as number, scores.seconds[position] as number]
    const label =
      still >= seconds * MOSTLY_STILL
        ? `still for ${formatSeconds(still)} s of ${formatSeconds(seconds)} s`
        : 'slow throughout'
    return { position, score, label }
  })
}

/** The episodes that shake most, most first. */
export function listHighVariance(scores: MotionScores, limit = LIST_LENGTH): RankedEpisode[] {
  const sorted = scores.variance.toSorted()
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  return rank(scores.variance, limit, (a, b) => b - a).map(({ position, score }) => {
    const label =
      median > 0 ? `${(score / median).toPrecision(2)} times the median jerk` : 'the only episode that moves'
    return { position, score, label }
  })
}

function findSignal(dataset: Dataset): ColumnFeature | undefined {
  const columns = dataset.features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
  return columns.find(({ name }) => name === 'observation.state') ?? columns.find(({ name }) => name === 'action')
}

/** 1 / range of each dimension; 0 for those that do not count. */
async function findScales(
  dataset: Dataset,
  feature: ColumnFeature,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const width = countValues(feature.shape)
  const ranges = Array.from({ length: width }, () => ({
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    values: new Set<number>(),
  }))
  for await (const { values } of walkSignal(dataset, feature, signal)) {
    for (const [dimension, range] of ranges.entries()) {
      for (let at = dimension; at < values.length; at += width) {
        const value = Number(values[at])
        if (!Number.isFinite(value)) continue
        if (value < range.min) range.min = value
        if (value > range.max) range.max = value
        if (range.values.size <= MAX_DISCRETE_VALUES) range.values.add(value)
      }
    }
  }
  return ranges.map(({ min, max, values }) => (values.size > MAX_DISCRETE_VALUES && max > min ? 1 / (max - min) : 0))
}

async function* walkSignal(
  dataset: Dataset,
  feature: ColumnFeature,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ position: number; values: NumericArray }> {
  for (let position = 0; position < dataset.episodeCount; position++) {
    const request = { columns: [feature.name], ...(signal && { signal }) }
    for await (const block of dataset.getEpisode(position).readBlocks(request)) {
      yield { position, values: block.columns.get(feature.name) as NumericArray }
    }
  }
}

/** Norms of first and second differences, block by block; the rows before a block are remembered, an episode's start forgets them. */
async function* walkSteps(
  dataset: Dataset,
  feature: ColumnFeature,
  scales: readonly number[],
  signal: AbortSignal | undefined,
): AsyncGenerator<{ position: number; steps: Float64Array; jerks: Float64Array }> {
  const width = scales.length
  let current = -1
  let known = 0
  const [before, last] = [new Float64Array(width), new Float64Array(width)]
  for await (const { position, values } of walkSignal(dataset, feature, signal)) {
    if (position !== current) known = 0
    current = position
    const rows = values.length / width
    const steps: number[] = []
    const jerks: number[] = []
    for (let row = 0; row < rows; row++) {
      let [stepSquare, jerkSquare] = [0, 0]
      for (let dimension = 0; dimension < width; dimension++) {
        const value = Number(values[row * width + dimension]) * (scales[dimension] as number)
        const previous = last[dimension] as number
        stepSquare += (value - previous) ** 2
        jerkSquare += (value - 2 * previous + (before[dimension] as number)) ** 2
        before[dimension] = previous
        last[dimension] = value
      }
      if (known > 0 && Number.isFinite(stepSquare)) steps.push(Math.sqrt(stepSquare))
      if (known > 1 && Number.isFinite(jerkSquare)) jerks.push(Math.sqrt(jerkSquare))
      known++
    }
    yield { position, steps: Float64Array.from(steps), jerks: Float64Array.from(jerks) }
  }
}

function addTo(totals: Float64Array, counts: Float64Array, position: number, values: Float64Array): void {
  for (const value of values) totals[position] = (totals[position] as number) + value
  counts[position] = (counts[position] as number) + values.length
}

function rank(
  scores: Float64Array,
  limit: number,
  compare: (a: number, b: number) => number,
): { position: number; score: number }[] {
  const entries = Array.from(scores, (score, position) => ({ position, score }))
  return entries.sort((a, b) => compare(a.score, b.score) || a.position - b.position).slice(0, limit)
}

function formatSeconds(seconds: number): string {
  return seconds >= 10 ? seconds.toFixed(1) : seconds.toFixed(2)
}

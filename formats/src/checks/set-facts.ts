import type { Dataset } from '../dataset.ts'
import {
  type ColumnFeature,
  countValues,
  isColumn,
  isNumericDtype,
  labelDimensions,
  type NumericArray,
} from '../feature.ts'
import { nameAction, nameState } from '../signal-roles.ts'
import { maxSwitchValues } from '../statistics/dimension-survey.ts'
import { toDoubles } from '../statistics/doubles.ts'
import { findMotionScale, type MotionScale } from '../statistics/idle.ts'
import { findMedian } from '../statistics/usual.ts'
import { unwrapStep } from './angle-steps.ts'
import { StepHistogram } from './step-histogram.ts'

/** Farther apart than this share of the range on average, a command is no position of its joint. */
const positionShare = 0.15

/** What is known of a set before its episodes are looked at one by one. Positions count its readable episodes. */
export interface SetFacts {
  readonly fps: number
  readonly episodeCount: number
  readonly lengths: Uint32Array
  /** The distinct tasks, and each episode's first one. */
  readonly tasks: readonly string[]
  readonly taskOf: Uint32Array
  readonly state: SignalFacts | undefined
  readonly action: SignalFacts | undefined
  /** The same that Insights and trims go by; undefined where there is neither state nor action. */
  readonly scale: MotionScale | undefined
  /** Rows of state and action have the same width: the same dimension of both is the same joint. */
  readonly isParallel: boolean
  /** And a command is where its joint is to be, not how far it is to move. */
  readonly isPositional: boolean
  readonly cameras: readonly string[]
  sourceIndexOf(position: number): number
}

type SignalRole = 'state' | 'action'

/** Whether motion is measured by the action, for want of a state. */
const isActionScale = (scale: MotionScale | undefined, action: string | undefined): boolean =>
  scale !== undefined && scale.signal.name === action

export const isMeasuredByAction = ({ scale, action }: Pick<SetFacts, 'scale' | 'action'>): boolean =>
  isActionScale(scale, action?.name)

/** One column of numbers over the whole set; arrays go by dimension. */
export interface SignalFacts {
  readonly role: SignalRole
  /** Of its column. */
  readonly name: string
  readonly width: number
  readonly labels: readonly string[]
  readonly min: Float64Array
  readonly max: Float64Array
  /** More than eight values. */
  readonly isContinuous: readonly boolean[]
  readonly isGripper: readonly boolean[]
  /** 99th percentile of the steps from frame to frame that are steps at all. */
  readonly fastStep: Float64Array
}

/** Collects, in the one reading that also tells which episodes can be read, what the set is like. */
export class SetSurvey {
  readonly #dataset: Dataset
  readonly #signals: SurveyedSignal[]
  /** By dimension: how far state and action are apart, added up, and of how many frames. */
  readonly #apart: Float64Array
  readonly #compared: Float64Array

  constructor(dataset: Dataset) {
    this.#dataset = dataset
    this.#signals = (['state', 'action'] as const).flatMap((role) => {
      const feature = findSignal(dataset, role === 'state' ? nameState(dataset) : nameAction(dataset))
      return feature ? [new SurveyedSignal(feature, role, dataset.frameCount)] : []
    })
    this.#apart = new Float64Array(this.#signals[0]?.width ?? 0)
    this.#compared = new Float64Array(this.#apart.length)
  }

  add(columns: ReadonlyMap<string, unknown>): void {
    const rows = this.#signals.map(({ feature }) => toDoubles(columns.get(feature.name) as NumericArray))
    for (const [index, signal] of this.#signals.entries()) signal.add(rows[index] as Float64Array)
    const [state, action] = rows
    if (!state || state.length !== action?.length) return
    addApart(state, action, this.#apart, this.#compared)
  }

  endEpisode(): void {
    for (const signal of this.#signals) signal.endEpisode()
  }

  /** `usable`: the dataset without the episodes that cannot be read. `known`: its scale, where somebody has found it. */
  async finish(usable: Dataset, known: MotionScale | undefined, abort?: AbortSignal): Promise<SetFacts> {
    const scale = known ?? (await findMotionScale(usable, { abort }))
    const taskNumbers = new Map<string, number>()
    const lengths = new Uint32Array(usable.episodeCount)
    const taskOf = new Uint32Array(usable.episodeCount)
    const sourceIndices = new Float64Array(usable.episodeCount)
    for (let position = 0; position < usable.episodeCount; position++) {
      const { length, tasks, sourceIndex } = usable.getEpisode(position)
      const [task = ''] = tasks
      if (!taskNumbers.has(task)) taskNumbers.set(task, taskNumbers.size)
      lengths[position] = length
      taskOf[position] = taskNumbers.get(task) as number
      sourceIndices[position] = sourceIndex
    }
    const find = (wanted: SignalRole) => this.#signals.find(({ role }) => role === wanted)
    const [state, action] = [find('state'), find('action')]
    const isParallel = state !== undefined && action !== undefined && state.width === action.width
    const { ofState, ofAction } = listGrippers(scale, isActionScale(scale, action?.feature.name), isParallel)
    const facts = { state: state?.describe(ofState), action: action?.describe(ofAction) }
    return {
      ...facts,
      fps: this.#dataset.fps,
      episodeCount: usable.episodeCount,
      lengths,
      tasks: [...taskNumbers.keys()],
      taskOf,
      scale,
      isParallel,
      isPositional: isParallel && this.#findApart(facts.state) < positionShare,
      cameras: this.#dataset.features.flatMap(({ kind, name }) => (kind === 'camera' ? [name] : [])),
      sourceIndexOf: (position) => sourceIndices[position] as number,
    }
  }

  /** The median over the joints of how far command and reading are apart on average, as a share of the range. */
  #findApart(state: SignalFacts | undefined): number {
    const arm = state ? listArm(state) : []
    if (!state || arm.length === 0) return Number.POSITIVE_INFINITY
    const shares = arm.map((dimension) => {
      const apart = (this.#apart[dimension] as number) / Math.max(1, this.#compared[dimension] as number)
      return apart / rangeOf(state, dimension)
    })
    return findMedian(Float64Array.from(shares))
  }
}

/** Row by row, as they lie in memory. */
function addApart(state: Float64Array, action: Float64Array, sums: Float64Array, counts: Float64Array): void {
  const width = sums.length
  for (let row = 0; row < state.length; row += width)
    for (let dimension = 0; dimension < width; dimension++) {
      const apart = Math.abs(unwrapStep((action[row + dimension] as number) - (state[row + dimension] as number)))
      if (!(apart < Number.POSITIVE_INFINITY)) continue
      sums[dimension] = (sums[dimension] as number) + apart
      counts[dimension] = (counts[dimension] as number) + 1
    }
}

function findSignal(dataset: Dataset, name: string): ColumnFeature | undefined {
  return dataset.features.filter(isColumn).find((column) => column.name === name && isNumericDtype(column.dtype))
}

class SurveyedSignal {
  readonly feature: ColumnFeature
  readonly role: SignalRole
  readonly width: number
  /** Of each dimension, its values as long as they are few. */
  readonly #values: Set<number>[]
  readonly #steps: StepHistogram[]

  constructor(feature: ColumnFeature, role: SignalRole, frames: number) {
    this.feature = feature
    this.role = role
    this.width = countValues(feature.shape)
    this.#values = Array.from({ length: this.width }, () => new Set<number>())
    this.#steps = Array.from({ length: this.width }, () => new StepHistogram(frames))
  }

  add(rows: Float64Array): void {
    for (let dimension = 0; dimension < this.width; dimension++) {
      const values = this.#values[dimension] as Set<number>
      for (let at = dimension; at < rows.length && values.size <= maxSwitchValues; at += this.width)
        if (Number.isFinite(rows[at])) values.add(rows[at] as number)
      this.#steps[dimension]?.add(rows, dimension, this.width)
    }
  }

  endEpisode(): void {
    for (const steps of this.#steps) steps.endEpisode()
  }

  describe(grippers: ReadonlySet<number>): SignalFacts {
    const dimensions = Array.from({ length: this.width }, (_, dimension) => dimension)
    const named = this.feature.shape.length === 1 ? labelDimensions(this.feature) : dimensions.map(String)
    return {
      role: this.role,
      name: this.feature.name,
      width: this.width,
      labels: named.map((label) => (/^\d+$/.test(label) ? `dimension ${label}` : label)),
      min: Float64Array.from(this.#steps, ({ min }) => min),
      max: Float64Array.from(this.#steps, ({ max }) => max),
      isContinuous: this.#steps.map(
        ({ min, max }, dimension) => max > min && (this.#values[dimension]?.size ?? 0) > maxSwitchValues,
      ),
      isGripper: dimensions.map((dimension) => grippers.has(dimension)),
      fastStep: Float64Array.from(this.#steps, (steps) => steps.findFast()),
    }
  }
}

/** As the measure of motion has found them. */
function listGrippers(scale: MotionScale | undefined, isAction: boolean, isParallel: boolean) {
  const ofState = new Set<number>()
  const ofAction = new Set<number>()
  const signal = isAction ? ofAction : ofState
  for (const { command, reading } of scale?.signal.grippers ?? []) {
    for (const channel of reading ? [command, reading] : [command])
      (channel.feature === 'action' ? ofAction : signal).add(channel.dimension)
  }
  if (isParallel) {
    for (const dimension of ofState) ofAction.add(dimension)
    for (const dimension of ofAction) ofState.add(dimension)
  }
  return { ofState, ofAction }
}

/** How far a dimension reaches over the set; 0 where it never changes. */
export function rangeOf({ min, max }: SignalFacts, dimension: number): number {
  const range = (max[dimension] as number) - (min[dimension] as number)
  return range > 0 && Number.isFinite(range) ? range : 0
}

/** The dimensions of an arm: continuous, and no gripper. */
export const listArm = ({ width, isContinuous, isGripper }: SignalFacts): number[] =>
  Array.from({ length: width }, (_, dimension) => dimension).filter(
    (dimension) => isContinuous[dimension] && !isGripper[dimension],
  )

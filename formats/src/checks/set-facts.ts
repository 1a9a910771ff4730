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
  /** Median and 99th percentile of the steps from frame to frame that are steps at all. */
  readonly usualStep: Float64Array
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
      return feature ? [new SurveyedSignal(feature, role)] : []
    })
    this.#apart = new Float64Array(this.#signals[0]?.width ?? 0)
    this.#compared = new Float64Array(this.#apart.length)
  }

  add(columns: ReadonlyMap<string, unknown>): void {
    const rows = this.#signals.map(({ feature }) => toDoubles(columns.get(feature.name) as NumericArray))
    for (const [index, signal] of this.#signals.entries()) signal.add(rows[index] as Float64Array)
    const [state, action] = rows
    if (!state || state.length !== action?.length) return
    const width = this.#apart.length
    for (let dimension = 0; dimension < width; dimension++) {
      let sum = this.#apart[dimension] as number
      let compared = this.#compared[dimension] as number
      for (let at = dimension; at < state.length; at += width) {
        const apart = Math.abs(unwrapStep((action[at] as number) - (state[at] as number)))
        if (!Number.isFinite(apart)) continue
        sum += apart
        compared++
      }
      this.#apart[dimension] = sum
      this.#compared[dimension] = compared
    }
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
  readonly #min: Float64Array
  readonly #max: Float64Array
  readonly #last: Float64Array

  constructor(feature: ColumnFeature, role: SignalRole) {
    this.feature = feature
    this.role = role
    this.width = countValues(feature.shape)
    this.#values = Array.from({ length: this.width }, () => new Set<number>())
    this.#steps = Array.from({ length: this.width }, () => new StepHistogram())
    this.#min = new Float64Array(this.width).fill(Number.POSITIVE_INFINITY)
    this.#max = new Float64Array(this.width).fill(Number.NEGATIVE_INFINITY)
    this.#last = new Float64Array(this.width).fill(Number.NaN)
  }

  add(rows: Float64Array): void {
    for (let dimension = 0; dimension < this.width; dimension++) {
      const values = this.#values[dimension] as Set<number>
      const steps = this.#steps[dimension] as StepHistogram
      let isSwitch = values.size <= maxSwitchValues
      let last = this.#last[dimension] as number
      let min = this.#min[dimension] as number
      let max = this.#max[dimension] as number
      for (let at = dimension; at < rows.length; at += this.width) {
        const value = rows[at] as number
        if (!Number.isFinite(value)) continue
        if (value < min) min = value
        if (value > max) max = value
        if (isSwitch) isSwitch = values.add(value).size <= maxSwitchValues
        steps.add(Math.abs(unwrapStep(value - last)))
        last = value
      }
      this.#last[dimension] = last
      this.#min[dimension] = min
      this.#max[dimension] = max
    }
  }

  endEpisode(): void {
    this.#last.fill(Number.NaN)
  }

  #isContinuous(dimension: number): boolean {
    const isMany = (this.#values[dimension] as Set<number>).size > maxSwitchValues
    return isMany && (this.#max[dimension] as number) > (this.#min[dimension] as number)
  }

  describe(grippers: ReadonlySet<number>): SignalFacts {
    const dimensions = Array.from({ length: this.width }, (_, dimension) => dimension)
    const named = this.feature.shape.length === 1 ? labelDimensions(this.feature) : dimensions.map(String)
    return {
      role: this.role,
      name: this.feature.name,
      width: this.width,
      labels: named.map((label) => (/^\d+$/.test(label) ? `dimension ${label}` : label)),
      min: this.#min,
      max: this.#max,
      isContinuous: dimensions.map((dimension) => this.#isContinuous(dimension)),
      isGripper: dimensions.map((dimension) => grippers.has(dimension)),
      usualStep: Float64Array.from(this.#steps, (steps) => steps.findQuantile(0.5)),
      fastStep: Float64Array.from(this.#steps, (steps) => steps.findQuantile(0.99)),
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

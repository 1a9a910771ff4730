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
import { DimensionSurvey } from './dimension-survey.ts'
import { toDoubles } from './doubles.ts'
import { findExactQuantiles } from './quantiles.ts'

/** What of a dataset says whether its robot moves. Plain data, so that it can be stored beside the dataset. */
export interface MotionSignal {
  /** The state's column, or the action's where there is none. */
  readonly name: string
  /** The action's column where it is not called `action`. */
  readonly actionName?: string
  readonly width: number
  /** More than eight values over the dataset; the others are switches, modes and constants. */
  readonly dimensions: readonly number[]
  /** By entry of `dimensions`: 1 / range. */
  readonly scales: readonly number[]
  /** Those of `dimensions` that are no gripper and more than noise. */
  readonly arm: readonly ArmDimension[]
  readonly grippers: readonly GripperChannel[]
  /** How long a step is in which nothing but noise changes. */
  readonly noiseStep: number
}

export interface ArmDimension {
  readonly dimension: number
  /** 1 / range; less where the readings are so noisy that their steps would drown the others'. */
  readonly scale: number
  /** What no arm moves in one frame: an angle that wraps, a reading that dropped out. */
  readonly jump: number
}

/** A gripper, or anything else that is switched. */
export interface GripperChannel {
  readonly command: Channel & { readonly isSwitch: boolean }
  /** What the robot reports of it. */
  readonly reading: Channel | null
}

export interface Channel {
  readonly feature: 'signal' | 'action'
  readonly dimension: number
  readonly range: number
}

/** `still`: it has a signal that never changes, or only by noise. `switches`: nothing in it is continuous. */
export type SignalState = 'moves' | 'still' | 'switches'

export interface DescribedSignal {
  readonly state: SignalState
  readonly signal: MotionSignal
}

const gripperName = /grip|finger|claw|jaw|suction|vacuum/i
/** A hand with more joints than this moves like an arm. */
const maxGripperDimensions = 4
/** The noise of one reading may be this share of a dimension's span. */
const noiseShare = 1 / 200
const jumpShare = 0.5
/** Of the median range of the continuous dimensions. */
const switchShare = 0.05
/** The median of |x| of normal values is 0.6745 deviations; a third difference adds up 1 + 9 + 9 + 1 variances. */
const medianThirdPerDeviation = 0.6745 * Math.sqrt(20)

export const countFrames = (seconds: number, fps: number): number => Math.max(1, Math.round(seconds * fps))

/** What motion can be read from, by what it is and not by what the dataset calls it. */
export type SignalName = 'observation.state' | 'action'

/** Gets the rows of state and action too when they are read for the first time, in order. */
export interface RowsWatcher {
  add(columns: ReadonlyMap<string, Float64Array>): void
  endEpisode(): void
}

export interface DescribeOptions {
  readonly abort?: AbortSignal | undefined
  readonly name?: SignalName | undefined
  readonly watcher?: RowsWatcher | undefined
}

/** Undefined when the dataset has no such column; with no name given, neither state nor action. */
export async function describeSignal(
  dataset: Dataset,
  { abort, name, watcher }: DescribeOptions = {},
): Promise<DescribedSignal | undefined> {
  const actionName = nameAction(dataset)
  const found = {
    'observation.state': findColumn(dataset, nameState(dataset)),
    action: findColumn(dataset, actionName),
  }
  const feature = name ? found[name] : (found['observation.state'] ?? found.action)
  if (!feature) return undefined
  const action = feature.name === actionName ? undefined : found.action
  const survey = new DimensionSurvey(countValues(feature.shape))
  const commands = action && new DimensionSurvey(countValues(action.shape))
  const command = action && commands && { feature: action, survey: commands }
  const noise = await measureNoise(dataset, { feature, survey }, command, { abort, watcher })
  const continuous = survey.listContinuous()
  const grippers = findGrippers(feature, survey, action, commands)
  const isNoise = (dimension: number): boolean =>
    2 * (noise[dimension] as number) ** 2 > survey.varianceOf(dimension) && survey.varianceOf(dimension) > 0
  const moving = continuous.filter((dimension) => !isNoise(dimension))
  const withoutGrippers = moving.filter((dimension) => !grippers.dimensions.has(dimension))
  const used = withoutGrippers.length > 0 ? withoutGrippers : moving
  const arm = used.map((dimension) => ({
    dimension,
    scale: 1 / Math.max(survey.rangeOf(dimension), (noise[dimension] as number) / noiseShare),
    jump: survey.rangeOf(dimension) * jumpShare,
  }))
  const noiseStep = Math.hypot(...arm.map(({ dimension, scale }) => (noise[dimension] as number) * scale)) * Math.SQRT2
  const hasSwitch = survey.listSwitches().length > 0
  return {
    state: arm.length > 0 ? 'moves' : continuous.length === 0 && hasSwitch ? 'switches' : 'still',
    signal: {
      name: feature.name,
      ...(actionName !== 'action' && { actionName }),
      width: survey.width,
      dimensions: continuous,
      scales: continuous.map((dimension) => 1 / survey.rangeOf(dimension)),
      arm,
      grippers: withoutGrippers.length > 0 ? grippers.channels : [],
      noiseStep,
    },
  }
}

function findColumn(dataset: Dataset, name: string): ColumnFeature | undefined {
  return dataset.features.filter(isColumn).find((column) => column.name === name && isNumericDtype(column.dtype))
}

interface SurveyedColumn {
  feature: ColumnFeature
  survey: DimensionSurvey
}

/** By dimension: the standard deviation of the readings' noise, by the median third difference, which smooth motion hardly touches. The first reading also fills the surveys. */
async function measureNoise(
  dataset: Dataset,
  { feature, survey }: SurveyedColumn,
  command: SurveyedColumn | undefined,
  { abort, watcher }: DescribeOptions,
): Promise<number[]> {
  let isSurveyed = false
  const columns = command ? [feature.name, command.feature.name] : [feature.name]
  const request = { columns, ...(abort && { signal: abort }) }
  const readThirds = async function* () {
    for (let position = 0; position < dataset.episodeCount; position++) {
      let before = new Float64Array(0)
      for await (const { columns } of dataset.getEpisode(position).readBlocks(request)) {
        const values = toDoubles(columns.get(feature.name) as NumericArray)
        if (!isSurveyed) {
          const read = new Map([[feature.name, values]])
          survey.add(values)
          if (command) {
            const commands = toDoubles(columns.get(command.feature.name) as NumericArray)
            command.survey.add(commands)
            read.set(command.feature.name, commands)
          }
          watcher?.add(read)
        }
        const rows = new Float64Array(before.length + values.length)
        rows.set(before)
        rows.set(values, before.length)
        before = rows.slice(Math.max(0, rows.length - 3 * survey.width))
        yield takeThirds(rows, survey.width)
      }
      if (!isSurveyed) {
        survey.endEpisode()
        watcher?.endEpisode()
      }
    }
    isSurveyed = true
  }
  const medians = await findExactQuantiles(readThirds, survey.width, [0.5])
  return medians.map(([median = 0]) => median / medianThirdPerDeviation)
}

function takeThirds(rows: Float64Array, width: number): Float64Array {
  const thirds = new Float64Array(Math.max(0, rows.length - 3 * width))
  for (let at = 0; at < thirds.length; at++) {
    const [a, b] = [rows[at] as number, rows[at + width] as number]
    const [c, d] = [rows[at + 2 * width] as number, rows[at + 3 * width] as number]
    thirds[at] = Math.abs(d - 3 * c + 3 * b - a)
  }
  return thirds
}

/** By name, by having few values, or by being what a command with few values moves. */
function findGrippers(
  feature: ColumnFeature,
  survey: DimensionSurvey,
  action: ColumnFeature | undefined,
  commands: DimensionSurvey | undefined,
): { dimensions: ReadonlySet<number>; channels: GripperChannel[] } {
  const isParallel = commands !== undefined && commands.width === survey.width
  const switched = commands?.listSwitches() ?? []
  const dimensions = new Set(listNamedGrippers(feature, survey))
  if (isParallel) for (const dimension of switched) if (survey.isContinuous(dimension)) dimensions.add(dimension)
  const readings = [...dimensions].sort((a, b) => a - b)
  const own = (dimension: number): Channel => ({ feature: 'signal', dimension, range: survey.rangeOf(dimension) })
  const channels: GripperChannel[] = survey
    .listSwitches()
    .filter((dimension) => (isParallel && switched.includes(dimension)) || isNoticeable(survey, dimension))
    .map((dimension) => ({ command: { ...own(dimension), isSwitch: true }, reading: null }))
  const opened = action && commands ? listNamedGrippers(action, commands) : []
  const commanded = [...switched, ...opened].sort((a, b) => a - b)
  for (const [place, dimension] of commanded.entries()) {
    const range = commands?.rangeOf(dimension) ?? 0
    const paired = isParallel ? dimension : commanded.length === readings.length ? readings[place] : undefined
    const reading = paired !== undefined && dimensions.has(paired) ? own(paired) : null
    channels.push({ command: { feature: 'action', dimension, range, isSwitch: switched.includes(dimension) }, reading })
  }
  if (commanded.length === 0)
    for (const dimension of readings) channels.push({ command: { ...own(dimension), isSwitch: false }, reading: null })
  return { dimensions, channels }
}

/** An encoder of a joint that rests flickers between a few ticks; that is no switch. */
function isNoticeable(survey: DimensionSurvey, dimension: number): boolean {
  const ranges = Float64Array.from(survey.listContinuous(), (other) => survey.rangeOf(other)).sort()
  return survey.rangeOf(dimension) >= switchShare * (ranges[ranges.length >> 1] ?? 0)
}

function listNamedGrippers(feature: ColumnFeature, survey: DimensionSurvey): number[] {
  if (feature.shape.length !== 1) return []
  const named = labelDimensions(feature).flatMap((label, dimension) =>
    gripperName.test(label) && survey.isContinuous(dimension) ? [dimension] : [],
  )
  return named.length <= maxGripperDimensions ? named : []
}

import type { Block, BlockRequest, Dataset, Episode, Values } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import {
  arrayTypes,
  type ColumnFeature,
  countValues,
  isColumn,
  isNumericDtype,
  labelDimensions,
  type NumericArray,
} from '../feature.ts'
import { nameAction } from '../signal-roles.ts'
import { toDoubles } from '../statistics/doubles.ts'
import { createSmooth, type SmoothingMode } from './smoothing.ts'

export interface ActionSettings {
  /** Frames, odd, 1 to 101; 1 and null change nothing. */
  readonly smoothingWindow?: number | null
  readonly smoothingMode?: SmoothingMode | null
  /** Names of the dimensions that are smoothed; all where it is absent. Scale and clip are of all dimensions. */
  readonly smoothingDimensions?: readonly string[] | null
  readonly scale?: number | null
  readonly clipMin?: number | null
  readonly clipMax?: number | null
}

/** Smooths the action within each episode, then scales, then clips it. Computed in double, stored in the feature's own type. */
export function apply(dataset: Dataset, settings: ActionSettings): Dataset {
  if (!planAction(settings)) return dataset
  const feature = findAction(dataset)
  if (!feature)
    throw new FormatError('unsupported', `The dataset has no numeric feature called ${nameAction(dataset)}.`)
  const plan = planAction(settings, findDimensions(feature, settings.smoothingDimensions))
  if (!plan) return dataset
  const { intact, ...others } = dataset
  return {
    ...others,
    ...(intact && { intact: { ...intact, data: undefined } }),
    getEpisode: (position) => changeEpisode(dataset.getEpisode(position), feature, plan),
  }
}

/** The action that a recipe can change: numbers, and no truth values. */
export function findAction(dataset: Pick<Dataset, 'features' | 'roles'>): ColumnFeature | undefined {
  const found = dataset.features.filter(isColumn).find(({ name }) => name === nameAction(dataset))
  return found && isNumericDtype(found.dtype) && found.dtype !== 'bool' ? found : undefined
}

function findDimensions(feature: ColumnFeature, names: readonly string[] | null | undefined): number[] | undefined {
  if (!names) return undefined
  const labels = feature.shape.length === 1 ? labelDimensions(feature) : []
  return names.map((name) => {
    const place = labels.indexOf(name)
    if (place < 0) throw new FormatError('unsupported', `The action has no dimension ${name} that could be smoothed.`)
    return place
  })
}

export interface ActionPlan {
  /** Frames to each side that a result depends on. */
  readonly halo: number
  /** What a changed value costs, in additions. */
  readonly valueCost: number
  /** Row-major rows `firstRow` to `firstRow + rowCount` of `values`, changed; the others are neighbours. */
  change(values: Float64Array, width: number, firstRow: number, rowCount: number): Float64Array
  /** The same of one dimension, into `results`. */
  changeColumn(values: Float64Array, dimension: number, firstRow: number, results: Float64Array): void
}

/** Undefined when the settings change nothing. `smoothed` are the places of the dimensions that are smoothed, all without it. */
export function planAction(settings: ActionSettings, smoothed?: readonly number[]): ActionPlan | undefined {
  const { smoothingWindow, smoothingMode, scale, clipMin, clipMax } = settings
  const window = smoothingWindow ?? 1
  const [low, high] = [clipMin ?? Number.NEGATIVE_INFINITY, clipMax ?? Number.POSITIVE_INFINITY]
  const factor = scale ?? 1
  const isClipped = low !== Number.NEGATIVE_INFINITY || high !== Number.POSITIVE_INFINITY
  if (window === 1 && factor === 1 && !isClipped) return undefined
  const halo = window >> 1
  const smooth = createSmooth(smoothingMode ?? 'mean', window)
  const changeColumn: ActionPlan['changeColumn'] = (values, dimension, firstRow, results) => {
    if (halo === 0 || smoothed?.includes(dimension) === false)
      results.set(values.subarray(firstRow, firstRow + results.length))
    else smooth(values, firstRow, results)
    for (let row = 0; row < results.length; row++) {
      const scaled = (results[row] as number) * factor
      results[row] = scaled < low ? low : scaled > high ? high : scaled
    }
  }
  const change: ActionPlan['change'] = (values, width, firstRow, rowCount) => {
    const changed = new Float64Array(rowCount * width)
    const column = new Float64Array(values.length / width)
    const results = new Float64Array(rowCount)
    for (let dimension = 0; dimension < width; dimension++) {
      for (let row = 0; row < column.length; row++) column[row] = values[row * width + dimension] as number
      changeColumn(column, dimension, firstRow, results)
      for (let row = 0; row < rowCount; row++) changed[row * width + dimension] = results[row] as number
    }
    return changed
  }
  const valueCost = (smoothingMode ?? 'mean') === 'mean' ? 5 : 2 * halo + 1
  return { halo, valueCost, change, changeColumn }
}

/** One episode as `apply` gives it. */
export function changeEpisode(episode: Episode, feature: ColumnFeature, plan: ActionPlan): Episode {
  const readBlocks = async function* (request: BlockRequest = {}): AsyncGenerator<Block> {
    for await (const block of episode.readBlocks(request)) {
      const values = block.columns.get(feature.name)
      if (values === undefined) yield block
      else {
        const { startFrame, frameCount } = block
        const rows = { startFrame, frameCount, values: values as NumericArray }
        const changed = await changeBlock(episode, feature, plan, rows, request.signal)
        yield { ...block, columns: new Map<string, Values>([...block.columns, [feature.name, changed]]) }
      }
    }
  }
  return { ...episode, readBlocks }
}

async function changeBlock(
  episode: Episode,
  feature: ColumnFeature,
  { halo, change }: ActionPlan,
  { startFrame, frameCount, values }: Pick<Block, 'startFrame' | 'frameCount'> & { values: NumericArray },
  signal: AbortSignal | undefined,
): Promise<NumericArray> {
  const width = countValues(feature.shape)
  const first = Math.max(0, startFrame - halo)
  const end = Math.min(episode.length, startFrame + frameCount + halo)
  const isAlone = first === startFrame && end === startFrame + frameCount
  const seen = isAlone ? toDoubles(values) : await readRows(episode, feature, first, end, signal)
  return storeAs(feature, change(seen, width, startFrame - first, frameCount))
}

async function readRows(
  episode: Episode,
  { name, shape }: ColumnFeature,
  startFrame: number,
  endFrame: number,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const width = countValues(shape)
  const rows = new Float64Array((endFrame - startFrame) * width)
  let filled = 0
  for await (const block of episode.readBlocks({
    columns: [name],
    startFrame,
    endFrame,
    ...(signal && { signal }),
  })) {
    rows.set(toDoubles(block.columns.get(name) as NumericArray), filled)
    filled += block.frameCount * width
  }
  return rows
}

/** Whole numbers are rounded half to even, as numpy's rint does, and stay within their type. */
export function storeAs({ dtype }: Pick<ColumnFeature, 'dtype'>, values: Float64Array): NumericArray {
  if (dtype === 'float64') return values
  if (dtype === 'float32') return new Float32Array(values)
  const [low, high] = integerRanges[dtype as keyof typeof integerRanges]
  const whole = values.map((value) => Math.min(Number(high), Math.max(Number(low), roundHalfEven(value))))
  if (dtype === 'int64') return BigInt64Array.from(whole, (value) => BigInt.asIntN(64, clampBig(value, low, high)))
  if (dtype === 'uint64') return BigUint64Array.from(whole, (value) => BigInt.asUintN(64, clampBig(value, low, high)))
  return (arrayTypes[dtype as 'int32'] as Int32ArrayConstructor).from(whole)
}

const integerRanges = {
  int8: [-128n, 127n],
  int16: [-32768n, 32767n],
  int32: [-2147483648n, 2147483647n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 255n],
  uint16: [0n, 65535n],
  uint32: [0n, 4294967295n],
  uint64: [0n, 2n ** 64n - 1n],
} as const

function clampBig(value: number, low: bigint, high: bigint): bigint {
  const whole = BigInt(Number.isNaN(value) ? 0 : value)
  return whole < low ? low : whole > high ? high : whole
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

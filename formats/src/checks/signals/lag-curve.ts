import { unwrapStep } from '../angle-steps.ts'
import type { EpisodeSignals } from '../episode-signals.ts'
import { rangeOf, type SignalFacts } from '../set-facts.ts'
import { comparedDimensions } from '../unmeasured.ts'

export interface CurveRequest {
  readonly state: SignalFacts
  readonly action: SignalFacts
  /** Of both. */
  readonly dimensions: readonly number[]
  /** The curve goes from that many frames before to that many after. */
  readonly reach: number
}

/** By what a command is taken for. */
export interface CommandCurves {
  readonly positions: Float64Array | undefined
  readonly steps: Float64Array | undefined
}

/**
 * How well the state's motion fits the command's that many frames before: 1 where one is the other. Entry `reach` is no delay.
 * Undefined where the episode is too short or nothing moves.
 */
export function correlateCommands(
  { frames, state: readings, action: commands }: EpisodeSignals,
  { state, action, dimensions, reach }: CurveRequest,
): CommandCurves {
  const count = frames - 1
  if (!readings || !commands || count < 3 * reach) return { positions: undefined, steps: undefined }
  const start = (index: number): Products & { energy: number } => ({
    // Delays are summed up by fours.
    sums: new Float64Array(4 * Math.ceil((2 * reach + 1) / 4)),
    command: takeScratch(index, count),
    energy: 0,
  })
  const [ofPositions, ofSteps] = [start(0), start(1)]
  // Nothing on both sides of it, so that every delay is summed up over the same steps.
  const padded = takeScratch(2, count + 2 * reach + 3)
  const reading = padded.subarray(reach, reach + count)
  const weights = listWeights(reach)
  let ofReadings = 0
  for (const dimension of dimensions.slice(0, comparedDimensions)) {
    const scales = [1 / rangeOf(action, dimension), 1 / rangeOf(state, dimension)] as const
    fillSteps(reading, readings, state.width, dimension, scales[1])
    fillSteps(ofPositions.command, commands, action.width, dimension, scales[0])
    fillValues(ofSteps.command, commands, action.width, dimension, scales[0])
    ofPositions.energy += fade(ofPositions.command, weights)
    ofSteps.energy += fade(ofSteps.command, weights)
    ofReadings += fade(reading, weights)
    addProducts(ofPositions, ofSteps, padded)
  }
  const scale = ({ sums, energy: ofCommands }: Products): Float64Array | undefined => {
    const energy = Math.sqrt(ofCommands * ofReadings)
    return energy > 1e-12 ? sums.subarray(0, 2 * reach + 1).map((sum) => sum / energy) : undefined
  }
  return { positions: scale(ofPositions), steps: scale(ofSteps) }
}

const scratch: Float64Array[] = []
/** Longer ones are made anew: 2.4 MB at most are kept. */
const maxKept = 100_000

/** Zeros, in memory that the next episode uses again. */
function takeScratch(index: number, length: number): Float64Array {
  if (length > maxKept) return new Float64Array(length)
  const known = scratch[index]
  const kept = known && known.length >= length ? known : new Float64Array(length)
  scratch[index] = kept
  return kept.subarray(0, length).fill(0)
}

interface Products {
  readonly sums: Float64Array
  readonly command: Float64Array
  readonly energy: number
}

function addProducts(one: Products, other: Products, padded: Float64Array): void {
  for (let delay = 0; delay < one.sums.length; delay += 4) addFour(one, other, padded, delay)
}

/** Four delays of both at a time: a reading is then fetched once for all of them. */
function addFour(one: Products, other: Products, padded: Float64Array, delay: number): void {
  const commands = one.command
  const others = other.command
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let e = 0
  let f = 0
  let g = 0
  let h = 0
  let first = padded[delay] as number
  let second = padded[delay + 1] as number
  let third = padded[delay + 2] as number
  for (let at = 0; at < commands.length; at++) {
    const fourth = padded[delay + 3 + at] as number
    const command = commands[at] as number
    const otherCommand = others[at] as number
    a += command * first
    e += otherCommand * first
    b += command * second
    f += otherCommand * second
    c += command * third
    g += otherCommand * third
    d += command * fourth
    h += otherCommand * fourth
    first = second
    second = third
    third = fourth
  }
  one.sums[delay] = (one.sums[delay] as number) + a
  one.sums[delay + 1] = (one.sums[delay + 1] as number) + b
  one.sums[delay + 2] = (one.sums[delay + 2] as number) + c
  one.sums[delay + 3] = (one.sums[delay + 3] as number) + d
  other.sums[delay] = (other.sums[delay] as number) + e
  other.sums[delay + 1] = (other.sums[delay + 1] as number) + f
  other.sums[delay + 2] = (other.sums[delay + 2] as number) + g
  other.sums[delay + 3] = (other.sums[delay + 3] as number) + h
}

function fillSteps(into: Float64Array, rows: Float64Array, width: number, dimension: number, scale: number): void {
  let last = rows[dimension] as number
  for (let at = 0, from = dimension + width; at < into.length; at++, from += width) {
    const value = rows[from] as number
    into[at] = unwrapStep(value - last) * scale
    last = value
  }
}

function fillValues(into: Float64Array, rows: Float64Array, width: number, dimension: number, scale: number): void {
  for (let at = 0, from = dimension; at < into.length; at++, from += width) into[at] = (rows[from] as number) * scale
}

let weightsOfEnds = new Float64Array(0)

/** What a value counts that is so many places from an end, from the first on. */
function listWeights(ends: number): Float64Array {
  if (weightsOfEnds.length !== ends)
    weightsOfEnds = Float64Array.from(
      { length: ends },
      (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 1)) / (ends + 1)),
    )
  return weightsOfEnds
}

/**
 * Takes the mean out, and lets the ends fade: what is cut off there by a delay would move the curve's highest point. The sum of the
 * squares that are left.
 */
function fade(values: Float64Array, weights: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at] as number
  const mean = sum / values.length
  const rest = values.length - weights.length
  let squares = 0
  for (let at = 0; at < values.length; at++) {
    let value = (values[at] as number) - mean
    if (at < weights.length) value *= weights[at] as number
    else if (at >= rest) value *= weights[values.length - 1 - at] as number
    values[at] = value
    squares += value * value
  }
  return squares
}

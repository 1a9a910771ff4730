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
  /** What a command is. */
  readonly mode: 'positions' | 'steps'
}

/**
 * How well the state's motion fits the command's that many frames before: 1 where one is the other. Entry `reach` is no delay.
 * Undefined where the episode is too short or nothing moves.
 */
export function correlateCommands(
  { frames, state: readings, action: commands }: EpisodeSignals,
  { state, action, dimensions, reach, mode }: CurveRequest,
): Float64Array | undefined {
  const steps = frames - 1
  if (!readings || !commands || steps < 3 * reach) return undefined
  const sums = new Float64Array(2 * reach + 1)
  const command = new Float64Array(steps)
  // Nothing on both sides of it, so that every delay is summed up over the same steps.
  const padded = new Float64Array(steps + 2 * reach + 3)
  const reading = padded.subarray(reach, reach + steps)
  let [ofCommands, ofReadings] = [0, 0]
  for (const dimension of dimensions.slice(0, comparedDimensions)) {
    const scales = [1 / rangeOf(action, dimension), 1 / rangeOf(state, dimension)] as const
    fillSteps(reading, readings, state.width, dimension, scales[1])
    if (mode === 'positions') fillSteps(command, commands, action.width, dimension, scales[0])
    else
      for (let at = 0; at < steps; at++) command[at] = (commands[at * action.width + dimension] as number) * scales[0]
    ofCommands += fade(command, reach)
    ofReadings += fade(reading, reach)
    addProducts(sums, command, padded)
  }
  const energy = Math.sqrt(ofCommands * ofReadings)
  return energy > 1e-12 ? sums.map((sum) => sum / energy) : undefined
}

/** Four delays at a time: a command is then fetched once for all of them. */
function addProducts(sums: Float64Array, command: Float64Array, padded: Float64Array): void {
  for (let delay = 0; delay < sums.length; delay += 4) {
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let at = 0, from = delay; at < command.length; at++, from++) {
      const value = command[at] as number
      a += value * (padded[from] as number)
      b += value * (padded[from + 1] as number)
      c += value * (padded[from + 2] as number)
      d += value * (padded[from + 3] as number)
    }
    sums[delay] = (sums[delay] as number) + a
    if (delay + 1 < sums.length) sums[delay + 1] = (sums[delay + 1] as number) + b
    if (delay + 2 < sums.length) sums[delay + 2] = (sums[delay + 2] as number) + c
    if (delay + 3 < sums.length) sums[delay + 3] = (sums[delay + 3] as number) + d
  }
}

function fillSteps(into: Float64Array, rows: Float64Array, width: number, dimension: number, scale: number): void {
  for (let at = 0; at < into.length; at++) {
    const here = at * width + dimension
    into[at] = unwrapStep((rows[here + width] as number) - (rows[here] as number)) * scale
  }
}

/**
 * Takes the mean out, and lets the ends fade: what is cut off there by a delay would move the curve's highest point. The sum of the
 * squares that are left.
 */
function fade(values: Float64Array, ends: number): number {
  let [sum, squares] = [0, 0]
  for (let at = 0; at < values.length; at++) sum += values[at] as number
  const mean = sum / values.length
  for (let at = 0; at < values.length; at++) {
    const near = Math.min(at + 1, values.length - at)
    const weight = near > ends ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * near) / (ends + 1))
    const value = ((values[at] as number) - mean) * weight
    values[at] = value
    squares += value * value
  }
  return squares
}

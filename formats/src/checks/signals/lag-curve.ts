import { unwrapStep } from '../angle-steps.ts'
import type { EpisodeSignals } from '../episode-signals.ts'
import { rangeOf, type SignalFacts } from '../set-facts.ts'

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

/** More joints than this add nothing to the measure. */
const maxDimensions = 64

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
  const [command, reading] = [new Float64Array(steps), new Float64Array(steps)]
  let [ofCommands, ofReadings] = [0, 0]
  for (const dimension of dimensions.slice(0, maxDimensions)) {
    const scales = [1 / rangeOf(action, dimension), 1 / rangeOf(state, dimension)] as const
    fillSteps(reading, readings, state.width, dimension, scales[1])
    if (mode === 'positions') fillSteps(command, commands, action.width, dimension, scales[0])
    else
      for (let at = 0; at < steps; at++) command[at] = (commands[at * action.width + dimension] as number) * scales[0]
    ofCommands += center(command)
    ofReadings += center(reading)
    for (let delay = -reach; delay <= reach; delay++) {
      let sum = 0
      const end = Math.min(steps, steps - delay)
      for (let at = Math.max(0, -delay); at < end; at++)
        sum += (command[at] as number) * (reading[at + delay] as number)
      sums[delay + reach] = (sums[delay + reach] as number) + sum
    }
  }
  const energy = Math.sqrt(ofCommands * ofReadings)
  return energy > 1e-12 ? sums.map((sum) => sum / energy) : undefined
}

function fillSteps(into: Float64Array, rows: Float64Array, width: number, dimension: number, scale: number): void {
  for (let at = 0; at < into.length; at++) {
    const here = at * width + dimension
    into[at] = unwrapStep((rows[here + width] as number) - (rows[here] as number)) * scale
  }
}

/** Takes the mean out; the sum of the squares that are left. */
function center(values: Float64Array): number {
  let [sum, squares] = [0, 0]
  for (const value of values) sum += value
  const mean = sum / values.length
  for (let at = 0; at < values.length; at++) {
    values[at] = (values[at] as number) - mean
    squares += (values[at] as number) ** 2
  }
  return squares
}

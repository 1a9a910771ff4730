import type { Episode } from '../dataset.ts'
import type { NumericArray } from '../feature.ts'
import { toDoubles } from './doubles.ts'
import { traceGrippers } from './gripper-traces.ts'
import { countFrames, type MotionSignal } from './motion-signal.ts'

/** One episode, frame by frame: entry i of each is about what happens from frame i on. Some fifty bytes a frame. */
export interface EpisodeTraces {
  readonly frames: number
  /** Length of the step to the next frame, every dimension divided by its range. */
  readonly lengths: Float64Array
  /** The same over two frames: length of the second difference. */
  readonly bends: Float64Array
  /** The arm alone, noise held down, jumps taken out: its step to the next frame. */
  readonly steps: Float64Array
  /** Its step averaged over the next `driftFrames` frames, which noise and a tremor hardly change. */
  readonly drifts: Float64Array
  readonly driftFrames: number
  /** Length of the third difference over `joltFrames` frames each: what is left when smooth motion is taken away. */
  readonly jolts: Float64Array
  readonly joltFrames: number
  /** 1 while a gripper is being moved. */
  readonly gripping: Uint8Array
}

const driftSeconds = 0.2
export const countDriftFrames = (fps: number): number => countFrames(driftSeconds, fps)
/** A tremor of 3 to 10 Hz shows best over this. */
const joltSeconds = 0.05

export async function traceEpisode(
  episode: Episode,
  signal: MotionSignal,
  fps: number,
  abort?: AbortSignal,
): Promise<EpisodeTraces> {
  const frames = episode.length
  const driftFrames = countDriftFrames(fps)
  const joltFrames = countFrames(joltSeconds, fps)
  const traces = {
    frames,
    lengths: new Float64Array(Math.max(0, frames - 1)),
    bends: new Float64Array(Math.max(0, frames - 2)),
    steps: new Float64Array(Math.max(0, frames - 1)),
    drifts: new Float64Array(Math.max(0, frames - driftFrames)),
    driftFrames,
    jolts: new Float64Array(Math.max(0, frames - 3 * joltFrames)),
    joltFrames,
  }
  const commands = signal.grippers.map(() => new Float64Array(frames))
  const readings = signal.grippers.map(({ reading }) => reading && new Float64Array(frames))
  const hasAction = signal.grippers.some(({ command }) => command.feature === 'action')
  const { actionName = 'action' } = signal
  const request = { columns: hasAction ? [signal.name, actionName] : [signal.name], ...(abort && { signal: abort }) }
  const whole = new RowTail(signal.dimensions.length, 3)
  const arm = new RowTail(signal.arm.length, Math.max(driftFrames, 3 * joltFrames) + 1)
  const unjump = createUnjump(signal)
  const held = new Map<number, number>()
  let frame = 0
  for await (const { columns } of episode.readBlocks(request)) {
    const values = holdGaps(toDoubles(columns.get(signal.name) as NumericArray), signal.width, held)
    const action = hasAction ? toDoubles(columns.get(actionName) as NumericArray) : values
    const actionWidth = (action.length * signal.width) / Math.max(1, values.length)
    for (let at = 0; at < values.length; at += signal.width, frame++) {
      const place = whole.push()
      for (const [index, dimension] of signal.dimensions.entries())
        whole.rows[place + index] = (values[at + dimension] as number) * (signal.scales[index] as number)
      unjump(values, at, arm)
      if (frame >= 1) {
        traces.lengths[frame - 1] = whole.measure(1)
        traces.steps[frame - 1] = arm.measure(1)
      }
      if (frame >= 2) traces.bends[frame - 2] = whole.measureSecond()
      if (frame >= driftFrames) traces.drifts[frame - driftFrames] = arm.measure(driftFrames) / driftFrames
      if (frame >= 3 * joltFrames) traces.jolts[frame - 3 * joltFrames] = arm.measureThird(joltFrames)
      for (const [index, { command, reading }] of signal.grippers.entries()) {
        const from = command.feature === 'action' ? action : values
        const row = command.feature === 'action' ? (at / signal.width) * actionWidth : at
        ;(commands[index] as Float64Array)[frame] = from[row + command.dimension] as number
        if (reading) (readings[index] as Float64Array)[frame] = values[at + reading.dimension] as number
      }
    }
  }
  return { ...traces, gripping: traceGrippers(signal.grippers, commands, readings, frames, fps) }
}

/** Takes out what no arm moves in one frame, so that an angle goes on where it wraps. */
function createUnjump({ arm }: MotionSignal): (values: Float64Array, at: number, tail: RowTail) => void {
  const last = new Float64Array(arm.length)
  const offsets = new Float64Array(arm.length)
  let isFirst = true
  return (values, at, tail) => {
    const place = tail.push()
    for (const [index, { dimension, scale, jump }] of arm.entries()) {
      const value = values[at + dimension] as number
      const moved = value - (last[index] as number)
      if (!isFirst && Math.abs(moved) > jump) offsets[index] = (offsets[index] as number) - moved
      last[index] = value
      tail.rows[place + index] = (value + (offsets[index] as number)) * scale
    }
    isFirst = false
  }
}

/** A value that is no number is taken for the one before. `held` is the last row of the block before. */
function holdGaps(values: Float64Array, width: number, held: Map<number, number>): Float64Array {
  let filled = values
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number
    if (Number.isFinite(value)) continue
    if (filled === values) filled = values.slice()
    filled[at] = at >= width ? (filled[at - width] as number) : (held.get(at) ?? 0)
  }
  for (let dimension = 0; dimension < width; dimension++)
    held.set(dimension, filled[filled.length - width + dimension] as number)
  return filled
}

/** The last rows of an episode, in a ring. */
class RowTail {
  readonly rows: Float64Array
  readonly #width: number
  readonly #count: number
  #last = -1

  constructor(width: number, count: number) {
    this.#width = width
    this.#count = count
    this.rows = new Float64Array(width * count)
  }

  /** Where the next row is to be put. */
  push(): number {
    this.#last = (this.#last + 1) % this.#count
    return this.#last * this.#width
  }

  /** Between the last row and the one `back` before it. */
  measure(back: number): number {
    const [here, there] = [this.#placeOf(0), this.#placeOf(back)]
    let square = 0
    for (let index = 0; index < this.#width; index++)
      square += ((this.rows[here + index] as number) - (this.rows[there + index] as number)) ** 2
    return Math.sqrt(square)
  }

  measureSecond(): number {
    const [a, b, c] = [this.#placeOf(2), this.#placeOf(1), this.#placeOf(0)]
    let square = 0
    for (let index = 0; index < this.#width; index++) {
      const middle = this.rows[b + index] as number
      square += ((this.rows[c + index] as number) - 2 * middle + (this.rows[a + index] as number)) ** 2
    }
    return Math.sqrt(square)
  }

  measureThird(lag: number): number {
    const [a, b, c, d] = [this.#placeOf(3 * lag), this.#placeOf(2 * lag), this.#placeOf(lag), this.#placeOf(0)]
    let square = 0
    for (let index = 0; index < this.#width; index++) {
      const inner = (this.rows[c + index] as number) - (this.rows[b + index] as number)
      square += ((this.rows[d + index] as number) - 3 * inner - (this.rows[a + index] as number)) ** 2
    }
    return Math.sqrt(square)
  }

  #placeOf(back: number): number {
    return ((this.#last - back + this.#count) % this.#count) * this.#width
  }
}

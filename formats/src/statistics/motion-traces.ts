import type { Episode } from '../dataset.ts'
import type { NumericArray } from '../feature.ts'
import { isAllFinite, toDoubles } from './doubles.ts'
import { traceGrippers } from './gripper-traces.ts'
import { type ArmDimension, countFrames, type MotionSignal } from './motion-signal.ts'
import { RowWindow } from './row-window.ts'

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
  const hasAction = signal.grippers.some(({ command }) => command.feature === 'action')
  const { actionName = 'action' } = signal
  const request = { columns: hasAction ? [signal.name, actionName] : [signal.name], ...(abort && { signal: abort }) }
  const tracer = new Tracer(signal, episode.length, fps)
  for await (const { columns } of episode.readBlocks(request)) {
    const values = toDoubles(columns.get(signal.name) as NumericArray)
    tracer.add(values, hasAction ? toDoubles(columns.get(actionName) as NumericArray) : values)
  }
  return tracer.finish()
}

/** The same of rows that are in memory. */
export function traceRows(
  values: Float64Array,
  action: Float64Array | undefined,
  frames: number,
  signal: MotionSignal,
  fps: number,
): EpisodeTraces {
  const tracer = new Tracer(signal, frames, fps)
  if (frames > 0) tracer.add(values, action ?? values)
  return tracer.finish()
}

/** Gets the rows of an episode in order. What it does for every value are small functions of numbers, which V8 compiles once. */
class Tracer {
  readonly #signal: MotionSignal
  readonly #fps: number
  readonly #traces: Omit<EpisodeTraces, 'gripping'>
  readonly #whole: RowWindow
  readonly #arm: RowWindow
  readonly #unjump: Unjump
  readonly #commands: Float64Array[]
  readonly #readings: (Float64Array | null)[]
  readonly #held: Float64Array
  #frame = 0

  constructor(signal: MotionSignal, frames: number, fps: number) {
    const driftFrames = countDriftFrames(fps)
    const joltFrames = countFrames(joltSeconds, fps)
    this.#signal = signal
    this.#fps = fps
    this.#traces = {
      frames,
      lengths: new Float64Array(Math.max(0, frames - 1)),
      bends: new Float64Array(Math.max(0, frames - 2)),
      steps: new Float64Array(Math.max(0, frames - 1)),
      drifts: new Float64Array(Math.max(0, frames - driftFrames)),
      driftFrames,
      jolts: new Float64Array(Math.max(0, frames - 3 * joltFrames)),
      joltFrames,
    }
    this.#whole = new RowWindow(signal.dimensions.length, 2)
    this.#arm = new RowWindow(signal.arm.length, Math.max(driftFrames, 3 * joltFrames))
    // Nothing is a jump from what is no number.
    const last = new Float64Array(signal.arm.length).fill(Number.NaN)
    this.#unjump = { stride: signal.width, last, offsets: new Float64Array(signal.arm.length) }
    this.#commands = signal.grippers.map(() => new Float64Array(frames))
    this.#readings = signal.grippers.map(({ reading }) => reading && new Float64Array(frames))
    this.#held = new Float64Array(signal.width)
  }

  add(read: Float64Array, action: Float64Array): void {
    const { width, grippers } = this.#signal
    const values = holdGaps(read, width, this.#held)
    const count = values.length / width
    const actionWidth = action === read ? width : action.length / Math.max(1, count)
    for (const [index, { command, reading }] of grippers.entries()) {
      const isAction = command.feature === 'action'
      const [from, fromWidth] = isAction && action !== read ? [action, actionWidth] : [values, width]
      copyColumn(this.#commands[index] as Float64Array, this.#frame, from, command.dimension, fromWidth)
      const into = this.#readings[index]
      if (into && reading) copyColumn(into, this.#frame, values, reading.dimension, width)
    }
    for (let row = 0; row < count; row += this.#arm.capacity)
      this.#measure(values, row, Math.min(this.#arm.capacity, count - row))
  }

  #measure(values: Float64Array, row: number, count: number): void {
    const { width, dimensions, scales, arm } = this.#signal
    const { lengths, bends, steps, drifts, driftFrames, jolts, joltFrames } = this.#traces
    const [whole, moved, frame] = [this.#whole, this.#arm, this.#frame]
    whole.begin(count)
    for (const [index, dimension] of dimensions.entries())
      fillScaled(whole, index, values.subarray(row * width + dimension), width, scales[index] as number)
    moved.begin(count)
    for (const [index, joint] of arm.entries())
      fillUnjumped(moved, index, values.subarray(row * width), joint, this.#unjump)
    whole.measureSteps(lengths, frame, 1)
    moved.measureSteps(steps, frame, 1)
    whole.measureBends(bends, frame)
    moved.measureSteps(drifts, frame, driftFrames)
    moved.measureJolts(jolts, frame, joltFrames)
    this.#frame += count
  }

  finish(): EpisodeTraces {
    const { grippers } = this.#signal
    const { frames } = this.#traces
    return {
      ...this.#traces,
      gripping: traceGrippers(grippers, this.#commands, this.#readings, frames, this.#fps),
    }
  }
}

function copyColumn(into: Float64Array, start: number, from: Float64Array, first: number, width: number): void {
  for (let at = first, frame = start; at < from.length && frame < into.length; at += width, frame++)
    into[frame] = from[at] as number
}

function fillScaled(
  { rows, width, first, last }: RowWindow,
  index: number,
  values: Float64Array,
  stride: number,
  scale: number,
): void {
  for (let row = first, at = 0; row < last; row++, at += stride)
    rows[row * width + index] = (values[at] as number) * scale
}

/** By dimension of an arm: its value a frame before, and what was taken out of it so far. */
interface Unjump {
  /** Of the rows that the arm's values are in. */
  readonly stride: number
  readonly last: Float64Array
  readonly offsets: Float64Array
}

/** Takes out what no arm moves in one frame, so that an angle goes on where it wraps. */
function fillUnjumped(
  { rows, width, first, last }: RowWindow,
  index: number,
  values: Float64Array,
  { dimension, scale, jump }: ArmDimension,
  unjump: Unjump,
): void {
  const { stride } = unjump
  let before = unjump.last[index] as number
  let offset = unjump.offsets[index] as number
  for (let row = first, at = dimension; row < last; row++, at += stride) {
    const value = values[at] as number
    const moved = value - before
    if (Math.abs(moved) > jump) offset -= moved
    before = value
    rows[row * width + index] = (value + offset) * scale
  }
  unjump.last[index] = before
  unjump.offsets[index] = offset
}

/** A value that is no number is taken for the one before. `held` is the last row of the block before. */
function holdGaps(values: Float64Array, width: number, held: Float64Array): Float64Array {
  let filled = values
  if (!isAllFinite(values)) {
    filled = values.slice()
    for (let at = 0; at < filled.length; at++)
      if (!Number.isFinite(filled[at])) filled[at] = (at >= width ? filled[at - width] : held[at]) as number
  }
  if (filled.length >= width) held.set(filled.subarray(filled.length - width))
  return filled
}

import { countFrames, type GripperChannel } from './motion-signal.ts'

const changeSeconds = 0.2
/** Of a gripper's range: what it must move within `CHANGE_SECONDS` to be opening or closing, and what a step of it is. */
const changeShare = 0.05
const stepShare = 0.0025
/** A gripper starts some time after its command, and has arrived when its reading is calm. */
const startSeconds = 0.15
const calmSeconds = 0.1
const calmShare = 0.01
/** How long it is taken to move where nothing reports it. */
const blindSeconds = 0.3

/**
 * Which frames belong to a grasp or a release: from the change of the command until the gripper has arrived. A gripper that settles
 * without being told to, as at the start of a recording, is not being moved.
 */
export function traceGrippers(
  channels: readonly GripperChannel[],
  commands: readonly Float64Array[],
  readings: readonly (Float64Array | null)[],
  frames: number,
  fps: number,
): Uint8Array {
  const gripping = new Uint8Array(Math.max(0, frames - 1))
  for (const [index, { command, reading }] of channels.entries()) {
    const values = commands[index] as Float64Array
    const changes = new Uint8Array(gripping.length)
    if (command.isSwitch)
      for (let frame = 0; frame < changes.length; frame++) changes[frame] = values[frame + 1] === values[frame] ? 0 : 1
    else markOpening(changes, values, command.range, countFrames(changeSeconds, fps))
    const reported = readings[index]
    if (reading && reported) followReading(gripping, changes, reported, reading.range * calmShare, fps)
    else {
      const after = command.isSwitch ? countFrames(blindSeconds, fps) : 1
      for (let frame = 0; frame < changes.length; frame++) if (changes[frame]) gripping.fill(1, frame, frame + after)
    }
  }
  return gripping
}

function markOpening(changes: Uint8Array, values: Float64Array, range: number, window: number): void {
  const isStep = (frame: number): boolean =>
    Math.abs((values[frame + 1] as number) - (values[frame] as number)) > range * stepShare
  for (let from = 0; from + window < values.length; from++) {
    if (Math.abs((values[from + window] as number) - (values[from] as number)) <= range * changeShare) continue
    let [start, end] = [from, from + window]
    while (start < end && !isStep(start)) start++
    while (end > start && !isStep(end - 1)) end--
    changes.fill(1, start, end)
  }
}

function followReading(
  gripping: Uint8Array,
  changes: Uint8Array,
  reading: Float64Array,
  calmStep: number,
  fps: number,
): void {
  const least = countFrames(startSeconds, fps)
  const calmFrames = Math.max(2, countFrames(calmSeconds, fps))
  let since = -1
  let calm = 0
  for (let frame = 0; frame < changes.length; frame++) {
    if (changes[frame]) since = calm = 0
    if (since < 0) continue
    gripping[frame] = 1
    since++
    const moved = Math.abs((reading[frame + 1] as number) - (reading[frame] as number))
    calm = moved < calmStep ? calm + 1 : 0
    if (since >= least && calm >= calmFrames) since = -1
  }
}

import { findMedian } from '../../statistics/usual.ts'
import { unwrapStep } from '../angle-steps.ts'
import { nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { listArm, rangeOf } from '../set-facts.ts'
import { comparedDimensions } from '../unmeasured.ts'

const sustainedSeconds = 0.5
const delaySeconds = 0.2
/** However large it usually is: this many times as much. */
const usualTimes = 4

/** The longest time for which an error was not smaller. */
interface Worst {
  readonly error: number
  readonly frames: readonly [number, number]
}

export const commandError: Rule = {
  id: 'command-error',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the range',
  cutOff: 0.1,
  found: 'above',
  loosest: 0.05,
  sentence:
    'For half a second or longer, state and action of a joint are farther apart than this share of its range, and four times as far as in the other episodes. Sets whose commands are positions only.',
  remedy: 'Look for a joint that is blocked, a wrong zero after a restart or a command that was not sent.',
  begin: ({ state, action, isPositional, fps }, report) => {
    if (!state || !action || !isPositional) return {}
    const commanded = new Set(listArm(action))
    const joints = listArm(state)
      .filter((dimension) => commanded.has(dimension))
      .slice(0, comparedDimensions)
      .map((dimension) => ({
        dimension,
        width: state.width,
        range: Math.max(rangeOf(state, dimension), rangeOf(action, dimension)),
        delay: Math.round(delaySeconds * fps),
      }))
    const window = Math.max(2, Math.round(sustainedSeconds * fps))
    const worst = joints.map(() => new Map<number, Worst>())
    return {
      look(episode) {
        const { position, frames, state: readings, action: commands } = episode
        if (frames < window || !readings || !commands) return
        for (const [index, joint] of joints.entries())
          worst[index]?.set(position, findSustained(readings, commands, frames, joint, window))
      },
      conclude() {
        for (const [index, { dimension }] of joints.entries()) {
          const list = worst[index] ?? new Map<number, Worst>()
          const usual = findMedian(Float64Array.from(list.values(), ({ error }) => error))
          for (const [position, { error, frames }] of list) {
            if (error <= Math.max(report.cutOff, usualTimes * usual)) continue
            const sentence = `${state.labels[dimension]} is off its command by at least ${(error * 100).toFixed(0)} % of its range at ${nameFrames(frames)}; ${(usual * 100).toFixed(1)} % is usual.`
            report.flag({ position, frames, feature: state.name }, error, sentence)
          }
        }
      },
    }
  },
}

interface Joint {
  readonly dimension: number
  readonly width: number
  readonly range: number
  readonly delay: number
}

/**
 * The largest error that lasts for the window, and for which frames it does. From the end of each window backwards: a frame whose error
 * is no larger than one that lasted elsewhere rules out every window that holds it.
 */
function findSustained(
  readings: Float64Array,
  commands: Float64Array,
  frames: number,
  joint: Joint,
  window: number,
): Worst {
  let error = 0
  let at = 0
  for (let from = 0; from + window <= frames; ) {
    let least = Number.POSITIVE_INFINITY
    let frame = from + window - 1
    for (; frame >= from; frame--) {
      const here = measureError(readings, commands, frame, joint, error)
      if (here <= error) break
      if (here < least) least = here
    }
    if (frame < from) {
      error = least
      at = from
    }
    from = Math.max(from, frame) + 1
  }
  const lasts = (frame: number): boolean => measureError(readings, commands, frame, joint, 0) >= error / 2
  let from = at
  let to = at + window
  while (from > 0 && lasts(from - 1)) from--
  while (to < frames && lasts(to)) to++
  return { error, frames: [from, Math.min(to, frames)] }
}

/**
 * At a frame; no more than `enough` is looked for. An arm follows late: the command is held against where its joint is within the next
 * fifth of a second.
 */
function measureError(
  readings: Float64Array,
  commands: Float64Array,
  frame: number,
  { width, dimension, range, delay }: Joint,
  enough: number,
): number {
  const first = frame * width + dimension
  const command = commands[first] as number
  const end = Math.min(readings.length, first + delay * width + 1)
  let least = Number.POSITIVE_INFINITY
  for (let at = first; at < end; at += width) {
    const error = Math.abs(unwrapStep(command - (readings[at] as number)))
    if (error >= least) continue
    least = error
    if (least / range <= enough) break
  }
  return least / range
}

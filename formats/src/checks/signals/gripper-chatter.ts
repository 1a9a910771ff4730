import { nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { isMeasuredByAction, type SignalFacts } from '../set-facts.ts'

/** Shares of the range that have to be crossed, one after the other, to count as opening or shutting. */
const low = 0.35
const high = 0.65
const windowSeconds = 1

export const gripperChatter: Rule = {
  id: 'gripper-chatter',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'Hz',
  cutOff: 2,
  found: 'from',
  loosest: null,
  sentence: 'A gripper opens and shuts at least this many times in one second.',
  remedy: 'Look for a noisy trigger or a controller that swings; leave the episode out, or smooth the action.',
  begin: (set, report) => {
    const { scale, fps, state, action } = set
    const channels = (scale?.signal.grippers ?? []).map(({ command }) => {
      const isAction = command.feature === 'action' || isMeasuredByAction(set)
      return { dimension: command.dimension, isAction, facts: isAction ? action : state }
    })
    const perWindow = Math.max(2, Math.ceil(report.cutOff * windowSeconds * 2))
    const windowFrames = Math.round(windowSeconds * fps)
    return {
      look({ position, frames, ...signals }) {
        for (const { dimension, isAction, facts } of channels) {
          const rows = isAction ? signals.action : signals.state
          if (!rows || !facts) continue
          const turns = listTurns(rows, frames, dimension, facts)
          for (const [first, last, count] of joinTurns(turns, perWindow, windowFrames)) {
            const run = [first, last + 1] as const
            const hertz = ((count - 1) / 2 / Math.max(1, last - first)) * fps
            const sentence = `${facts.labels[dimension]} of ${facts.name} opens and shuts ${Math.floor(count / 2)} times (${nameFrames(run)}), ${hertz.toFixed(1)} times a second.`
            report.flag({ position, frames: run, feature: facts.name }, hertz, sentence)
          }
        }
      },
    }
  },
}

/** Frames at which it is open and was shut before, or the other way round. */
function listTurns(rows: Float64Array, frames: number, dimension: number, { width, min, max }: SignalFacts): number[] {
  const turns: number[] = []
  const least = min[dimension] as number
  const range = (max[dimension] as number) - least
  let side = -1
  for (let frame = 0, at = dimension; frame < frames; frame++, at += width) {
    const share = ((rows[at] as number) - least) / range
    const now = share < low ? 0 : share > high ? 1 : side
    if (now === side) continue
    if (side >= 0) turns.push(frame)
    side = now
  }
  return turns
}

/** Runs in which every window has that many turns. */
function joinTurns(turns: readonly number[], perWindow: number, windowFrames: number) {
  const runs: [first: number, last: number, count: number][] = []
  for (let at = 0; at + perWindow - 1 < turns.length; at++) {
    const [first, last] = [turns[at] as number, turns[at + perWindow - 1] as number]
    if (last - first > windowFrames) continue
    const before = runs.at(-1)
    if (before && first <= before[1]) {
      before[2] += turns.filter((turn) => turn > before[1] && turn <= last).length
      before[1] = Math.max(before[1], last)
    } else runs.push([first, last, perWindow])
  }
  return runs
}

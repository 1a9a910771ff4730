import { findMedian } from '../../statistics/usual.ts'
import type { Rule, RuleReport } from '../rule.ts'
import { listArm, type SetFacts } from '../set-facts.ts'
import { alignCurves } from './lag-alignment.ts'
import { correlateCommands } from './lag-curve.ts'

const reachSeconds = 0.4
const spareFrames = 7
const maxReach = 60
/** Under this the episode does not follow its commands as the others do, and a delay says little of it. */
const leastConfidence = 0.8
const minEpisodes = 3
const margin = 0.002

/** Commands that are positions are compared by their steps, those that are steps as they are: whichever the set answers to. */
const modes = ['positions', 'steps'] as const

export const lag: Rule = {
  id: 'lag',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'frames',
  cutOff: 1,
  found: 'from',
  loosest: 1,
  sentence:
    'By how many frames the state follows the action (cross-correlation of their motion), for every episode with its confidence; found where an episode differs from the set’s own delay by at least this much.',
  remedy: 'Shift the action back (`action.shift_frames`), or leave the episode out.',
  begin: (set, report) => {
    const { state, action, isParallel } = set
    if (!state || !action || !isParallel) return {}
    const commanded = new Set(listArm(action))
    const dimensions = listArm(state).filter((dimension) => commanded.has(dimension))
    const reach = Math.min(maxReach, Math.round(reachSeconds * set.fps) + spareFrames)
    const curves = modes.map(() => new Map<number, Float64Array>())
    return {
      look(episode) {
        const both = correlateCommands(episode, { state, action, dimensions, reach })
        for (const [index, mode] of modes.entries()) {
          const curve = both[mode]
          if (curve) curves[index]?.set(episode.position, curve)
        }
      },
      conclude() {
        const strengthOf = (group: Map<number, Float64Array>): number =>
          findMedian(Float64Array.from(group.values(), (curve) => Math.max(...curve)))
        const [best] = curves.toSorted((a, b) => strengthOf(b) - strengthOf(a))
        if (best && best.size > 0) tell(best, reach, set, report)
      },
    }
  },
}

function tell(curves: ReadonlyMap<number, Float64Array>, reach: number, set: SetFacts, report: RuleReport): void {
  const { aligned, strength } = alignCurves(curves, reach, margin)
  const usual = findMedian(Float64Array.from(aligned, ({ peak }) => peak))
  const told = Number(usual.toFixed(1))
  const agreeing = aligned.filter(({ shift, confidence }) => shift === 0 && confidence >= leastConfidence).length
  report.measureSet({
    value: told,
    confidence: strength,
    agreeing,
    measured: aligned.length,
    sentence: `The state follows the action by ${told} frames; confidence ${strength.toFixed(2)}, and ${agreeing} of ${aligned.length} episodes agree.`,
  })
  for (const { position, shift, peak, confidence } of aligned) {
    report.rank(position, peak, { confidence: Math.round(confidence * 1000) / 1000 })
    if (Math.abs(shift) < report.cutOff || confidence < leastConfidence || aligned.length < minEpisodes) continue
    // Both have to say so: the whole of its curve, and where that is highest.
    if (Math.abs(peak - usual) < 0.5) continue
    const words = shift > 0 ? `${shift} later` : `${-shift} earlier`
    const sentence = `The state follows the action by ${peak} frames, ${words} than in the set (${told}); confidence ${confidence.toFixed(2)}.`
    const length = set.lengths[position] as number
    report.flag(
      { position, frames: [0, length], feature: set.action?.name ?? 'action' },
      peak,
      sentence,
      Math.abs(shift),
    )
  }
}

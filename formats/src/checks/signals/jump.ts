import { unwrapStep } from '../angle-steps.ts'
import type { DimensionSpans } from '../dimension-spans.ts'
import { takeSignal } from '../episode-signals.ts'
import { nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { listArm, rangeOf, type SignalFacts } from '../set-facts.ts'

/** However slow a dimension usually is: less than this share of its range is no jump. */
const leastShare = 0.1
/** There and back again is one jump. */
const joinedFrames = 3
/** Steps from this size on are told together, however large a jump has to be to be told at all. */
const joinedSize = 3

export const jump: Rule = {
  id: 'jump',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'times the fastest usual step',
  cutOff: 5,
  found: 'above',
  loosest: joinedSize,
  sentence:
    'A dimension of the state, or of an action of positions, moves in one frame by more than this many times what only one step in a hundred reaches.',
  remedy:
    'Look at the frames: a lost reading, a wrong calibration, two recordings in one. Trim or leave the episode out.',
  begin: ({ state, action, isPositional }, report) => ({
    look(episode) {
      // A command that says how fast to move may change at any frame.
      for (const facts of isPositional || !state ? [state, action] : [state]) {
        const { rows, spans } = takeSignal(episode, facts)
        if (!facts || !rows || !spans) continue
        for (const { frames, size, dimension } of listJumps(rows, spans, facts, report.cutOff)) {
          if (size <= report.cutOff) continue
          const sentence = `${facts.labels[dimension]} of ${facts.name} jumps at ${nameFrames(frames)}: ${size.toFixed(1)} times its fastest usual step.`
          report.flag({ position: episode.position, frames, feature: facts.name }, size, sentence)
        }
      }
    },
  }),
}

interface Jump {
  frames: [from: number, to: number]
  size: number
  dimension: number
}

/** The first frame of each is the first that is somewhere else. */
function listJumps(rows: Float64Array, { fastest }: DimensionSpans, facts: SignalFacts, cutOff: number): Jump[] {
  const jumps: Jump[] = []
  const leastSize = Math.min(cutOff, joinedSize)
  const arm = listArm(facts)
    .map((dimension) => ({
      dimension,
      usual: facts.fastStep[dimension] as number,
      least: leastShare * rangeOf(facts, dimension),
    }))
    .filter(({ dimension, usual, least }) => {
      const most = fastest[dimension] as number
      return most / usual > leastSize && most >= least
    })
  if (arm.length === 0) return jumps
  const frames = rows.length / facts.width
  for (let frame = 1; frame < frames; frame++) {
    for (const { dimension, usual, least } of arm) {
      const at = frame * facts.width + dimension
      const step = Math.abs(unwrapStep((rows[at] as number) - (rows[at - facts.width] as number)))
      const size = step / usual
      if (!(size > leastSize) || step < least) continue
      const before = jumps.at(-1)
      if (!before || frame - before.frames[1] >= joinedFrames)
        jumps.push({ frames: [frame, frame + 1], size, dimension })
      else {
        before.frames[1] = frame + 1
        if (size > before.size) Object.assign(before, { size, dimension })
      }
    }
  }
  return jumps
}

import type { FrameRange } from '../../frame-ranges.ts'
import type { DimensionSpans } from '../dimension-spans.ts'
import { takeSignal } from '../episode-signals.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { listArm, rangeOf, type SignalFacts } from '../set-facts.ts'

/** Of the range: a limit cuts values to one number. */
const sameShare = 1e-6
const leastFrames = 3
/** What comes to rest by itself slows down before: its last step is less than this share of the one before. */
const slowingShare = 0.3
/** Of the fastest usual step. */
const movingShare = 0.1
/** Of the first and last frames on the value: a limit is met at any speed, so that many look like slowing down; of rests none is abrupt. */
const abruptShare = 0.25
/** One episode has the highest value of any set; a limit is met by several. */
const minEpisodes = 2

interface Clip {
  readonly position: number
  readonly run: FrameRange
  /** 0 to 2: how many of its ends are no coming to rest. */
  readonly abruptEnds: number
}

export const saturation: Rule = {
  id: 'saturation',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'seconds',
  cutOff: 0.2,
  found: 'above',
  loosest: null,
  sentence:
    'A dimension runs into the end of the set’s own range without slowing down and stays on exactly that value for longer than this before it leaves it again, in two episodes or more.',
  remedy: 'Widen the limit of the sensor or controller and record again; a policy learns the clipped motion.',
  begin: ({ state, action, fps }, report) => {
    const minFrames = Math.max(leastFrames, Math.ceil(report.cutOff * fps))
    const sides = [state, action].flatMap((facts) =>
      facts
        ? listArm(facts).flatMap((dimension) =>
            (['min', 'max'] as const).map((end) => ({ facts, dimension, end, clips: [] as Clip[] })),
          )
        : [],
    )
    return {
      look(episode) {
        const { position, frames } = episode
        for (const side of sides) {
          const { rows, spans } = takeSignal(episode, side.facts)
          if (!rows || !spans || !isMet(spans, side)) continue
          for (const clip of listClipped(rows, frames, side, minFrames)) side.clips.push({ position, ...clip })
        }
      },
      conclude() {
        for (const { facts, dimension, end, clips } of sides) {
          if (new Set(clips.map(({ position }) => position)).size < minEpisodes) continue
          if (clips.reduce((sum, { abruptEnds }) => sum + abruptEnds, 0) < abruptShare * 2 * clips.length) continue
          const value = Number((facts[end][dimension] as number).toPrecision(4))
          for (const { position, run } of clips) {
            const seconds = (run[1] - run[0]) / fps
            const sentence = `${facts.labels[dimension]} of ${facts.name} is held at ${value}, the ${end === 'min' ? 'lowest' : 'highest'} value of the set, for ${seconds.toFixed(2)} s (${nameFrames(run)}).`
            report.flag({ position, frames: run, feature: facts.name }, seconds, sentence)
          }
        }
      },
    }
  },
}

interface Side {
  readonly facts: SignalFacts
  readonly dimension: number
  readonly end: 'min' | 'max'
}

/** Whether any value of the episode lies at that end of the set's range. */
const isMet = (spans: DimensionSpans, { facts, dimension, end }: Side): boolean =>
  Math.abs((spans[end][dimension] as number) - (facts[end][dimension] as number)) <=
  sameShare * rangeOf(facts, dimension)

function listClipped(rows: Float64Array, frames: number, { facts, dimension, end }: Side, minFrames: number) {
  const limit = facts[end][dimension] as number
  const near = sameShare * rangeOf(facts, dimension)
  const valueAt = (frame: number): number => rows[frame * facts.width + dimension] as number
  const isAbrupt = (at: number, back: 1 | -1): boolean => {
    const last = Math.abs(valueAt(at) - valueAt(at - back))
    const before = Math.abs(valueAt(at - back) - valueAt(at - 2 * back))
    return before > movingShare * (facts.fastStep[dimension] as number) && last > slowingShare * before
  }
  return listRuns(frames, (frame) => Math.abs(valueAt(frame) - limit) <= near, minFrames)
    .filter(([from, to]) => from >= 2 && to + 1 < frames)
    .map((run) => ({ run, abruptEnds: Number(isAbrupt(run[0], 1)) + Number(isAbrupt(run[1] - 1, -1)) }))
}

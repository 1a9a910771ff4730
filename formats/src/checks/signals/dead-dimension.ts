import { countKept } from '../../frame-ranges.ts'
import { type EpisodeSignals, takeSignal } from '../episode-signals.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule, RuleReport } from '../rule.ts'
import { listArm, rangeOf, type SetFacts, type SignalFacts } from '../set-facts.ts'

/** A dimension that rests in more than this share of the episodes may do so in any. */
const restingShare = 0.2
const minEpisodes = 5
const idleShare = 0.9
/** Of its range: what the command has to move while the reading does not. */
const commandShare = 0.1
/** What starts moving is told to a little before. */
const startSeconds = 0.25

export const deadDimension: Rule = {
  id: 'dead-dimension',
  family: 'signals',
  kind: 'flag',
  severity: 'warning',
  unit: 'seconds',
  cutOff: 0.5,
  found: 'from',
  loosest: null,
  sentence:
    'A dimension has exactly one value for at least this long while its command moves, or during a whole episode although it moves in the others.',
  remedy: 'Look for a cable, a driver or a message that stopped; leave the episode out.',
  begin: (set, report) => {
    const whole = [set.state, set.action].flatMap((facts) => (facts ? [watchWhole(facts, set, report)] : []))
    return {
      look(episode) {
        for (const watch of whole) watch.look(episode)
        findStuck(episode, set, report)
      },
      conclude() {
        for (const watch of whole) watch.conclude()
      },
    }
  },
}

function watchWhole(facts: SignalFacts, set: SetFacts, report: RuleReport) {
  const resting = new Map<number, { position: number; frames: number }[]>()
  const arm = listArm(facts)
  return {
    look(episode: EpisodeSignals): void {
      const { spans } = takeSignal(episode, facts)
      if (!spans || episode.frames < report.cutOff * set.fps || countKept(episode.idle) > idleShare * episode.frames)
        return
      for (const dimension of arm) {
        if ((spans.max[dimension] as number) > (spans.min[dimension] as number)) continue
        const list = resting.get(dimension) ?? []
        list.push({ position: episode.position, frames: episode.frames })
        resting.set(dimension, list)
      }
    },
    conclude(): void {
      if (set.episodeCount < minEpisodes) return
      for (const [dimension, list] of resting) {
        if (list.length > restingShare * set.episodeCount) continue
        for (const { position, frames } of list) {
          const sentence = `${facts.labels[dimension]} of ${facts.name} does not change in the whole episode; it moves in ${set.episodeCount - list.length} others.`
          report.flag({ position, frames: [0, frames], feature: facts.name }, frames / set.fps, sentence)
        }
      }
    },
  }
}

/** The reading stands still to the last bit while its own command goes on. */
function findStuck(episode: EpisodeSignals, set: SetFacts, report: RuleReport): void {
  const { position, frames, state, action, stateSpans } = episode
  if (!state || !action || !stateSpans || !set.isParallel || !set.state || !set.action) return
  const { width, labels } = set.state
  const minFrames = Math.max(3, Math.ceil(report.cutOff * set.fps))
  const startFrames = Math.ceil(startSeconds * set.fps)
  for (const dimension of listArm(set.state)) {
    if ((stateSpans.longestSame[dimension] as number) < minFrames) continue
    const range = rangeOf(set.action, dimension)
    const valueAt = (frame: number): number => state[frame * width + dimension] as number
    const isSame = (frame: number): boolean => valueAt(frame + 1) === valueAt(frame)
    for (const [from, to] of listRuns(frames - 1, isSame, minFrames)) {
      if (to + 1 >= frames && from === 0) continue
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      for (let frame = from; frame <= to - startFrames; frame++) {
        const command = action[frame * width + dimension] as number
        low = Math.min(low, command)
        high = Math.max(high, command)
      }
      if (range === 0 || high - low < commandShare * range) continue
      const run = [from, to + 1] as const
      const seconds = (to + 1 - from) / set.fps
      const sentence = `${labels[dimension]} of ${set.state.name} stands at one value for ${seconds.toFixed(2)} s (${nameFrames(run)}) while its command moves.`
      report.flag({ position, frames: run, feature: set.state.name }, seconds, sentence)
    }
  }
}

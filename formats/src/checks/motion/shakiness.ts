import { findStandouts } from '../../statistics/standouts.ts'
import type { Rule } from '../rule.ts'
import { EpisodeScores } from './episode-scores.ts'

export const shakiness: Rule = {
  id: 'shakiness',
  family: 'motion',
  kind: 'flag',
  severity: 'warning',
  unit: 'times the median jerk at its pace',
  cutOff: 1.4,
  found: 'from',
  loosest: 1.4,
  sentence:
    'The jerk of the arm against what is usual in the set at its pace, as Insights measures it; found from this factor on, where it is also far from the others.',
  remedy: 'Look at it; smooth the action or leave the episode out.',
  begin: ({ fps, scale, lengths }, report) => {
    const scores = new EpisodeScores(lengths, fps)
    return {
      look({ position, scores: own }) {
        if (own) scores.set(position, own)
      },
      conclude() {
        if (scale?.state !== 'moves') return
        for (const { position, score, label } of findStandouts(scores).highVariance) {
          if (score < report.cutOff) continue
          const frames = [0, lengths[position] as number] as const
          report.flag({ position, frames, feature: scale.signal.name }, score, `The arm shakes: ${label}.`)
        }
      },
    }
  },
}

import { countKept } from '../../frame-ranges.ts'
import { findStandouts } from '../../statistics/standouts.ts'
import type { Rule } from '../rule.ts'
import { EpisodeScores } from './episode-scores.ts'

export const idleShare: Rule = {
  id: 'idle-share',
  family: 'motion',
  kind: 'ranking',
  severity: 'info',
  unit: 'share of the frames',
  cutOff: null,
  found: null,
  loosest: null,
  sentence: 'The share of the frames in rests of at least half a second, by the measure of Insights and `trim.idle`.',
  remedy: 'Trim the rests (`trim.idle`).',
  begin: ({ fps, scale, lengths }, report) => {
    const scores = new EpisodeScores(lengths, fps)
    return {
      look({ position, frames, idle, scores: own }) {
        if (!scale || scale.state === 'switches') return
        if (own) scores.set(position, own)
        scores.share[position] = frames > 0 ? countKept(idle) / frames : 0
      },
      conclude() {
        if (!scale || scale.state === 'switches') return
        const standouts = new Map(findStandouts(scores).lowMotion.map(({ position, label }) => [position, label]))
        for (const [position, share] of scores.share.entries()) {
          const reason = standouts.get(position)
          report.rank(position, share, reason === undefined ? {} : { reason })
        }
      },
    }
  },
}

import type { FrameRange } from '../../frame-ranges.ts'
import { findMedian } from '../../statistics/usual.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'

/** A white table is white in every episode. */
const usualTimes = 2

interface Candidate {
  readonly position: number
  readonly run: FrameRange
  readonly share: number
}

export const overExposed: Rule = {
  id: 'over-exposed',
  family: 'pictures',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the pixels',
  cutOff: 0.2,
  found: 'above',
  loosest: null,
  sentence: 'More than this share of the pixels is as good as white, and twice as much as is usual for the camera.',
  remedy: 'Fix the exposure before recording on; leave the episodes out where the object cannot be seen.',
  begin: (_, report) => {
    const candidates = new Map<string, Candidate[]>()
    const usual = new Map<string, number[]>()
    return {
      watch({ camera, position, frames, burnt }) {
        const shown = Float64Array.from(burnt.subarray(0, frames))
        usual.set(camera, [...(usual.get(camera) ?? []), findMedian(shown)])
        for (const run of listRuns(frames, (frame) => (burnt[frame] as number) > report.cutOff, 1, 1)) {
          const list = candidates.get(camera) ?? []
          list.push({ position, run, share: findMedian(shown.slice(run[0], run[1])) })
          candidates.set(camera, list)
        }
      },
      conclude() {
        for (const [camera, list] of candidates) {
          const limit = Math.max(report.cutOff, usualTimes * findMedian(Float64Array.from(usual.get(camera) ?? [])))
          for (const { position, run, share } of list) {
            if (share <= limit) continue
            const sentence = `${Math.round(share * 100)} % of ${camera} is white at ${nameFrames(run)}.`
            report.flag({ position, frames: run, camera }, share, sentence)
          }
        }
      },
    }
  },
}

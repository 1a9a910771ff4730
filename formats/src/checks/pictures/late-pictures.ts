import { findMedian } from '../../statistics/usual.ts'
import type { Rule } from '../rule.ts'
import { alignCurves } from '../signals/lag-alignment.ts'
import { listSpeeds } from './arm-motion.ts'

const reachSeconds = 0.4
const spareFrames = 7
const maxReach = 40
/** By how much picture and arm agree better there than at the set's own delay: where nothing is late, nothing is gained. */
const leastGain = 0.1
const leastConfidence = 0.7
/** A curve that looks less like the set's may be told by how much is gained. */
const plainGain = 0.3
const plainConfidence = 0.5
/** Light, shadows and what is far from the camera change a picture as the arm does, and at other times. */
const margin = 0.05
const minEpisodes = 3
const flashTimes = 4

export const latePictures: Rule = {
  id: 'late-pictures',
  family: 'pictures',
  kind: 'flag',
  severity: 'warning',
  unit: 'frames',
  cutOff: 2,
  found: 'from',
  loosest: 1,
  sentence:
    'The motion in the picture follows the arm’s speed this many frames later, or earlier, than in the set’s other episodes. Needs some seconds of motion.',
  remedy: 'Leave the episode out, or look at how the camera’s frames are stamped.',
  begin: (set, report) => {
    const reach = Math.min(maxReach, Math.round(reachSeconds * set.fps) + spareFrames)
    const curves = new Map<string, Map<number, Float64Array>>()
    return {
      watch({ camera, position, frames, change }, episode) {
        const shown = Float64Array.from(change.subarray(0, frames))
        // A lamp that is switched on is no motion.
        const most = flashTimes * findMedian(shown.filter((value) => value > 0))
        const motion = shown.map((value) => Math.min(value, most))
        const curve = correlate(listSpeeds(episode, set), motion, reach)
        if (!curve) return
        const ofCamera = curves.get(camera) ?? new Map<number, Float64Array>()
        ofCamera.set(position, curve)
        curves.set(camera, ofCamera)
      },
      conclude() {
        for (const [camera, ofCamera] of curves) {
          const { delay, strength, aligned } = alignCurves(ofCamera, reach, margin)
          if (aligned.length < minEpisodes) continue
          const agreeing = aligned.filter(
            ({ shift, confidence }) => shift === 0 && confidence >= leastConfidence,
          ).length
          report.measureSet({
            camera,
            value: delay,
            confidence: strength,
            agreeing,
            measured: aligned.length,
            sentence: `${camera} shows the arm’s motion ${describeDelay(delay)}; confidence ${strength.toFixed(2)}, and ${agreeing} of ${aligned.length} episodes agree.`,
          })
          for (const { position, shift, confidence } of aligned) {
            if (Math.abs(shift) < report.cutOff || confidence < plainConfidence) continue
            const curve = ofCamera.get(position) as Float64Array
            const gain = (curve[reach + delay + shift] ?? 0) - (curve[reach + delay] as number)
            if (gain < (confidence < leastConfidence ? plainGain : leastGain)) continue
            const words = shift > 0 ? 'later' : 'earlier'
            const sentence = `${camera} shows the arm’s motion ${Math.abs(shift)} frames ${words} than in the other episodes; confidence ${confidence.toFixed(2)}.`
            const frames = [0, set.lengths[position] as number] as const
            report.flag({ position, frames, camera }, shift, sentence, Math.abs(shift))
          }
        }
      },
    }
  },
}

function describeDelay(frames: number): string {
  if (frames === 0) return 'as it happens'
  const count = Math.abs(frames)
  return `${count} ${count === 1 ? 'frame' : 'frames'} ${frames > 0 ? 'later' : 'earlier'}`
}

/** Undefined where the episode is too short or one of the two does not change. */
function correlate(speeds: Float64Array, change: Float64Array, reach: number): Float64Array | undefined {
  const frames = Math.min(speeds.length, change.length)
  if (frames < 3 * reach) return undefined
  const [a, b] = [center(speeds.subarray(1, frames)), center(change.subarray(1, frames))]
  const energy = Math.sqrt(sumSquares(a) * sumSquares(b))
  if (!(energy > 1e-9)) return undefined
  return Float64Array.from({ length: 2 * reach + 1 }, (_, at) => {
    const delay = at - reach
    let sum = 0
    for (let frame = Math.max(0, -delay); frame < Math.min(a.length, a.length - delay); frame++)
      sum += (a[frame] as number) * (b[frame + delay] as number)
    return sum / energy
  })
}

function center(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map((value) => value - mean)
}

const sumSquares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0)

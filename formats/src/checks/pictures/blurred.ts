import { findMedian, findUsual } from '../../statistics/usual.ts'
import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { isBlack } from './camera-traces.ts'

const windowSeconds = 0.5
const minWindows = 8

export const blurred: Rule = {
  id: 'blurred',
  family: 'pictures',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the usual sharpness',
  cutOff: 0.35,
  found: 'below',
  loosest: null,
  sentence:
    'For half a second or longer the sharpness (variance of the Laplacian) is below this share of the camera’s median, and far from all its other pictures.',
  remedy: 'Look at the lens and the focus; leave the episodes out.',
  begin: ({ fps, lengths }, report) => {
    const window = Math.max(2, Math.round(windowSeconds * fps))
    const measured = new Map<string, Map<number, Float64Array>>()
    return {
      watch(traces) {
        const { camera, position, frames, sharpness } = traces
        const windows = Float64Array.from({ length: Math.ceil(frames / window) }, (_, at) => {
          const [from, to] = [at * window, Math.min(frames, (at + 1) * window)]
          const shown = Float64Array.from(sharpness.subarray(from, to)).filter(
            (__, frame) => !isBlack(traces, from + frame),
          )
          return shown.length === 0 ? Number.NaN : Math.log(Math.max(1e-3, findMedian(shown)))
        })
        const ofCamera = measured.get(camera) ?? new Map<number, Float64Array>()
        ofCamera.set(position, windows)
        measured.set(camera, ofCamera)
      },
      conclude() {
        for (const [camera, ofCamera] of measured) {
          const all = Float64Array.from(
            [...ofCamera.values()].flatMap((windows) => [...windows].filter(Number.isFinite)),
          )
          if (all.length < minWindows) continue
          const { median, far } = findUsual(all)
          const limit = median - Math.max(far, -Math.log(report.cutOff))
          for (const [position, windows] of ofCamera) {
            for (const [from, to] of listRuns(windows.length, (at) => (windows[at] as number) < limit)) {
              const frames = [from * window, Math.min(lengths[position] as number, to * window)] as const
              const share = Math.exp(findMedian(windows.slice(from, to)) - median)
              const sentence = `${camera} is blurred at ${nameFrames(frames)}: ${(share * 100).toFixed(0)} % of its usual sharpness.`
              report.flag({ position, frames, camera }, share, sentence)
            }
          }
        }
      },
    }
  },
}

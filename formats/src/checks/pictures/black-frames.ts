import { listRuns, nameFrames } from '../frame-runs.ts'
import type { Rule } from '../rule.ts'
import { blackBrightness, isBlack } from './camera-traces.ts'

export const blackFrames: Rule = {
  id: 'black-frames',
  family: 'pictures',
  kind: 'flag',
  severity: 'error',
  unit: 'grey levels',
  cutOff: blackBrightness,
  found: 'below',
  loosest: null,
  sentence: 'The mean brightness is below this (of 255), and nothing can be seen in the picture.',
  remedy: 'Cut the frames, leave the episode out, or leave out the camera.',
  begin: (_, report) => ({
    watch(traces) {
      const { camera, position, frames, brightness } = traces
      for (const run of listRuns(frames, (frame) => isBlack(traces, frame, report.cutOff), 1, 1))
        report.flag(
          { position, frames: run, camera },
          brightness[run[0]] as number,
          `${camera} is black at ${nameFrames(run)}.`,
        )
    },
  }),
}

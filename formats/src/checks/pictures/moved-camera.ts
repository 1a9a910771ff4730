import { findUsual } from '../../statistics/usual.ts'
import type { Rule } from '../rule.ts'
import { sceneWidth } from './camera-traces.ts'
import { compareScenes, Scenes } from './scenes.ts'

const reach = 8
/** A camera on a wrist has no scene of its own. */
const steadyFit = 0.85
/** How much better the moved scene has to fit. */
const margin = 0.01
const minEpisodes = 4

export const movedCamera: Rule = {
  id: 'moved-camera',
  family: 'pictures',
  kind: 'flag',
  severity: 'warning',
  unit: 'share of the width',
  cutOff: 0.02,
  found: 'from',
  loosest: 0.01,
  sentence:
    'The mean picture of the episode lies beside that of the others by at least this share of its width, and an eighth at most. Cameras that do not move with the arm only.',
  remedy: 'Mark from where on the camera stands elsewhere; train on one of the two parts, or on both with crops.',
  begin: ({ lengths }, report) => {
    const scenes = new Scenes()
    return {
      watch(traces) {
        scenes.add(traces)
      },
      conclude() {
        for (const camera of scenes.cameras) {
          const list = scenes.list(camera)
          if (list.length < minEpisodes) continue
          const usual = scenes.drawUsual(camera)
          const fits = list.map(([, scene]) => compareScenes(usual, scene))
          const { median, far } = findUsual(Float64Array.from(fits))
          if (median < steadyFit) continue
          for (const [index, [position, scene]] of list.entries()) {
            // What lies on the table differs too, and as much in the other episodes.
            if ((fits[index] as number) > median - far) continue
            const { right, down, fit } = findShift(usual, scene)
            if (Math.max(Math.abs(right), Math.abs(down)) === reach) continue
            const share = Math.hypot(right, down) / sceneWidth
            if (share < report.cutOff || fit < steadyFit || fit < (fits[index] as number) + margin) continue
            const sentence = `${camera} stands elsewhere than in the other episodes: the picture is off by ${(share * 100).toFixed(1)} % of its width.`
            report.flag({ position, frames: [0, lengths[position] as number], camera }, share, sentence)
          }
        }
      },
    }
  },
}

/** Where the scene has to be moved to, to lie on the usual one. */
function findShift(usual: Uint8Array, scene: Uint8Array): { right: number; down: number; fit: number } {
  let best = { right: 0, down: 0, fit: compareScenes(usual, scene) }
  for (let down = -reach; down <= reach; down++)
    for (let right = -reach; right <= reach; right++) {
      const fit = compareScenes(usual, scene, right, down)
      if (fit > best.fit) best = { right, down, fit }
    }
  return best
}

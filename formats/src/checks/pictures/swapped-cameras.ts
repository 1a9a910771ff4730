import type { Rule } from '../rule.ts'
import { compareScenes, Scenes } from './scenes.ts'

const margin = 0.1
const minEpisodes = 4

export const swappedCameras: Rule = {
  id: 'swapped-cameras',
  family: 'pictures',
  kind: 'flag',
  severity: 'error',
  unit: 'correlation',
  cutOff: 0.5,
  found: 'from',
  loosest: 0.3,
  sentence:
    'The mean pictures of two cameras of an episode each fit the other camera’s usual picture better than their own, with at least this correlation.',
  remedy: 'Swap them back (`features.rename` of the episode’s part) or leave the episode out.',
  begin: ({ lengths }, report) => {
    const scenes = new Scenes()
    return {
      watch(traces) {
        scenes.add(traces)
      },
      conclude() {
        const usual = new Map(scenes.cameras.map((camera) => [camera, scenes.drawUsual(camera)]))
        for (const [index, one] of scenes.cameras.entries()) {
          for (const other of scenes.cameras.slice(index + 1)) {
            const [ofOne, ofOther] = [usual.get(one), usual.get(other)]
            if (!ofOne || !ofOther || scenes.list(one).length < minEpisodes) continue
            for (const [position, scene] of scenes.list(one)) {
              const partner = scenes.find(other, position)
              if (!partner) continue
              const swapped = Math.min(compareScenes(ofOther, scene), compareScenes(ofOne, partner))
              const own = Math.max(compareScenes(ofOne, scene), compareScenes(ofOther, partner))
              if (swapped < report.cutOff || swapped < own + margin) continue
              const frames = [0, lengths[position] as number] as const
              report.flag({ position, frames, camera: one }, swapped, `${one} and ${other} are swapped.`)
            }
          }
        }
      },
    }
  },
}

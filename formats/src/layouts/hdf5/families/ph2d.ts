/** PH2D and OpenTeleVision: arrays at the root whose names carry dots, `observation.image.left`, `observation.state`. */

import { takeName } from '../../stated-facts.ts'
import { planEpisode, type Role } from '../episode.ts'
import { nameFile } from '../groups.ts'
import type { FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const rate: StatedRate = { value: 30, from: 'the headset cameras of this family run at 30 Hz', isAssumed: true }

export const ph2d: Hdf5Family = {
  name: 'ph2d',
  recognize: ({ tree }) => tree.list('/').some(({ path }) => /^\/observation\.(images?|state)\b/.test(path)),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const description = source.tree.findAttribute('/', 'description')
  const embodiment = source.tree.findAttribute('/', 'embodiment')
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: nameFile(source.file),
    task: typeof description === 'string' ? description : undefined,
    role,
    fps: source.options.fps ?? rate.value,
  })
  return { fps: rate, robotType: takeName(embodiment) ?? null, episodes: [episode] }
}

function role(relative: string): Role | undefined {
  if (relative === 'observation.state') return { as: 'state', order: 0 }
  if (relative === 'action' || relative === 'qpos_action') return { as: 'action', order: 0 }
  const camera = /^observation\.images?\.(.+)$/.exec(relative)?.[1]
  return camera === undefined ? undefined : { as: 'camera', key: camera }
}

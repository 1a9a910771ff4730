/** RoboNet: whole MP4 files in `env/cam<k>_video/frames`, one state more than actions. */
import { planEpisode, type Role } from '../episode.ts'
import { nameFile } from '../groups.ts'
import { findPictures } from '../pictures.ts'
import type { FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

export const robonet: Hdf5Family = {
  name: 'robonet',
  recognize: ({ tree }) =>
    tree.findGroup('/env') !== undefined &&
    tree.findGroup('/policy') !== undefined &&
    tree.list('/env').some(({ path }) => /^\/env\/cam\d+_video$/.test(path)),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const fps = await findRate(source)
  const robot = source.tree.findAttribute('/metadata', 'robot')
  const [isGood] = (await source.readNumbers('/misc/traj_ok')) ?? []
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: nameFile(source.file),
    role,
    fps: source.options.fps ?? fps.value,
  })
  const details = isGood === undefined ? {} : { traj_ok: isGood !== 0 }
  return { fps, episodes: [episode], robotType: typeof robot === 'string' ? robot : null, details }
}

function role(relative: string): Role | undefined {
  if (relative === 'env/state') return { as: 'state', order: 0 }
  if (relative === 'policy/actions') return { as: 'action', order: 0 }
  const camera = /^env\/(cam\d+)_video\/frames$/.exec(relative)?.[1]
  if (camera !== undefined) return { as: 'camera', key: camera }
  if (relative.startsWith('misc/') || /_bound$/.test(relative)) return { as: 'skip' }
  return relative.startsWith('env/')
    ? { as: 'column', name: `observation.${relative.slice(4).replaceAll('/', '.')}` }
    : undefined
}

async function findRate(source: Hdf5Source): Promise<StatedRate> {
  for (const dataset of source.tree.listDatasets('/env').filter(({ path }) => path.endsWith('_video/frames'))) {
    const facts = await findPictures(source, dataset, dataset.path.slice(1))
    if (facts?.fps !== undefined) return { value: facts.fps, from: `the video in ${dataset.path}`, isAssumed: false }
  }
  return { value: 10, from: "RoboNet's videos run at 10 Hz", isAssumed: true }
}

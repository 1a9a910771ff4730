/** RoboMIND: `observations/rgb_images/<camera>` of varying length, `puppet/*` (state), `master/*` (action). */
import { planEpisode, type Role } from '../episode.ts'
import { nameFile } from '../groups.ts'
import type { FilePlan, Hdf5Family, PlanNote, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const rate: StatedRate = { value: 30, from: "RoboMIND's cameras run at 30 Hz", isAssumed: true }
const parts = ['joint_position', 'joint_position_left', 'joint_position_right']
/** Folders of embodiments whose pictures are stored in true colours; all others went through OpenCV as RGB. */
const trueColours = /h5_(franka_3rgb|franka_1rgb|ur_1rgb|franka_fr3_dual)/

export const robomind: Hdf5Family = {
  name: 'robomind',
  recognize: ({ tree }) =>
    tree.findGroup('/observations/rgb_images') !== undefined &&
    ['/puppet', '/master', '/franka'].some((path) => tree.findGroup(path) !== undefined),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const { tree, file, options } = source
  const place = readPlace(file)
  const isSwapped = /h5_/.test(file) && !trueColours.test(file)
  const notes: PlanNote[] = []
  if (options.colorOrder === undefined) {
    const what = isSwapped ? 'red and blue swapped, as in most of its embodiments' : 'true colours'
    const sentence = `Pictures are assumed to be in ${what}. Set the option color_order to ${isSwapped ? 'rgb' : 'bgr'} if they look wrong.`
    notes.push({ rule: 'assumed', sentence })
  }
  const hasMaster = tree.findGroup('/master') !== undefined
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: place.trajectory ?? nameFile(file),
    task: place.task,
    success: place.success,
    role: (relative) => role(relative, hasMaster),
    encodedColorOrder: isSwapped ? 'bgr' : 'rgb',
    fps: options.fps ?? rate.value,
    notes,
  })
  return {
    fps: rate,
    robotType: place.embodiment,
    stated: place.embodiment === null ? {} : { embodiment: place.embodiment },
    episodes: [episode],
  }
}

function role(relative: string, hasMaster: boolean): Role | undefined {
  const [group, name = ''] = relative.split('/')
  const order = parts.indexOf(name)
  if (group === 'puppet' || group === 'franka') {
    if (order >= 0) return { as: 'state', order }
    return { as: 'column', name: `observation.${relative.replaceAll('/', '.')}` }
  }
  if (group === 'master' && hasMaster && order >= 0) return { as: 'action', order }
  if (relative === 'sim_time_seq') return { as: 'clock' }
  if (relative.startsWith('observations/depth_images/')) return { as: 'skip' }
  const camera = /^observations\/rgb_images\/(.+)$/.exec(relative)?.[1]
  return camera === undefined ? undefined : { as: 'camera', key: camera }
}

/** `h5_<embodiment>/<task>/success_episodes/<split>/<trajectory>/data/trajectory.hdf5`: only the folders tell these, and the split. */
function readPlace(file: string) {
  const match = /(?:h5_([^/]+)\/)?([^/]+)\/(success|failure|fail)\w*\/(?:train|val)\/([^/]+)\//.exec(file)
  return {
    embodiment: match?.[1] ?? null,
    task: match?.[2]?.replaceAll('_', ' '),
    success: match ? match[3] === 'success' : null,
    trajectory: match?.[4],
  }
}

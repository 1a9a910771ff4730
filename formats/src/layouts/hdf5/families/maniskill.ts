/** ManiSkill 2 and 3: `traj_<i>` groups (one more observation than actions), and a JSON of the same name beside. */
import { getName, joinPath } from '../../../containers/hdf5/tree.ts'
import { isObject, type JsonValue } from '../../../json.ts'
import { nameRobots, nameWork, readStated } from '../../stated-facts.ts'
import { planEpisode, type Role } from '../episode.ts'
import { listGroups, nameFile } from '../groups.ts'
import type { FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const columns: Readonly<Record<string, string>> = {
  rewards: 'next.reward',
  terminated: 'next.done',
  truncated: 'next.truncated',
  success: 'next.success',
  env_states: 'observation.environment_state',
}
const episodeName = /^traj_\d+$/

export const maniskill: Hdf5Family = {
  name: 'maniskill',
  recognize: ({ tree }) => {
    const trajectories = listGroups(tree, '/', episodeName)
    return trajectories.some(({ path }) => tree.find(joinPath(path, 'actions')))
  },
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const sidecar = await source.readSibling(`${nameFile(source.file)}.json`)
  const environment = isObject(sidecar) && isObject(sidecar.env_info) ? sidecar.env_info : undefined
  const fps = findRate(environment?.env_kwargs)
  const outcomes = readOutcomes(isObject(sidecar) ? sidecar.episodes : undefined)
  const episodes = []
  for (const { path } of listGroups(source.tree, '/', episodeName)) {
    const name = getName(path)
    const hasAgent = source.tree.findDataset(joinPath(path, 'obs/agent/qpos')) !== undefined
    episodes.push(
      await planEpisode(source, {
        group: path,
        sourceId: name,
        success: outcomes.get(Number(name.slice('traj_'.length))) ?? null,
        role: (relative) => role(relative, hasAgent),
        fps: source.options.fps ?? fps.value,
      }),
    )
  }
  const id = environment?.env_id
  const kwargs = environment?.env_kwargs
  const robots = nameRobots(isObject(kwargs) ? kwargs.robot_uids : undefined)
  return {
    fps,
    episodes,
    robotType: robots ?? null,
    stated: { ...readStated(environment, kwargs), ...nameWork(id), ...(robots && { embodiment: robots }) },
    details: typeof id === 'string' ? { environment: id } : {},
  }
}

function role(relative: string, hasAgent: boolean): Role | undefined {
  if (relative === 'actions') return { as: 'action', order: 0 }
  if (relative.startsWith('actions/')) return { as: 'action', order: 1 }
  if (relative === 'obs/agent/qpos' || (relative === 'obs' && !hasAgent)) return { as: 'state', order: 0 }
  const camera = /^obs\/(?:sensor_data|image)\/([^/]+)\/(?:rgb|Color)$/.exec(relative)?.[1]
  if (camera !== undefined) return { as: 'camera', key: camera }
  if (/^obs\/(sensor_data|image)\//.test(relative)) return { as: 'skip' }
  const name = Object.hasOwn(columns, relative) ? columns[relative] : undefined
  return name === undefined ? undefined : { as: 'column', name }
}

function findRate(kwargs: JsonValue | undefined): StatedRate {
  const simulation = isObject(kwargs) ? kwargs.sim_config : undefined
  const control = isObject(simulation) ? simulation.control_freq : undefined
  if (typeof control === 'number' && control > 0) {
    return { value: control, from: 'env_kwargs.sim_config.control_freq', isAssumed: false }
  }
  return { value: 20, from: "ManiSkill's default control frequency is 20 Hz", isAssumed: true }
}

function readOutcomes(list: JsonValue | undefined): Map<number, boolean> {
  const outcomes = new Map<number, boolean>()
  for (const episode of Array.isArray(list) ? list : []) {
    if (isObject(episode) && typeof episode.episode_id === 'number' && typeof episode.success === 'boolean') {
      outcomes.set(episode.episode_id, episode.success)
    }
  }
  return outcomes
}

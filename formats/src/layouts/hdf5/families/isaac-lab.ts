/** Isaac Lab and Isaac Lab Mimic: robomimic's tree with simulator states and a success mark on each demo. */
import { getName, joinPath } from '../../../containers/hdf5/tree.ts'
import { isObject, type JsonValue } from '../../../json.ts'
import { nameWork, readStated } from '../../stated-facts.ts'
import { planEpisode, type Role } from '../episode.ts'
import { listGroups } from '../groups.ts'
import type { FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'
import { readMasks } from '../splits.ts'

const isaacType = 2
const statePatterns = [
  /^obs\/(robot0_)?joint_pos$/,
  /^obs\/(robot0_)?eef_pos$/,
  /^obs\/(robot0_)?eef_quat$/,
  /^obs\/(robot0_)?gripper_(pos|qpos)$/,
]

export const isaacLab: Hdf5Family = {
  name: 'isaac-lab',
  recognize: ({ tree }) => {
    const demos = listGroups(tree, '/data').filter(({ path }) => tree.find(joinPath(path, 'actions')))
    const text = tree.findAttribute('/data', 'env_args')
    const isIsaac = typeof text === 'string' && new RegExp(`"(env_)?type"\\s*:\\s*${isaacType}\\b`).test(text)
    const hasStates = demos.some(({ path }) =>
      ['states/articulation', 'initial_state/articulation'].some((name) => tree.find(joinPath(path, name))),
    )
    return demos.length > 0 && (isIsaac || hasStates)
  },
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const { tree } = source
  const environment = await source.readJsonAttribute('/data', 'env_args')
  const fps = findRate(environment?.sim_args)
  const episodes = []
  const demos = listGroups(tree, '/data').filter(({ path }) => tree.listDatasets(path).length > 0)
  // Isaac Lab writes none; robomimic's split_train_val.py, which its users run, does.
  const masks = await readMasks(
    source,
    demos.map(({ path }) => getName(path)),
  )
  for (const group of demos) {
    const paths = tree.listDatasets(group.path).map(({ path }) => path.slice(group.path.length + 1))
    const hasState = paths.some((path) => statePatterns.some((pattern) => pattern.test(path)))
    const success = tree.findAttribute(group.path, 'success')
    episodes.push(
      await planEpisode(source, {
        group: group.path,
        sourceId: getName(group.path),
        success: typeof success === 'boolean' ? success : null,
        ...(masks.splits.length > 0 && { splits: masks.find(getName(group.path)) }),
        role: (relative) => role(relative, hasState),
        fps: source.options.fps ?? fps.value,
      }),
    )
  }
  const name = environment?.env_name
  return {
    fps,
    episodes,
    splits: masks.splits,
    stated: { ...readStated(environment, environment?.env_kwargs), ...nameWork(name) },
    details: typeof name === 'string' ? { environment: name } : {},
  }
}

function role(relative: string, hasState: boolean): Role | undefined {
  const state = statePatterns.findIndex((pattern) => pattern.test(relative))
  if (state >= 0) return { as: 'state', order: state }
  if (!hasState && /^states\/articulation\/[^/]+\/joint_position$/.test(relative)) return { as: 'state', order: 0 }
  if (relative === 'actions') return { as: 'action', order: 0 }
  if (relative.startsWith('initial_state/') || relative.startsWith('next_obs/')) return { as: 'skip' }
  return undefined
}

/** One policy step is `decimation` steps of `dt` seconds. */
function findRate(simulation: JsonValue | undefined): StatedRate {
  const { dt, decimation } = isObject(simulation) ? simulation : {}
  if (typeof dt === 'number' && typeof decimation === 'number' && dt * decimation > 0) {
    const measured = 1 / (dt * decimation)
    const whole = Math.round(measured)
    const value = Math.abs(measured - whole) < 1e-3 ? whole : measured
    return { value, from: 'env_args.sim_args (dt, decimation)', isAssumed: false }
  }
  return { value: 20, from: 'Isaac Lab manipulation tasks run at 20 Hz by default', isAssumed: true }
}

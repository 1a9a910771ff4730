/**
 * robomimic and what copies it: robosuite's raw demonstrations (2018 to today), MimicGen, LIBERO, RoboCasa, OmniGibson.
 * One file, `data/demo_<i>`, each with `actions` or `states` and mostly `obs/*`.
 */
import type { Hdf5Dataset, Hdf5Group } from '../../../containers/hdf5/hdf5.ts'
import { getName, joinPath } from '../../../containers/hdf5/tree.ts'
import type { NumericDtype } from '../../../feature.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../json.ts'
import { nameRobots, nameWork, readStated } from '../../stated-facts.ts'
import { planEpisode, type Role } from '../episode.ts'
import { listGroups } from '../groups.ts'
import type { FilePlan, Hdf5Family, PlanNote, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'
import { readMasks } from '../splits.ts'

/** Proprioception in the order of the usual state vector; the others stay columns of their own. */
const statePatterns = [
  /^obs\/robot\d_eef_pos$/,
  /^obs\/robot\d_eef_quat$/,
  /^obs\/robot\d_gripper_qpos$/,
  /^obs\/ee_states$/,
  /^obs\/gripper_states$/,
]
const actionPatterns = [/^actions?$/, /^joint_velocities$/, /^gripper_actuations$/]
const columns: Readonly<Record<string, string>> = {
  rewards: 'next.reward',
  reward: 'next.reward',
  dones: 'next.done',
  terminated: 'next.done',
  states: 'observation.environment_state',
  state: 'observation.environment_state',
}

export const robomimic: Hdf5Family = {
  name: 'robomimic',
  recognize: ({ tree }) =>
    listGroups(tree, '/data').some(({ path }) =>
      ['actions', 'action', 'states', 'joint_velocities'].some((name) => tree.find(joinPath(path, name))),
    ),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const { tree } = source
  const environment = await source.readJsonAttribute('/data', 'env_args')
  const fps = await findRate(source, environment)
  const demos = listGroups(tree, '/data').filter(({ path }) => tree.listDatasets(path).length > 0)
  const masks = await readMasks(
    source,
    demos.map(({ path }) => getName(path)),
  )
  const isFlipped = tree.findAttribute('/data', 'macros_image_convention') === 'opengl'
  const sharedTask = readLanguage(await source.readJsonAttribute('/data', 'problem_info'), 'language_instruction')
  const notes: PlanNote[] = isFlipped
    ? [{ rule: 'stated', sentence: 'Pictures are stored upside down (macros_image_convention opengl); turned over.' }]
    : []
  const roles = readStatedRoles(await source.readJsonAttribute('/data', 'lerobot_features'))
  const episodes = []
  for (const group of demos) {
    const task = sharedTask ?? (await findDemoTask(source, group))
    episodes.push(
      await planEpisode(source, {
        group: group.path,
        sourceId: getName(group.path),
        task,
        ...(masks.splits.length > 0 && { splits: masks.find(getName(group.path)) }),
        role: (relative, dataset) => roles(relative, dataset) ?? role(relative),
        isFlipped,
        fps: source.options.fps ?? fps.value,
        notes,
      }),
    )
  }
  const name = environment?.env_name ?? tree.findAttribute('/data', 'env_name') ?? tree.findAttribute('/data', 'env')
  const kwargs = environment?.env_kwargs
  const info = await source.readJsonAttribute('/data', 'env_info')
  const robots = nameRobots(isObject(kwargs) ? kwargs.robots : undefined) ?? nameRobots(info?.robots)
  return {
    fps,
    episodes,
    splits: masks.splits,
    robotType: robots ?? null,
    stated: { ...readStated(environment, kwargs, info), ...nameWork(name), ...(robots && { embodiment: robots }) },
    details: typeof name === 'string' ? { environment: name } : {},
  }
}

function role(relative: string): Role | undefined {
  const state = statePatterns.findIndex((pattern) => pattern.test(relative))
  if (state >= 0) return { as: 'state', order: state }
  const action = actionPatterns.findIndex((pattern) => pattern.test(relative))
  if (action >= 0) return { as: 'action', order: action }
  if (relative.startsWith('next_obs/')) return { as: 'skip' }
  const name = Object.hasOwn(columns, relative) ? columns[relative] : undefined
  if (name !== undefined) return { as: 'column', name }
  const camera = /^obs\/(.+?)_(?:image|rgb)$/.exec(relative)
  return camera?.[1] ? { as: 'camera', key: camera[1] } : undefined
}

/** Files that nmp wrote say what each array was: its name, its type where HDF5 has another, and the names of its dimensions. */
function readStatedRoles(stated: JsonObject | undefined) {
  return (relative: string, { dtype: stored }: Hdf5Dataset): Role | undefined => {
    const entry = stated && Object.hasOwn(stated, relative) ? stated[relative] : undefined
    if (!isObject(entry) || typeof entry.name !== 'string' || !/^[\w.-]{1,200}$/.test(entry.name)) return undefined
    const camera = /^observation\.images?\.(.+)$/.exec(entry.name)
    if (entry.dtype === undefined) return camera?.[1] ? { as: 'camera', key: camera[1] } : undefined
    const names = entry.names
    const areNames = Array.isArray(names) && names.every((text) => typeof text === 'string')
    const isSame = entry.dtype === stored || (entry.dtype === 'bool' && /^u?int/.test(stored))
    return {
      as: 'column',
      name: entry.name,
      names: areNames ? (names as string[]) : null,
      ...(isSame && { dtype: entry.dtype as NumericDtype }),
    }
  }
}

/** robosuite's own collector stores no rate; its environments run at 20 Hz unless told otherwise. */
async function findRate(source: Hdf5Source, environment: JsonObject | undefined): Promise<StatedRate> {
  const kwargs = environment?.env_kwargs
  const control = isObject(kwargs) ? kwargs.control_freq : undefined
  if (typeof control === 'number' && control > 0) {
    return { value: control, from: 'env_args.env_kwargs.control_freq', isAssumed: false }
  }
  const config = await source.readJsonAttribute('/data', 'config')
  const env = isObject(config?.env) ? config.env.action_frequency : undefined
  if (typeof env === 'number' && env > 0) return { value: env, from: 'config.env.action_frequency', isAssumed: false }
  return { value: 20, from: 'robosuite environments run at 20 Hz by default', isAssumed: true }
}

async function findDemoTask(source: Hdf5Source, group: Hdf5Group): Promise<string | undefined> {
  return readLanguage(await source.readJsonAttribute(group.path, 'ep_meta'), 'lang')
}

/** LIBERO puts quotation marks around the text, and sometimes a list of words. */
function readLanguage(holder: JsonObject | undefined, key: string): string | undefined {
  const value: JsonValue | undefined = holder?.[key]
  const text = Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' ') : value
  return typeof text === 'string' && text !== '' ? text.replace(/^"(.*)"$/, '$1') : undefined
}

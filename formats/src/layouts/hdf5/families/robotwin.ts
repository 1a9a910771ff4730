/** RoboTwin 1 and 2 (`observation/<camera>/rgb`, `joint_action`) and its newer XPolicyLab form (`vision`, `state`, `action`). */
import { isObject } from '../../../json.ts'
import { planEpisode, type Role } from '../episode.ts'
import { findText, nameFile } from '../groups.ts'
import type { FilePlan, Hdf5Family, PlanNote, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const vectorNames = ['left_arm', 'left_gripper', 'right_arm', 'right_gripper']
const newNames = ['left_arm_joint_states', 'left_ee_joint_states', 'right_arm_joint_states', 'right_ee_joint_states']
const swapped: PlanNote = {
  rule: 'stated',
  sentence: "Red and blue are swapped in this family's pictures (its writer hands RGB to OpenCV); swapped back.",
}

export const robotwin: Hdf5Family = {
  name: 'robotwin',
  recognize: ({ tree }) =>
    (tree.findGroup('/joint_action') !== undefined && tree.findGroup('/observation') !== undefined) ||
    (tree.findGroup('/vision') !== undefined && tree.findGroup('/state') !== undefined),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const isNew = source.tree.findGroup('/vision') !== undefined
  const fps = await findRate(source)
  const hasVector = source.tree.findDataset('/joint_action/vector') !== undefined
  const episode = await planEpisode(source, {
    group: '/',
    sourceId: nameFile(source.file),
    task: (await findText(source, ['/instructions', '/instruction'])) ?? (await readInstruction(source)),
    role: isNew ? takeNew : (relative) => takeOld(relative, hasVector),
    encodedColorOrder: 'bgr',
    fps: source.options.fps ?? fps.value,
    notes: [swapped],
  })
  // The old form stores one vector: what the arms did at t is the state, what they did at t + 1 the action.
  const columns = isNew ? episode.columns : episode.columns.flatMap((column) => splitVector(column))
  const length = isNew ? episode.length : Math.max(0, episode.length - 1)
  return { fps, episodes: [{ ...episode, columns, length }] }
}

function splitVector(column: Parameters<typeof shiftRows>[0]) {
  return column.name === 'observation.state' ? [column, shiftRows(column)] : [column]
}

function shiftRows(column: FilePlan['episodes'][number]['columns'][number]) {
  return { ...column, name: 'action', parts: column.parts.map((part) => ({ ...part, rowOffset: part.rowOffset + 1 })) }
}

function takeOld(relative: string, hasVector: boolean): Role | undefined {
  if (relative === 'joint_action/vector') return { as: 'state', order: 0 }
  const order = vectorNames.indexOf(relative.replace('joint_action/', ''))
  if (relative.startsWith('joint_action/')) return hasVector ? { as: 'skip' } : { as: 'state', order }
  const camera = /^observation\/([^/]+)\/rgb$/.exec(relative)?.[1] ?? /^(third_view)_rgb$/.exec(relative)?.[1]
  return camera === undefined ? undefined : { as: 'camera', key: camera }
}

function takeNew(relative: string): Role | undefined {
  const [group = '', name = ''] = relative.split('/')
  const order = newNames.indexOf(name)
  if ((group === 'state' || group === 'action') && order >= 0) return { as: group, order }
  if (group === 'state') return { as: 'column', name: `observation.${name}` }
  const camera = /^vision\/([^/]+)\/colors$/.exec(relative)?.[1]
  if (camera !== undefined) return { as: 'camera', key: camera }
  return /\/shape$/.test(relative) || group === 'additional_info' ? { as: 'skip' } : undefined
}

async function findRate(source: Hdf5Source): Promise<StatedRate> {
  const [stored] = (await source.readNumbers('/additional_info/frequency')) ?? []
  if (stored !== undefined && stored > 0) {
    return { value: stored, from: 'additional_info/frequency', isAssumed: false }
  }
  return { value: 15, from: "RoboTwin's default save frequency is 15 Hz", isAssumed: true }
}

/** `data/episode3.hdf5` has its texts in `instructions/episode3.json`. */
async function readInstruction(source: Hdf5Source): Promise<string | undefined> {
  const value = await source.readSibling(`../instructions/${nameFile(source.file)}.json`)
  if (!isObject(value)) return undefined
  const texts = [value.seen, value.unseen, value.instructions].find((list) => Array.isArray(list) && list.length > 0)
  return Array.isArray(texts) && typeof texts[0] === 'string' ? texts[0] : undefined
}

/** Minari: `episode_<i>` groups with observations (one more than actions), rewards, terminations, truncations. */
import type { Hdf5Dataset } from '../../../containers/hdf5/hdf5.ts'
import { getName, joinPath } from '../../../containers/hdf5/tree.ts'
import { isObject } from '../../../json.ts'
import { planEpisode, type Role } from '../episode.ts'
import { listGroups } from '../groups.ts'
import type { FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const rate: StatedRate = { value: 20, from: 'Minari stores no rate; 20 Hz is the most common', isAssumed: true }
const columns: Readonly<Record<string, string>> = {
  rewards: 'next.reward',
  terminations: 'next.done',
  truncations: 'next.truncated',
}
const episodeName = /^episode_\d+$/

export const minari: Hdf5Family = {
  name: 'minari',
  recognize: ({ tree }) =>
    listGroups(tree, '/', episodeName).some(
      ({ path }) => tree.find(joinPath(path, 'terminations')) && tree.find(joinPath(path, 'observations')),
    ),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const metadata = await source.readSibling('metadata.json')
  const description = isObject(metadata) ? metadata.dataset_id : undefined
  const episodes = []
  for (const { path } of listGroups(source.tree, '/', episodeName)) {
    episodes.push(
      await planEpisode(source, { group: path, sourceId: getName(path), role, fps: source.options.fps ?? rate.value }),
    )
  }
  return { fps: rate, episodes, details: typeof description === 'string' ? { dataset_id: description } : {} }
}

function role(relative: string, { dtype, shape }: Hdf5Dataset): Role | undefined {
  if (relative === 'observations')
    return isPicture(dtype, shape) ? { as: 'camera', key: 'rgb' } : { as: 'state', order: 0 }
  if (/^observations\/(state|observation|proprio)$/.test(relative)) return { as: 'state', order: 0 }
  if (relative === 'actions') return { as: 'action', order: 0 }
  if (/^actions\//.test(relative)) return { as: 'action', order: 1 }
  const name = Object.hasOwn(columns, relative) ? columns[relative] : undefined
  return name === undefined ? undefined : { as: 'column', name }
}

/** Bytes by row, column and channel, or an encoded picture a row; the memory of a console and flags are no picture. */
function isPicture(dtype: string, shape: readonly number[]): boolean {
  return /^(float|int|bool|str|S\d|uint8$)/.test(dtype) ? dtype === 'uint8' && shape.length >= 3 : shape.length <= 2
}

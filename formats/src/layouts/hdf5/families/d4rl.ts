/** D4RL: all episodes one after the other in flat arrays; `terminals` or `timeouts` mark the ends. */
import { planEpisode, type Role } from '../episode.ts'
import type { EpisodePlan, FilePlan, Hdf5Family, StatedRate } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'

const rate: StatedRate = { value: 20, from: 'the most common control rate of MuJoCo tasks is 20 Hz', isAssumed: true }
const columns: Readonly<Record<string, string>> = {
  rewards: 'next.reward',
  terminals: 'next.done',
  timeouts: 'next.truncated',
}
const maxEpisodes = 1_000_000

export const d4rl: Hdf5Family = {
  name: 'd4rl',
  recognize: ({ tree }) =>
    ['/observations', '/actions', '/terminals'].every((path) => tree.findDataset(path) !== undefined),
  plan,
}

async function plan(source: Hdf5Source): Promise<FilePlan> {
  const rowCount = source.tree.findDataset('/actions')?.shape[0] ?? 0
  const template = await planEpisode(source, {
    group: '/',
    sourceId: '0',
    length: rowCount,
    role,
    fps: source.options.fps ?? rate.value,
  })
  const terminals = await source.readNumbers('/terminals')
  const timeouts = await source.readNumbers('/timeouts')
  const episodes: EpisodePlan[] = []
  let startRow = 0
  for (let row = 0; row < rowCount && episodes.length < maxEpisodes; row++) {
    const isEnd = Boolean(terminals?.[row]) || Boolean(timeouts?.[row]) || row === rowCount - 1
    if (!isEnd) continue
    episodes.push({ ...template, sourceId: String(episodes.length), startRow, length: row + 1 - startRow })
    startRow = row + 1
  }
  return { fps: rate, episodes }
}

function role(relative: string): Role | undefined {
  if (relative === 'observations') return { as: 'state', order: 0 }
  if (relative === 'actions') return { as: 'action', order: 0 }
  if (relative === 'next_observations' || relative.startsWith('metadata/')) return { as: 'skip' }
  const name = Object.hasOwn(columns, relative) ? columns[relative] : undefined
  return name === undefined ? undefined : { as: 'column', name }
}

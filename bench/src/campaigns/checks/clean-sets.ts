import { readFile } from 'node:fs/promises'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { makeLabelledSet, type SetOptions } from '../../../../formats/test/labelled-set.ts'
import { readSignalSet, type SignalSet } from '../../../../formats/test/signal-set.ts'

export interface CleanSet {
  readonly name: string
  readonly set: SignalSet
}

const tasks = [
  'Put the yellow cylinder into the basket.',
  'Stack the orange block on the wooden plate.',
  'Push the handle of the upper drawer.',
]

const made = [
  { fps: 20, seconds: 8, space: 'joints', operator: 'person', gripper: 'opening', noise: 0.02, isQuantised: true },
  { fps: 30, seconds: 6, space: 'pose', operator: 'script', gripper: 'commanded', noise: 0.05 },
  { fps: 15, seconds: 10, space: 'two-arms', operator: 'person', gripper: 'switch', noise: 0.01 },
] as const

/** Three simulated sets, other ones for each seed. */
export const makeSets = (seed: number, changed: Partial<SetOptions> = {}): CleanSet[] =>
  made.map((options, index) => {
    const { fps, names, episodes } = makeLabelledSet({
      ...options,
      seed: seed * 31 + index,
      episodes: 24,
      bad: {},
      ...changed,
    })
    const told = episodes.map((episode, at) => ({ ...episode, task: tasks[at % tasks.length] ?? '' }))
    return {
      name: `${options.space}, a ${options.operator}`,
      set: { fps, names, episodes: told },
    }
  })

/** The good episodes of a set that a simulator with contacts and a controller has recorded. */
export async function readCanSet(): Promise<CleanSet> {
  const folder = getFixture('lerobot/recorded-v3.0-can-motion')
  const labels: { episode_index: number; kind: string }[] = JSON.parse(await readFile(`${folder}.labels.json`, 'utf8'))
  const good = new Set(labels.filter(({ kind }) => kind === 'ok').map(({ episode_index }) => episode_index))
  await using dataset = await openDataset(await openFolder(folder))
  const set = await readSignalSet(dataset, (position) => good.has(position))
  // Of its two tasks one has too few good episodes to be compared with each other.
  const told = set.episodes.map((episode) => ({ ...episode, task: 'Move the can.' }))
  return { name: 'the can', set: { ...set, episodes: told } }
}

/** The earlier and the later half, as two recordings of the same kind: what is compared with each other beyond one set. */
export function splitSet({ name, set }: CleanSet): { name: string; one: SignalSet; other: SignalSet } {
  const half = set.episodes.length >> 1
  const { episodes } = set
  return { name, one: { ...set, episodes: episodes.slice(0, half) }, other: { ...set, episodes: episodes.slice(half) } }
}

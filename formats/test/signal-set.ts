import type { Dataset } from '../src/dataset.ts'
import type { Feature, NumericArray } from '../src/feature.ts'
import { createMemoryDataset } from './memory-dataset.ts'

/** State and action of some episodes in memory, to be changed by tests and given to the checks. */
export interface SignalSet {
  readonly fps: number
  readonly names: readonly string[]
  readonly episodes: readonly SignalEpisode[]
}

export interface SignalEpisode {
  readonly frames: number
  readonly state: Float32Array
  readonly action: Float32Array
  readonly task: string
  /** Of the recorder; on the grid when omitted. */
  readonly times?: Float64Array
}

/** As any reader would give it. The clock is a column of its own where one episode has one. */
export function openSignalSet({ fps, names, episodes }: SignalSet): Dataset {
  const hasClock = episodes.some(({ times }) => times)
  const features = ['observation.state', 'action'].map(
    (name): Feature => ({ kind: 'column', name, dtype: 'float32', shape: [names.length], names: [...names] }),
  )
  if (hasClock)
    features.push({
      kind: 'column',
      name: 'observation.source_timestamp',
      dtype: 'float64',
      shape: [1],
      names: null,
    })
  const memory = episodes.map(({ frames, state, action, task, times }) => ({
    length: frames,
    tasks: [task],
    columns: new Map<string, NumericArray>([
      ['observation.state', state],
      ['action', action],
      ['observation.source_timestamp', times ?? Float64Array.from({ length: frames }, (_, frame) => frame / fps)],
    ]),
  }))
  return createMemoryDataset(features, memory, 97, fps)
}

/** Reads what another dataset has; `isWanted` by position. */
export async function readSignalSet(dataset: Dataset, isWanted = (_: number): boolean => true): Promise<SignalSet> {
  const state = dataset.features.find(({ name }) => name === 'observation.state')
  if (state?.kind !== 'column') throw new Error('the set has no state')
  const episodes: SignalEpisode[] = []
  for (let position = 0; position < dataset.episodeCount; position++) {
    if (!isWanted(position)) continue
    const episode = dataset.getEpisode(position)
    const held = { state: [] as number[], action: [] as number[] }
    for await (const { columns } of episode.readBlocks({ columns: ['observation.state', 'action'] })) {
      for (const value of columns.get('observation.state') as Float32Array) held.state.push(value)
      for (const value of columns.get('action') as Float32Array) held.action.push(value)
    }
    episodes.push({
      frames: episode.length,
      state: Float32Array.from(held.state),
      action: Float32Array.from(held.action),
      task: episode.tasks[0] ?? '',
    })
  }
  return { fps: dataset.fps, names: state.names as string[], episodes }
}

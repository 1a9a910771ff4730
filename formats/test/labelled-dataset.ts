import type { Dataset } from '../src/dataset.ts'
import type { Feature } from '../src/feature.ts'
import type { LabelledSet } from './labelled-set.ts'
import { createMemoryDataset } from './memory-dataset.ts'

/** A labelled set as any reader would give it. */
export function openLabelledSet({ fps, names, episodes }: LabelledSet): Dataset {
  const features = ['observation.state', 'action'].map(
    (name): Feature => ({ kind: 'column', name, dtype: 'float32', shape: [names.length], names: [...names] }),
  )
  const memory = episodes.map(({ frames, state, action }) => ({
    length: frames,
    tasks: ['Put the block into the bin.'],
    columns: new Map([
      ['observation.state', state],
      ['action', action],
    ]),
  }))
  return createMemoryDataset(features, memory, 97, fps)
}

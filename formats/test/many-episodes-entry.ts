import type { Feature } from '../src/feature.ts'
import { write } from '../src/writers/lerobot-v3/writer.ts'
import { createMemoryDataset } from './memory-dataset.ts'

/** `node many-episodes-entry.ts FOLDER COUNT`: short episodes without a camera, as many as asked for; each has its own length, tempo and one of three tasks. */
const [folder = '', count = '10000'] = process.argv.slice(2)
const names = ['x', 'y', 'z']
const features: Feature[] = ['observation.state', 'action'].map((name) => ({
  kind: 'column',
  name,
  dtype: 'float32',
  shape: [names.length],
  names,
}))
const tasks = ['pick up the bolt', 'put the bolt into the box', 'close the box']

const episodes = Array.from({ length: Number(count) }, (_, index) => {
  const length = 6 + ((index * 7) % 11)
  const tempo = 0.05 + ((index * 13) % 97) / 200
  const draw = (late: number) =>
    Float32Array.from({ length: length * names.length }, (_value, at) =>
      Math.sin(index + tempo * (Math.floor(at / names.length) - late) + at),
    )
  return {
    length,
    tasks: [tasks[index % tasks.length] ?? ''],
    columns: new Map([
      ['observation.state', draw(0)],
      ['action', draw(1)],
    ]),
  }
})
await write(createMemoryDataset(features, episodes, 64, 10), folder)

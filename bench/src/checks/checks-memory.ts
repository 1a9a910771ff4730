/** `checks-memory.ts EPISODES TIMES`: checks a set that is made as it is read, so many times, and prints the peak of its memory in bytes. */
import { runChecks } from '../../../formats/src/checks/run-checks.ts'
import type { Dataset } from '../../../formats/src/dataset.ts'
import type { Feature } from '../../../formats/src/feature.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'
import { measureOwnPeakBytes } from '../own-peak.ts'

const [episodeCount, times] = process.argv.slice(2).map(Number) as [number, number]
const [frames, width] = [300, 14]
const features = ['observation.state', 'action'].map(
  (name): Feature => ({ kind: 'column', name, dtype: 'float32', shape: [width], names: null }),
)
const wave = (episode: number, late: number): Float32Array =>
  Float32Array.from({ length: frames * width }, (_, at) => {
    const frame = Math.max(0, Math.floor(at / width) - late)
    return Math.sin(frame / (20 + (at % width)) + episode) + 0.001 * Math.sin(at * 12.9898 + episode)
  })

const dataset: Dataset = {
  ...createMemoryDataset(features, [], 256, 30),
  episodeCount,
  frameCount: episodeCount * frames,
  getEpisode(position) {
    const columns = new Map([
      ['observation.state', wave(position, 2)],
      ['action', wave(position, 0)],
    ])
    const one = createMemoryDataset(features, [{ length: frames, tasks: ['Wave.'], columns }], 256, 30)
    return { ...one.getEpisode(0), sourceIndex: position }
  },
}
for (let time = 0; time < times; time++) await runChecks(dataset)
process.stdout.write(String(measureOwnPeakBytes()))

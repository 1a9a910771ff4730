/** For `python/steps_check.py`: one JSON line of settings and values in, one line of what the step makes of them out. */
import { createInterface } from 'node:readline'
import { reshapeDepth, reshapePixels } from '../src/containers/image.ts'
import type { Dataset, Values } from '../src/dataset.ts'
import { arrayTypes, type CameraFeature, type ColumnFeature } from '../src/feature.ts'
import { apply as applyAction } from '../src/steps/action.ts'
import { apply as annotate, annotationsPath } from '../src/steps/annotate.ts'
import { planTransform } from '../src/steps/crop-resize.ts'
import { apply as selectCameras } from '../src/steps/select-cameras.ts'
import { apply as selectEpisodes } from '../src/steps/select-episodes.ts'
import { createMemoryDataset } from './memory-dataset.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a stranger sends
type Request = any

const run: Record<string, (request: Request) => unknown> = {
  async action({ settings, dtype, width, values }) {
    const feature: ColumnFeature = { kind: 'column', name: 'action', dtype, shape: [width], names: null }
    const numbers = (values as (number | null)[]).map((value) => value ?? Number.NaN)
    const isBig = dtype === 'int64' || dtype === 'uint64'
    const stored = isBig ? BigInt64Array.from(numbers, BigInt) : arrayTypes[dtype as 'int32'].from(numbers)
    const columns = new Map<string, Values>([['action', stored as Values]])
    const episode = { length: numbers.length / width, tasks: ['t'], columns }
    const changed = applyAction(createMemoryDataset([feature], [episode]), settings)
    const rows: (number | null)[] = []
    for await (const block of changed.getEpisode(0).readBlocks())
      for (const value of block.columns.get('action') as Float64Array) rows.push(Number(value))
    return rows
  },
  crop: ({ crop, size }) => planTransform(size, { crop })?.crop ?? null,
  async pixels({ transform, width, height, data }) {
    const picture = await reshapePixels({ width, height, channels: 3, data: Uint8Array.from(data) }, transform)
    return [...picture.data]
  },
  depth: ({ transform, width, height, data }) => [
    ...reshapeDepth({ width, height, data: Uint16Array.from(data) }, transform).data,
  ],
  episodes: ({ settings, lengths }) => listSources(selectEpisodes(makeDataset(lengths), settings)),
  cameras: ({ keys, names }) => {
    const cameras = names.map((name: string): CameraFeature => {
      return { kind: 'camera', name, storage: 'video', width: 64, height: 64, channels: 3, info: {} }
    })
    return selectCameras(createMemoryDataset(cameras, []), { keys }).features.map(({ name }) => name)
  },
  annotate({ settings, lengths, annotations }) {
    const episodes = new Map(annotations as [number, { task: string | null; rest: Record<string, string> }][])
    const chosen = annotate(selectEpisodes(makeDataset(lengths), settings), { header: {}, episodes })
    const tasks = Array.from({ length: chosen.episodeCount }, (_, position) => chosen.getEpisode(position).tasks)
    return { tasks, sidecar: chosen.sidecars?.get(annotationsPath) ?? null }
  },
}

const makeDataset = (lengths: readonly number[]): Dataset =>
  createMemoryDataset(
    [],
    lengths.map((length, episode) => ({ length, tasks: [`task ${episode}`], columns: new Map() })),
  )

const listSources = (dataset: Dataset) =>
  Array.from({ length: dataset.episodeCount }, (_, position) => dataset.getEpisode(position).sourceIndex)

for await (const line of createInterface({ input: process.stdin })) {
  const request: Request = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(await run[request.step]?.(request))}\n`)
}

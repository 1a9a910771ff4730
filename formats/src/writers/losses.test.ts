import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { openCodec } from '../containers/codec/codec.ts'
import type { Values } from '../dataset.ts'
import type { CameraFeature, ColumnFeature, Feature } from '../feature.ts'
import { writers } from './index.ts'
import { readTargetOptions } from './target-options.ts'

/** One of every kind that a dataset can have. */
const length = 4
const size = { width: 64, height: 64 }
const column = (name: string, dtype: ColumnFeature['dtype'], shape = [1]): ColumnFeature => ({
  ...{ kind: 'column', name, dtype, shape, names: null },
})
const camera = (name: string, channels: number): CameraFeature => ({
  ...{ kind: 'camera', name: `observation.images.${name}`, storage: 'video', ...size, channels, info: {} },
})
const columns = new Map<ColumnFeature, Values>([
  [column('action', 'float32', [2]), new Float32Array(length * 2)],
  [column('observation.state', 'float32', [2]), new Float32Array(length * 2)],
  [column('observation.torque', 'float64'), new Float64Array(length)],
  [column('next.done', 'bool'), new Uint8Array(length)],
  [column('observation.ticks', 'uint64'), new BigUint64Array(length)],
  [column('pose_matrix', 'float32', [2, 2]), new Float32Array(length * 4)],
  [column('operator_note', 'string'), new Array<string>(length).fill('steady')],
  [column('language_events', 'language'), new Array<string>(length).fill('')],
])
const colour = camera('top', 3)
const depth: CameraFeature = {
  ...camera('range', 1),
  depth: { minMeters: 0, maxMeters: 4, shift: 0, logarithmic: false, unit: 'm' },
}
const features: Feature[] = [...columns.keys(), colour, depth]

const paint = (channels: number) => ({
  ...{ kind: 'pixels' as const, frameCount: length, ...size, channels },
  read: async function* () {
    for (let frameIndex = 0; frameIndex < length; frameIndex++)
      yield { frameIndex, ...size, channels, data: new (channels === 1 ? Uint16Array : Uint8Array)(4096 * channels) }
  },
})

/** What stands in a target under another name than the dataset's: the one that its readers ask for. */
const renamed: Readonly<Record<string, readonly string[]>> = {
  'openpi-norm-stats': ['action', 'observation.state'],
  rlds: ['next.done'],
}

const codec = openCodec()
afterAll(() => codec.close())

test.each(writers.map((writer) => [writer.name, writer] as const))(
  '%s: every feature is in its files by its name, or is named as lost with a reason',
  async (name, writer) => {
    const dataset = createMemoryDataset(features, [
      {
        ...{ length, tasks: ['reach'] },
        columns: new Map([...columns].map(([feature, values]) => [feature.name, values])),
        cameras: new Map([
          [colour.name, paint(3)],
          [depth.name, paint(1)],
        ]),
      },
    ])
    const folder = join(await mkdtemp(join(tmpdir(), 'losses-')), 'out')
    const report = await writer.write(dataset, folder, { codec })
    const bytes = Buffer.concat(await Promise.all(report.files.map(({ path }) => readFile(join(folder, path)))))
    const lost = new Map(report.losses.map(({ feature, reason }) => [feature, reason]))
    const silent = features.filter((feature) => {
      const isKept = renamed[name]?.includes(feature.name) || bytes.includes(feature.name)
      return !isKept && !lost.has(feature.name)
    })
    expect(silent.map((feature) => feature.name)).toEqual([])
    for (const reason of lost.values()) expect(reason).toMatch(/^\S.* .*\.$/)
    // And before it is written: the preview asks by the features alone.
    const told = writer.listLosses(features, readTargetOptions(writer)).map(({ feature }) => feature)
    expect(told.toSorted()).toEqual([...lost.keys()].toSorted())
  },
  120_000,
)

import { join } from 'node:path'
import { getFixture } from '../../../fixtures/fixture.ts'
import type { Dataset } from '../../../formats/src/dataset.ts'
import type { CameraFeature, ColumnFeature } from '../../../formats/src/feature.ts'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { write } from '../../../formats/src/writers/lerobot-v3/writer.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'

/** Kinds of sources that differ where targets may go wrong. */
const fixtures: Readonly<Record<string, string>> = {
  'two-cameras': 'lerobot/recorded-v3.0-two-cameras',
  'v2.1': 'lerobot/recorded-v2.1',
  'h264-tasks': 'lerobot/recorded-v3.0-many-files',
  pictures: 'lerobot/recorded-v3.0-images',
  'no-camera': 'hdf5/robomimic_lift_low_dim.hdf5',
  bimanual: 'hdf5/act_sim_transfer_cube',
  hdf5: 'hdf5/libero_pick_up_the_milk_demo.hdf5',
}

export interface TargetSource {
  name: string
  /** As LeRobot v3, which every target is made from and held against. */
  folder: string
}

/** Each source as a LeRobot v3 dataset in `work/<name>/v3`. */
export async function writeSources(work: string): Promise<TargetSource[]> {
  const sources: TargetSource[] = []
  for (const [name, path] of Object.entries(fixtures)) {
    const folder = join(work, name, 'v3')
    await using dataset = await openDataset(await openFolder(getFixture(path)))
    await write(dataset, folder)
    sources.push({ name, folder })
  }
  const folder = join(work, 'depth', 'v3')
  await write(createDepthDataset(), folder)
  return [...sources, { name: 'depth', folder }]
}

const size = { width: 96, height: 64 }
const lengths = [17, 24]

/** A depth camera whose every distance is known, and a command that moves. */
function createDepthDataset(): Dataset {
  const depth: CameraFeature = {
    ...{ kind: 'camera', name: 'observation.images.depth', storage: 'video', ...size, channels: 1, info: {} },
    depth: { minMeters: 0.1, maxMeters: 4, shift: 0, logarithmic: false, unit: 'm' },
  }
  const action: ColumnFeature = { kind: 'column', name: 'action', dtype: 'float32', shape: [4], names: null }
  const state: ColumnFeature = { ...action, name: 'observation.state' }
  const episodes = lengths.map((length, seed) => ({
    length,
    tasks: [`reach ${seed}`],
    columns: new Map([
      ['action', Float32Array.from({ length: length * 4 }, (_, at) => Math.sin(seed + at / 9))],
      ['observation.state', Float32Array.from({ length: length * 4 }, (_, at) => Math.cos(seed + at / 9))],
    ]),
    cameras: new Map([
      [
        depth.name,
        {
          ...{ kind: 'pixels' as const, frameCount: length, ...size, channels: 1 },
          read: async function* () {
            for (let frameIndex = 0; frameIndex < length; frameIndex++)
              yield { frameIndex, ...size, channels: 1, data: paintDepth(frameIndex) }
          },
        },
      ],
    ]),
  }))
  return createMemoryDataset([action, state, depth], episodes)
}

const paintDepth = (frame: number): Uint16Array =>
  Uint16Array.from({ length: size.width * size.height }, (_, at) => (at * 7 + frame * 131) % 4096)

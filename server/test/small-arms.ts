import type { Dataset } from '@nmp/formats/dataset'
import type { CameraFeature, ColumnFeature } from '@nmp/formats/feature'
import { createMemoryDataset } from '../../formats/test/memory-dataset.ts'
import { drawNumberedPicture } from '../../formats/test/numbered-picture.ts'
import type { Context } from '../src/context.ts'
import { prepareDataset, publishPrepared } from './published-dataset.ts'

const size = { width: 96, height: 64 }
export const radians = (frame: number, joint: string): number =>
  Math.fround(Math.sin(frame * 0.6 + 'abc'.indexOf(joint)))

/** A small arm: joints in an order of their own, one camera, angles in a unit. */
function makeArm(
  fps: number,
  lengths: number[],
  camera: string,
  joints: string[],
  { scale = 1, offset = 0 } = {},
): Dataset {
  const action: ColumnFeature = { kind: 'column', name: 'action', dtype: 'float32', shape: [3], names: joints }
  const view: CameraFeature = { kind: 'camera', name: camera, storage: 'video', ...size, channels: 3, info: {} }
  const episodes = lengths.map((length, episode) => ({
    length,
    tasks: [episode === 0 ? 'push' : 'pull'],
    columns: new Map([
      [
        'action',
        Float32Array.from(
          { length: 3 * length },
          (_, at) => radians(Math.floor(at / 3), joints[at % 3] as string) * scale + offset,
        ),
      ],
    ]),
    cameras: new Map([
      [
        camera,
        {
          kind: 'pixels' as const,
          frameCount: length,
          ...size,
          channels: 3,
          read: async function* () {
            for (let frameIndex = 0; frameIndex < length; frameIndex++)
              yield { frameIndex, ...size, channels: 3, data: drawNumberedPicture(size.width, size.height, frameIndex) }
          },
        },
      ],
    ]),
  }))
  return createMemoryDataset([action, view], episodes, 7, fps)
}

/** Three arms that differ in what a map brings together: rate, camera, order and unit of joints, codec; the last in two revisions. */
export async function publishArms(context: Context, where: { orgId: string; projectId: string }) {
  const published: Awaited<ReturnType<typeof publishPrepared>>[] = []
  let first: Awaited<ReturnType<typeof prepareDataset>> | undefined
  const arms = [
    makeArm(10, [8, 6], 'observation.images.top', ['a', 'b', 'c']),
    makeArm(20, [10, 12, 8], 'observation.images.above', ['c', 'a', 'b'], { scale: 180 / Math.PI }),
    makeArm(10, [4], 'observation.images.top', ['a', 'b', 'c'], { offset: 100 }),
  ]
  for (const [place, arm] of arms.entries()) {
    const prepared = await prepareDataset(arm, place === 0 ? 'h264' : 'av1')
    published.push(await publishPrepared(context, prepared, { ...where, slug: `arm-${place}` }))
    if (place === 0) first = prepared
  }
  // A later revision of the last one, which is the first dataset's.
  if (first) await publishPrepared(context, first, { ...where, slug: 'arm-2' })
  return published
}

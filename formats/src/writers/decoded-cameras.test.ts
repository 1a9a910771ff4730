import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FilePool } from '../bytes.ts'
import { openCodec } from '../containers/codec/codec.ts'
import type { Episode } from '../dataset.ts'
import type { CameraFeature } from '../feature.ts'
import { DecodedCameras } from './decoded-cameras.ts'

test('more cameras than a codec has processes, in more than one block each', async () => {
  const [width, height, frameCount] = [640, 480, 20]
  const workFolder = await mkdtemp(join(tmpdir(), 'decoded-'))
  const file = join(workFolder, 'one.mp4')
  await using codec = openCodec()
  await using pool = new FilePool()
  const frames = async function* () {
    for (let frame = 0; frame < frameCount; frame++) yield new Uint8Array(width * height * 3).fill(frame * 10)
  }
  await codec.encode({ path: file, width, height, settings: { codec: 'h264', fps: 10 }, frames })
  const openCamera = async () => ({ kind: 'packets', file, startFrame: 0, frameCount })
  const episode = { length: frameCount, openCamera } as unknown as Episode
  const cameras = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ feature: { name, width, height } as CameraFeature }))
  await using decoded = new DecodedCameras({ workFolder, codec, pool }, { signal: undefined })
  const read = new Map<string, number>()
  for await (const { camera, block } of decoded.readAll(episode, cameras))
    read.set(camera.feature.name, (read.get(camera.feature.name) ?? 0) + block.frameCount)
  expect([...read]).toEqual(cameras.map(({ feature }) => [feature.name, frameCount]))
}, 40_000)

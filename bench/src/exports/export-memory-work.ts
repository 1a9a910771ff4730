/** `make FOLDER EPISODES` and `export FOLDER TARGET`, each in a process of its own, whose memory is nobody else's. */
import { mkdir } from 'node:fs/promises'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import type { CameraFrames } from '../../../formats/src/dataset.ts'
import type { CameraFeature, ColumnFeature } from '../../../formats/src/feature.ts'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { applyRecipe } from '../../../formats/src/steps/recipe.ts'
import { write } from '../../../formats/src/writers/lerobot-v3/writer.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'
import { measureOwnPeakBytes } from '../own-peak.ts'

const [length, side, width] = [20, 64, 14]

const [what, folder = '', other = ''] = process.argv.slice(2)
if (what === 'make') await make(folder, Number(other))
else console.log(JSON.stringify(await exportPart(folder, other)))

async function make(target: string, episodeCount: number): Promise<void> {
  const camera: CameraFeature = {
    kind: 'camera',
    name: 'observation.images.front',
    storage: 'video',
    width: side,
    height: side,
    channels: 3,
    info: {},
  }
  const columns = ['observation.state', 'action'].map((name): ColumnFeature => {
    return { kind: 'column', name, dtype: 'float32', shape: [width], names: null }
  })
  await mkdir(target)
  const file = `${target}.mp4`
  await using codec = openCodec()
  const frames = async function* () {
    for (let frame = 0; frame < length; frame++) yield new Uint8Array(side * side * 3).fill(60 + frame)
  }
  await codec.encode({ path: file, width: side, height: side, settings: { codec: 'h264', fps: 10 }, frames })
  const film: CameraFrames = { kind: 'packets', file, startFrame: 0, frameCount: length }
  const rows = Float32Array.from({ length: length * width }, (_, at) => Math.sin(at / 100))
  const episode = {
    length,
    tasks: ['stack the blocks'],
    columns: new Map(columns.map(({ name }) => [name, rows])),
    cameras: new Map([[camera.name, film]]),
  }
  const episodes = Array.from({ length: episodeCount }, () => episode)
  await write(createMemoryDataset([...columns, camera], episodes), target, { codec })
}

async function exportPart(source: string, target: string) {
  const loadedBytes = measureOwnPeakBytes()
  await using dataset = await openDataset(await openFolder(source))
  const openedBytes = measureOwnPeakBytes()
  await write(applyRecipe(dataset, { 'select-episodes': { excluded: [1] } }), target, { cameraStatistics: 'carry' })
  const { user, system } = process.cpuUsage()
  return { loadedBytes, openedBytes, peakBytes: measureOwnPeakBytes(), seconds: (user + system) / 1e6 }
}

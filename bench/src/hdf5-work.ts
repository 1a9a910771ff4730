/** The measured halves of the HDF5 bench, each its own process: `node hdf5-work.ts NAME ARGUMENTS`. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { openCodec } from '../../formats/src/containers/codec.ts'
import { createHdf5Reader, getRowBytes } from '../../formats/src/containers/hdf5.ts'
import { openFolder } from '../../formats/src/file-tree.ts'
import { inspectHdf5 } from '../../formats/src/inspect/hdf5-summary.ts'
import { openDataset } from '../../formats/src/layouts/index.ts'
import { write } from '../../formats/src/writers/lerobot-v3.ts'

const readBytes = 32 * 1024 * 1024

const works: Record<string, (...args: string[]) => Promise<unknown>> = {
  async convert(source = '', target = '') {
    await using dataset = await openDataset(await openFolder(source))
    return (await write(dataset, target)).frameCount
  },

  async inspect(source = '') {
    return (await inspectHdf5(source)).dataset_count
  },

  /** The same frames through the same encoder, from a file that holds nothing else. */
  async encode(source = '', target = '', episodes = '', length = '', width = '', height = '', fps = '') {
    const size = { width: Number(width), height: Number(height) }
    const frameBytes = size.width * size.height * 3
    await using codec = openCodec()
    await using file = await open(source)
    for (let episode = 0; episode < Number(episodes); episode++) {
      const frames = async function* () {
        for (let frame = 0; frame < Number(length); frame++) {
          const bytes = Buffer.allocUnsafeSlow(frameBytes)
          await file.read(bytes, 0, frameBytes, (episode * Number(length) + frame) * frameBytes)
          yield bytes
        }
      }
      const path = join(target, `${episode}.mp4`)
      await codec.encode({ path, ...size, settings: { codec: 'av1', fps: Number(fps) }, frames })
    }
    return episodes
  },

  /** Every row of the datasets below the given names, in order. */
  async read(source = '', ...names: string[]) {
    await using reader = createHdf5Reader()
    const tree = await reader.describe(source)
    let total = 0
    for (const name of names) {
      const dataset = tree.findDataset(name)
      if (!dataset) throw new Error(`there is no ${name}`)
      const rows = dataset.shape[0] ?? 0
      const step = Math.max(1, Math.floor(readBytes / getRowBytes(dataset)))
      for (let start = 0; start < rows; start += step) {
        const found = await reader.readRows(source, dataset, start, Math.min(rows, start + step))
        if (found.form === 'packed') total += found.bytes.length
      }
    }
    return total
  },
}

const [name = '', ...args] = process.argv.slice(2)
console.log(await works[name]?.(...args))

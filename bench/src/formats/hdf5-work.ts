/**
 * The measured halves of the HDF5 bench, each its own process: `node hdf5-work.ts NAME ARGUMENTS`. Each imports what it
 * needs and no more, so that loading the encoder is not counted as reading.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

// As the layouts read pictures.
const readBytes = 8 * 1024 * 1024

const works: Record<string, (...args: string[]) => Promise<unknown>> = {
  async convert(source = '', target = '') {
    const { openFolder } = await import('../../../formats/src/file-tree.ts')
    const { openDataset } = await import('../../../formats/src/layouts/index.ts')
    const { write } = await import('../../../formats/src/writers/lerobot-v3/writer.ts')
    await using dataset = await openDataset(await openFolder(source))
    return (await write(dataset, target)).frameCount
  },

  async inspect(source = '') {
    const { inspectHdf5 } = await import('../../../formats/src/inspect/hdf5-summary.ts')
    return (await inspectHdf5(source)).dataset_count
  },

  /** The same frames through the same encoder, from a file that holds nothing else. */
  async encode(source = '', target = '', episodes = '', ...shape: string[]) {
    const [length, width, height, fps] = shape.map(Number) as [number, number, number, number]
    const { openCodec } = await import('../../../formats/src/containers/codec/codec.ts')
    const size = { width, height }
    const frameBytes = size.width * size.height * 3
    await using codec = openCodec()
    await using file = await open(source)
    for (let episode = 0; episode < Number(episodes); episode++) {
      const frames = async function* () {
        for (let frame = 0; frame < length; frame++) {
          const bytes = Buffer.allocUnsafeSlow(frameBytes)
          await file.read(bytes, 0, frameBytes, (episode * length + frame) * frameBytes)
          yield bytes
        }
      }
      const path = join(target, `${episode}.mp4`)
      await codec.encode({ path, ...size, settings: { codec: 'av1', fps }, frames })
    }
    return episodes
  },

  /** Every row of the datasets below the given names, in order. */
  async read(source = '', ...names: string[]) {
    const { createHdf5Reader, getRowBytes } = await import('../../../formats/src/containers/hdf5/hdf5.ts')
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

import { BoundedMap } from '@nmp/formats/bounded-map'
import { type OpenByteSource, openFile } from '@nmp/formats/bytes'
import type { Blob } from '../storage/repository.ts'
import type { ObjectStorage } from '../storage/storage.ts'

const blockBytes = 256 * 1024
const keptBlocks = 16

/**
 * A stored object for the readers of `formats`: the file itself where the store is a folder of this machine, ranges elsewhere. An
 * index and the packets of one frame are then some hundred kilobytes of a video of any size.
 */
export async function openObject(storage: ObjectStorage, blob: Blob): Promise<OpenByteSource> {
  const path = await storage.locateObject(blob.storeKey)
  return path === undefined ? createRangeSource(storage, blob) : openFile(path)
}

function createRangeSource(storage: ObjectStorage, { storeKey, sizeBytes }: Blob): OpenByteSource {
  const blocks = new BoundedMap<number, Promise<Uint8Array>>(keptBlocks)

  const fetchRange = async (start: number, end: number): Promise<Uint8Array> => {
    const { body } = await storage.getObject(storeKey, { range: { start, end } })
    return new Uint8Array(Buffer.concat(await body.toArray()))
  }

  const readBlock = (number: number): Promise<Uint8Array> => {
    const start = number * blockBytes
    const block = blocks.get(number) ?? fetchRange(start, Math.min(start + blockBytes, sizeBytes))
    blocks.set(number, block)
    block.catch(() => blocks.delete(number))
    return block
  }

  const read = async (start: number, end: number): Promise<Uint8Array> => {
    if (!(start >= 0 && start <= end && end <= sizeBytes))
      throw new RangeError(`bytes ${start} to ${end} are outside an object of ${sizeBytes}`)
    if (end - start > 4 * blockBytes) return fetchRange(start, end)
    const bytes = new Uint8Array(end - start)
    for (let at = start; at < end; ) {
      const number = Math.floor(at / blockBytes)
      const block = await readBlock(number)
      const from = at - number * blockBytes
      const piece = block.subarray(from, Math.min(block.length, from + end - at))
      bytes.set(piece, at - start)
      at += piece.length
    }
    return bytes
  }

  const close = async (): Promise<void> => blocks.clear()
  return { length: async () => sizeBytes, read, close, [Symbol.asyncDispose]: close }
}

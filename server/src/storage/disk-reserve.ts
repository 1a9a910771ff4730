import { statfs } from 'node:fs/promises'
import { ServiceError } from '../errors.ts'
import type { ObjectStorage } from './storage.ts'

/** How long an answer of the disk is believed. */
const rememberedMilliseconds = 500
/** A body without a known size is asked about this often. */
const stepBytes = 16 * 1024 * 1024

export interface DiskReserve {
  /** Throws `disk_full` where so many bytes more would take what is kept free. */
  requireRoom(neededBytes: number): Promise<void>
  /** How it stands; null where the file system has no size. */
  describe(): Promise<DiskRoom | null>
}

interface DiskRoom {
  sizeBytes: number
  freeBytes: number
  keptBytes: number
}

/** Of the disk that a folder is on. A small disk keeps a tenth of itself free rather than all of it. */
export function createDiskReserve(folder: string, reserveBytes: number): DiskReserve {
  const look = async (): Promise<DiskRoom> => {
    const { bavail, blocks, bsize } = await statfs(folder)
    const sizeBytes = blocks * bsize
    return { sizeBytes, freeBytes: bavail * bsize, keptBytes: Math.min(reserveBytes, Math.floor(sizeBytes / 10)) }
  }
  let seen = { freeBytes: Number.POSITIVE_INFINITY, keptBytes: 0, until: 0 }
  return {
    async requireRoom(neededBytes) {
      const fits = (): boolean => seen.freeBytes - neededBytes > seen.keptBytes
      // Room is believed for a while; that there is none is asked every time, since somebody may have made some.
      if (seen.until < performance.now() || !fits()) {
        const { sizeBytes, freeBytes, keptBytes } = await look()
        // A file system without a size has no end.
        const room = sizeBytes === 0 ? Number.POSITIVE_INFINITY : freeBytes
        seen = { freeBytes: room, keptBytes, until: performance.now() + rememberedMilliseconds }
      }
      if (fits()) return
      const { freeBytes, keptBytes } = seen
      throw new ServiceError(
        'disk_full',
        `The disk is full: ${freeBytes} bytes are free, of which ${keptBytes} are kept (NMP_DISK_RESERVE_BYTES), ` +
          'so nothing can be stored. Reading goes on. Tell the operator.',
        { retryAfterSeconds: 60 },
      )
    },
    async describe() {
      const room = await look()
      return room.sizeBytes === 0 ? null : room
    },
  }
}

/** A folder on that disk, which takes nothing that would fill it. */
export function withReserve<T extends ObjectStorage>(storage: T, reserve: DiskReserve): T {
  return {
    ...storage,
    async putObject(key, body, options) {
      await reserve.requireRoom(options?.sizeHintBytes ?? 0)
      return storage.putObject(key, boundByReserve(body, reserve), options)
    },
    async beginMultipart(key, partSizeBytes) {
      await reserve.requireRoom(0)
      return storage.beginMultipart(key, partSizeBytes)
    },
    async putPart(upload, partNumber, bytes) {
      await reserve.requireRoom(bytes.byteLength)
      return storage.putPart(upload, partNumber, bytes)
    },
  }
}

async function* boundByReserve(body: AsyncIterable<Uint8Array>, reserve: DiskReserve): AsyncGenerator<Uint8Array> {
  let unaskedBytes = 0
  for await (const chunk of body) {
    unaskedBytes += chunk.byteLength
    if (unaskedBytes >= stepBytes) {
      await reserve.requireRoom(unaskedBytes)
      unaskedBytes = 0
    }
    yield chunk
  }
}

import { openVideo, type Video } from '@nmp/formats/video'
import { ServiceError } from '../errors.ts'
import type { Blob } from '../storage/repository.ts'
import type { GuardedStorage } from '../storage/storage.ts'
import { openObject } from './object-source.ts'
import { createOpenCache } from './open-cache.ts'

/** Video files with their index read: a page of posters needs the same one ninety-six times. */
export interface OpenVideos {
  use<T>(blob: Blob, name: string, work: (video: Video) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const keptVideos = 32

export function createOpenVideos(storage: GuardedStorage): OpenVideos {
  const opened = createOpenCache<{ video: Video; close(): Promise<void> }>(keptVideos)
  const open = async (blob: Blob, name: string) => {
    const source = await openObject(storage, blob)
    try {
      const video = await openVideo(source, { name })
      const close = async () => {
        await video.close()
        await source.close()
      }
      return { video, close }
    } catch (error) {
      await source.close()
      throw error
    }
  }
  return {
    async use(blob, name, work) {
      await storage.requireSound(blob.storeKey)
      try {
        return await opened.use(
          blob.storeKey,
          () => open(blob, name),
          ({ video }) => work(video),
        )
      } catch (error) {
        // A stored video was readable when it came in: one that is not any more is looked at, byte by byte.
        if (!(error instanceof ServiceError) || error.status >= 500) await storage.verify(blob)
        throw error
      }
    },
    close: opened.close,
  }
}

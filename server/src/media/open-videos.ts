import { openVideo, type Video } from '@nmp/formats/video'
import type { Blob } from '../storage/repository.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { openObject } from './object-source.ts'
import { createOpenCache } from './open-cache.ts'

/** Video files with their index read: a page of posters needs the same one ninety-six times. */
export interface OpenVideos {
  use<T>(blob: Blob, name: string, work: (video: Video) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const keptVideos = 32

export function createOpenVideos(storage: ObjectStorage): OpenVideos {
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
    use: (blob, name, work) =>
      opened.use(
        blob.storeKey,
        () => open(blob, name),
        ({ video }) => work(video),
      ),
    close: opened.close,
  }
}

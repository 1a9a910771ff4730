import type { Episode } from '../../dataset.ts'
import { KeptVideos } from './kept.ts'
import type { CameraFiles, OpenRanges, VideoPlace } from './videos.ts'

/** Where the frames of a camera go. */
export type VideoFiles = CameraFiles | KeptVideos

/** An episode's frames of one camera, found and not yet written. */
export interface OpenFilm {
  openRanges(): Promise<OpenRanges>
  append(): Promise<VideoPlace>
}

export async function openFilm(episode: Episode, camera: string, files: VideoFiles): Promise<OpenFilm> {
  const frames = await episode.openCamera(camera)
  if (files instanceof KeptVideos) {
    const range = files.takeRange(frames)
    return { openRanges: () => files.openRanges(range), append: () => files.append(range) }
  }
  const ranges = await files.openRanges(frames, episode.sourceIndex)
  return { openRanges: async () => ranges, append: () => files.append(ranges) }
}

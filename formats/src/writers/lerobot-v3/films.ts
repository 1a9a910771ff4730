import type { Episode } from '../../dataset.ts'
import { type KeptRange, KeptVideos } from './kept.ts'
import type { CameraFiles, OpenRanges, VideoPlace } from './videos.ts'

/** Where the frames of a camera go. */
export type VideoFiles = CameraFiles | KeptVideos

/** An episode's frames of one camera, found and not yet written. */
export interface OpenFilm {
  openRanges(): Promise<OpenRanges>
  append(): Promise<VideoPlace>
}

/** Of an episode whose turn has not come: undefined where that would encode anything, or close what the ones before it read. */
export async function openFilmAhead(
  episode: Episode,
  camera: string,
  files: VideoFiles,
): Promise<OpenFilm | undefined> {
  const frames = await episode.openCamera(camera)
  if (files instanceof KeptVideos) {
    const range = files.takeRange(frames)
    return files.isOpen(range) ? createKeptFilm(files, range) : undefined
  }
  const ranges = await files.findCopies(frames)
  return ranges && { openRanges: async () => ranges, append: () => files.append(ranges) }
}

export async function openFilm(episode: Episode, camera: string, files: VideoFiles): Promise<OpenFilm> {
  const frames = await episode.openCamera(camera)
  if (files instanceof KeptVideos) return createKeptFilm(files, files.takeRange(frames))
  const ranges = await files.openRanges(frames, episode.sourceIndex)
  return { openRanges: async () => ranges, append: () => files.append(ranges) }
}

const createKeptFilm = (files: KeptVideos, range: KeptRange): OpenFilm => ({
  openRanges: () => files.openRanges(range),
  append: () => files.append(range),
})

import type { FilePool } from '../bytes.ts'
import type { Codec } from '../containers/codec/codec.ts'
import { openVideo, type Video } from '../containers/video/video.ts'
import type { Dataset, PacketFrames } from '../dataset.ts'
import type { CameraFeature } from '../feature.ts'
import { type CameraStatistics, listSampledFrames } from '../statistics/camera.ts'

/** A camera of an episode whose pixels were changed ahead of the writer: a file of its own, whole and on the grid. */
export interface EncodedCamera {
  readonly file: string
  readonly statistics: CameraStatistics
}

export interface EncodeCameraRequest {
  readonly codec: Codec
  readonly pool: FilePool
  readonly camera: CameraFeature
  readonly fps: number
  /** Frames' file, where it is open already. */
  readonly source?: Video
  /** With the transform that the frames are to get. */
  readonly frames: PacketFrames
  readonly path: string
  readonly signal?: AbortSignal
}

/** Does ahead of time, and perhaps on another machine, what the v3 writer would do with these frames: the same packets come of it. */
export async function encodeCamera(request: EncodeCameraRequest): Promise<EncodedCamera> {
  const { codec, pool, camera, fps, frames, path, signal } = request
  const opened =
    request.source ?? (await openVideo(pool.createSource(frames.file), { name: frames.name ?? frames.file, signal }))
  await using own = request.source ? undefined : opened
  const { frameCount } = await codec.transcode({
    from: {
      video: own ?? opened,
      startFrame: frames.startFrame,
      endFrame: frames.startFrame + frames.frameCount,
      picked: frames.picked,
    },
    path,
    settings: { codec: camera.depth ? 'depth' : (camera.stream?.codec ?? 'av1'), fps },
    ...(frames.transform && { transform: frames.transform }),
    signal,
  })
  await using video = await openVideo(pool.createSource(path), { name: path, signal })
  const pixels = camera.depth ? 'depth' : 'rgb'
  const statistics = await codec.measure({ video, frames: listSampledFrames(frameCount), pixels, signal })
  return { file: path, statistics }
}

/** The dataset with files made by `encodeCamera` in the place of the changes they hold. Positions are those of `dataset`. */
export function withEncodedCameras(
  dataset: Dataset,
  find: (position: number, camera: string) => Promise<EncodedCamera | undefined>,
): Dataset {
  return {
    ...dataset,
    getEpisode: (position) => {
      const episode = dataset.getEpisode(position)
      return {
        ...episode,
        openCamera: async (camera) => {
          const found = await find(position, camera)
          if (!found) return episode.openCamera(camera)
          return { kind: 'packets', file: found.file, startFrame: 0, frameCount: episode.length }
        },
        findCameraStatistics: async (camera) => {
          const found = await find(position, camera)
          return found ? { statistics: found.statistics, isOfWhole: false } : episode.findCameraStatistics?.(camera)
        },
      }
    },
  }
}

import { holdHead, openFile } from '../../bytes.ts'
import { findSampleTable } from '../../containers/video/table.ts'
import { openVideo, type Video } from '../../containers/video/video.ts'
import type { VideoShape } from '../../dataset.ts'
import { describeCause, FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import type { FileTree } from '../../file-tree.ts'

/** A video as the layouts need it: facts only, the file is closed again. */
export interface ProbedVideo extends VideoShape {
  readonly frameCount: number
  readonly sizeBytes: number
  /** Times are an exact i/fps grid from 0. */
  readonly isOnGrid: boolean
  readonly isKeyframe: (frame: number) => boolean
}

/** `frameCount`: of a video that nobody here can decode, where its index tells it. */
export type Probe =
  | { readonly video: ProbedVideo }
  | { readonly missing: string }
  | { readonly unreadable: string; readonly frameCount?: number }

const lfsPointer = 'version https://git-lfs'
/** LeRobot's loader accepts 1e-4; a file kept as it is has to be well inside. */
const gridToleranceSeconds = 2e-5

export async function probeVideo(tree: FileTree, path: string, fps: number, signal?: AbortSignal): Promise<Probe> {
  const entry = await tree.find(path)
  if (!entry) return { missing: `${path} is missing` }
  await using file = await openFile(await tree.locate(path))
  const source = holdHead(file)
  if (entry.sizeBytes < 1024) {
    const text = new TextDecoder().decode(await source.read(0, entry.sizeBytes))
    if (text.startsWith(lfsPointer)) return { missing: `${path} is a git-lfs pointer, not the video` }
  }
  try {
    await using video: Video = await openVideo(source, { name: path, signal })
    const { frameCount, codec, width, height, pixelFormat, keyframes } = video.facts
    return {
      video: {
        ...{ frameCount, codec, width, height, pixelFormat, sizeBytes: entry.sizeBytes },
        isOnGrid: video.measureGridError(fps) <= gridToleranceSeconds,
        isKeyframe: (frame) => hasSorted(keyframes, frame),
      },
    }
  } catch (cause) {
    if (signal?.aborted) throw cause
    const isForeign = cause instanceof FormatError && cause.code === 'unsupported'
    const table = isForeign ? await findSampleTable(source, path).catch(() => undefined) : undefined
    const unreadable = describeCause(cause).replace(/\.$/, '')
    return table ? { unreadable, frameCount: table.sizes.length } : { unreadable }
  }
}

export function hasSize(video: ProbedVideo, camera: CameraFeature): boolean {
  return video.width === camera.width && video.height === camera.height
}

function hasSorted(sorted: Uint32Array, wanted: number): boolean {
  let low = 0
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted
}

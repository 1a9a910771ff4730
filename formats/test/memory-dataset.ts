import type { Block, CameraFrames, Dataset, Values } from '../src/dataset.ts'
import { FormatError } from '../src/errors.ts'
import { countValues, type Feature, isColumn } from '../src/feature.ts'
import { defaultSplits } from '../src/splits.ts'

export interface MemoryEpisode {
  readonly length: number
  readonly tasks: readonly string[]
  /** Default: those of a source that names none. */
  readonly splits?: readonly string[]
  readonly taskIndex?: Uint32Array
  readonly columns: ReadonlyMap<string, Values>
  readonly cameras?: ReadonlyMap<string, CameraFrames>
}

/** A dataset made by a test, given out in blocks of `blockRows`. */
export function createMemoryDataset(
  features: readonly Feature[],
  episodes: readonly MemoryEpisode[],
  blockRows = 7,
  fps = 10,
): Dataset {
  return {
    origin: { layout: 'memory', version: '1', details: {} },
    fps,
    robotType: null,
    features,
    episodeCount: episodes.length,
    frameCount: episodes.reduce((sum, { length }) => sum + length, 0),
    findings: [],
    getEpisode: (position) => {
      const episode = episodes[position] as MemoryEpisode
      return {
        sourceIndex: position,
        sourceId: `episode ${position}`,
        length: episode.length,
        tasks: episode.tasks,
        splits: episode.splits ?? defaultSplits,
        readBlocks: async function* ({ startFrame = 0, endFrame = episode.length } = {}) {
          for (let frame = startFrame; frame < endFrame; frame += blockRows) {
            yield sliceBlock(features, episode, frame, Math.min(blockRows, endFrame - frame))
          }
        },
        openCamera: async (camera) => {
          const frames = episode.cameras?.get(camera)
          if (!frames) throw new FormatError('episode_unreadable', `no camera ${camera}.`)
          return frames
        },
      }
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

function sliceBlock(
  features: readonly Feature[],
  episode: MemoryEpisode,
  startFrame: number,
  frameCount: number,
): Block {
  const columns = features.filter(isColumn).map(({ name, shape }) => {
    const values = episode.columns.get(name) as Float32Array
    const width = Array.isArray(values) ? 1 : countValues(shape)
    return [name, values.slice(startFrame * width, (startFrame + frameCount) * width)] as const
  })
  const taskIndex = episode.taskIndex?.slice(startFrame, startFrame + frameCount)
  return { startFrame, frameCount, columns: new Map(columns), ...(taskIndex && { taskIndex }) }
}

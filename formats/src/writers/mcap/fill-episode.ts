import type { Block, Dataset, Episode, Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { isColumn } from '../../feature.ts'
import type { EpisodeFile } from './episode-file.ts'
import type { CameraTopic } from './pictures.ts'
import { RecordBytes } from './record-bytes.ts'
import { putTimestamp, putValue } from './schemas.ts'
import { describeSignalOf, taskTopic } from './signals.ts'

export interface EpisodeContents {
  readonly dataset: Dataset
  readonly episode: Episode
  readonly episodeIndex: number
  readonly cameras: readonly CameraTopic[]
  readonly signal: AbortSignal | undefined
}

/** Pictures that lie in the rows are read with few rows at a time: a block of them could be a gigabyte. */
const pictureWindow = 32

/** Every row with its pictures, frame after frame: readers see the order of the times. */
export async function fillEpisode(file: EpisodeFile, contents: EpisodeContents): Promise<void> {
  const { dataset, episode, episodeIndex, cameras, signal } = contents
  file.addMetadata('nmp.episode', describeEpisode(dataset, episode, episodeIndex))
  const writeBlock = openTopics(file, contents)
  const hasPictures = cameras.some(({ schema }) => schema.name === 'foxglove.CompressedImage')
  const step = hasPictures ? pictureWindow : episode.length
  let frame = 0
  for (let startFrame = 0; startFrame < episode.length; startFrame += step) {
    const endFrame = Math.min(startFrame + step, episode.length)
    for await (const block of episode.readBlocks({ startFrame, endFrame, ...(signal && { signal }) })) {
      if (block.startFrame !== frame) throw new FormatError('episode_unreadable', `row ${frame} is missing.`)
      signal?.throwIfAborted()
      await writeBlock(block)
      frame += block.frameCount
    }
  }
  if (frame !== episode.length)
    throw new FormatError('episode_unreadable', `it has ${frame} rows instead of ${episode.length}.`)
}

function openTopics(file: EpisodeFile, { dataset, episode, cameras }: EpisodeContents) {
  const task = file.addTopic(taskTopic)
  const columns = dataset.features.filter(isColumn).map(describeSignalOf)
  const signals = columns.map((signal) => ({ ...signal, channel: file.addTopic(signal) }))
  const shownPictures = cameras.map(({ pictures, ...topic }) => ({ channel: file.addTopic(topic), pictures }))
  const timestamp = new RecordBytes(32)
  let shown: number | undefined
  return async ({ startFrame, frameCount, columns: values, taskIndex }: Block): Promise<void> => {
    const blocks = signals.map(({ channel, name, put }) => ({ channel, put, values: values.get(name) as Values }))
    for (let row = 0; row < frameCount; row++) {
      const nanoseconds = findNanoseconds(startFrame + row, dataset.fps)
      timestamp.reset()
      putTimestamp(timestamp, nanoseconds)
      const begin = (channel: number) => {
        const message = file.begin(channel, nanoseconds)
        message.putPart(timestamp.memory, 0, timestamp.length)
        return message
      }
      const current = taskIndex?.[row] ?? 0
      // A task holds until the next message.
      if (current !== shown) {
        putValue(begin(task), Buffer.from(episode.tasks[current] ?? ''))
        file.end()
      }
      shown = current
      for (const { channel, put, values: block } of blocks) {
        put(begin(channel), block, row)
        file.end()
      }
      for (const { channel, pictures } of shownPictures) {
        if (!pictures.isReady && !(await pictures.wait()))
          throw new FormatError('episode_unreadable', 'a camera has fewer pictures than rows.')
        pictures.put(begin(channel))
        file.end()
      }
      if (file.isChunkFull) await file.endChunk()
    }
  }
}

/** Of the grid that every stream is on, counted from the start of the episode. */
const findNanoseconds = (frame: number, fps: number): number => Math.round((frame * 1e9) / fps)

function describeEpisode({ fps, robotType }: Dataset, { tasks, splits, length, sourceId }: Episode, index: number) {
  return {
    episode_index: String(index),
    source_id: sourceId,
    length: String(length),
    fps: String(fps),
    robot_type: robotType ?? '',
    tasks: JSON.stringify(tasks),
    splits: JSON.stringify(splits),
  }
}

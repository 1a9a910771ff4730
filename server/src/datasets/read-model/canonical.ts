import { isColumn, labelDimensions } from '@nmp/formats/feature'
import type { FileTree } from '@nmp/formats/file-tree'
import { readStoredDataset } from '@nmp/formats/lerobot/stored-table'
import { nameAction, nameState, type SignalRoles } from '@nmp/formats/signal-roles'
import { describeCamera, describeSignal, listAnnotationKeys } from './features.ts'
import type { EpisodeColumns } from './format.ts'
import { orderByLength } from './lengths.ts'
import type { ReadModelManifest } from './manifest.ts'

type Described = Omit<ReadModelManifest, 'statistics' | 'insights'>

/** What a stored dataset says about itself, as columns and as the manifest that goes with them. */
export async function readCanonical(
  tree: FileTree,
  roles: SignalRoles | undefined,
  signal?: AbortSignal,
): Promise<{ columns: EpisodeColumns; described: Described }> {
  const stored = await readStoredDataset(tree, signal)
  const { info, features, table } = stored
  const episodeCount = table.lengthFrames.length
  const splits = encodeSplits(episodeCount, stored.splitsOf)
  // The empty text of a dataset without tasks is stored for loaders only.
  const tasks = stored.tasks.filter((text) => text !== '')
  let sizeBytes = 0
  for (const file of await tree.list()) sizeBytes += file.sizeBytes
  let frameCount = 0
  for (const length of table.lengthFrames) frameCount += length
  return {
    columns: {
      ...table,
      ...encodeTexts(stored.tasks),
      byLength: orderByLength(table.lengthFrames),
      sourceIndex: stored.sourceIndex,
      ...splits.columns,
    },
    described: {
      schema: 1,
      codebase_version: info.version,
      robot_type: info.robotType,
      fps: info.fps,
      total_episodes: episodeCount,
      total_frames: frameCount,
      total_tasks: tasks.length,
      split_names: splits.names,
      origin: stored.origin,
      features: features.map((feature) => ({
        name: feature.name,
        dtype: isColumn(feature) ? feature.dtype : feature.storage,
        shape: isColumn(feature) ? [...feature.shape] : [feature.height, feature.width, feature.channels],
        names: isColumn(feature) && feature.names !== null ? labelDimensions(feature) : null,
      })),
      cameras: features.flatMap((feature) => describeCamera(feature, info.fps)),
      ...(roles && { roles }),
      state: describeSignal(features, nameState({ roles })),
      action: describeSignal(features, nameAction({ roles })),
      annotation_keys: listAnnotationKeys(features),
      tasks: tasks.slice(0, 100),
      data_files: stored.dataFiles,
      video_files: stored.videoKeys.map((key, video) => ({ key, files: stored.videoFiles[video] ?? [] })),
      feature_statistics: stored.statistics,
      size_bytes: sizeBytes,
    },
  }
}

export function encodeTexts(texts: readonly string[]): { taskText: Uint8Array; taskTextStarts: Uint32Array } {
  const encoded = texts.map((text) => Buffer.from(text))
  const starts = new Uint32Array(texts.length + 1)
  for (const [index, bytes] of encoded.entries()) starts[index + 1] = (starts[index] ?? 0) + bytes.byteLength
  return { taskText: new Uint8Array(Buffer.concat(encoded)), taskTextStarts: starts }
}

/** Names in the order of their first episode, and each episode's as numbers. */
export function encodeSplits(
  episodeCount: number,
  splitsOf: (episode: number) => readonly string[],
): { names: string[]; columns: { splitStarts: Uint32Array; splitIds: Uint32Array } } {
  const numbers = new Map<string, number>()
  const splitStarts = new Uint32Array(episodeCount + 1)
  const splitIds: number[] = []
  for (let episode = 0; episode < episodeCount; episode++) {
    for (const name of splitsOf(episode)) {
      const number = numbers.get(name) ?? numbers.size
      numbers.set(name, number)
      splitIds.push(number)
    }
    splitStarts[episode + 1] = splitIds.length
  }
  return { names: [...numbers.keys()], columns: { splitStarts, splitIds: Uint32Array.from(splitIds) } }
}

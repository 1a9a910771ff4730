import type { MergePlan } from '@nmp/formats/merge/plan-merge'
import { mapTask, type SourceMap } from '@nmp/formats/merge/source-map'
import { encodeSplits, encodeTexts } from '../../datasets/read-model/canonical.ts'
import type { EpisodeColumns } from '../../datasets/read-model/format.ts'
import { describeLengths, orderByLength } from '../../datasets/read-model/lengths.ts'
import type { ReadModelManifest } from '../../datasets/read-model/manifest.ts'
import { type ModelPart, ReadModel } from '../../datasets/read-model/model.ts'
import { findPart, nameFile } from '../../datasets/read-model/parts.ts'
import { describeSignals } from '../derive/derive-features.ts'
import { describeMergedCameras } from './merged-cameras.ts'
import { describeMergedFeatures } from './merged-features.ts'

/** The place in a list of files of an episode whose part has no such file. */
const noFile = 0xffffffff

/** The read model of several sources as one, from theirs: the episodes of each in order, in the files that hold them. Scores are not in it. */
export function joinModels(
  parts: readonly ModelPart[],
  plan: MergePlan,
  taskMaps: readonly SourceMap['tasks'][],
): ReadModel {
  const count = parts.reduce((sum, { model }) => sum + model.episodeCount, 0)
  const lengthFrames = join(parts, count, ({ columns }) => columns.lengthFrames)
  const fromIndex = new Float64Array(count)
  for (let index = 1; index < count; index++)
    fromIndex[index] = (fromIndex[index - 1] as number) + (lengthFrames[index - 1] as number)
  const byLength = orderByLength(lengthFrames)
  const data = listFiles(parts, ({ manifest }) => manifest.data_files)
  const cameras = describeMergedCameras(plan, parts)
  const videos = cameras.filter(({ storage }) => storage === 'video').map(({ key }) => joinVideo(parts, key, count))
  const tasks = joinTasks(parts, count, taskMaps)
  const splits = encodeSplits(count, (episode) => {
    const { start, model } = findPart(parts, episode)
    return model.listSplitsOf(episode - start)
  })
  const columns: EpisodeColumns = {
    lengthFrames,
    fromIndex,
    sourceIndex: Float64Array.from(parts.flatMap(({ model }) => [...model.columns.sourceIndex])),
    dataFile: join(parts, count, ({ columns: own }, place) =>
      own.dataFile.map((file) => file + (data.starts[place] as number)),
    ),
    videoFile: videos.map(({ file }) => file),
    videoStart: videos.map(({ start }) => start),
    ...tasks.columns,
    ...splits.columns,
    byLength,
  }
  const features = describeMergedFeatures(plan.features)
  const [first] = parts as [ModelPart, ...ModelPart[]]
  const { roles: _, ...unnamed } = first.model.manifest
  const manifest: ReadModelManifest = {
    ...unnamed,
    robot_type: plan.robotType,
    fps: plan.fps,
    total_episodes: count,
    total_frames: lengthFrames.reduce((sum, length) => sum + length, 0),
    total_tasks: tasks.texts.length,
    tasks: tasks.texts.slice(0, 100),
    split_names: splits.names,
    features,
    ...describeSignals(features, plan.roles),
    cameras,
    data_files: data.files,
    video_files: videos.map(({ key, files }) => ({ key, files })),
    statistics: describeLengths(lengthFrames, byLength, plan.fps),
    insights: { supported: false, signal: null, dimensions: [], median_step: null },
    feature_statistics: {},
  }
  // Columns of the whole are about as large as those of its parts, which it holds.
  const sizeBytes = 2 * parts.reduce((sum, { model }) => sum + model.sizeBytes, 0)
  return new ReadModel(manifest, columns, sizeBytes, undefined, parts)
}

function join(
  parts: readonly ModelPart[],
  count: number,
  find: (model: ReadModel, place: number) => Uint32Array,
): Uint32Array {
  const joined = new Uint32Array(count)
  for (const [place, { start, model }] of parts.entries()) joined.set(find(model, place), start)
  return joined
}

/** Files of all parts, and where those of each begin. */
function listFiles(parts: readonly ModelPart[], find: (model: ReadModel) => readonly string[]) {
  const files: string[] = []
  const starts = parts.map(({ model }, place) => {
    const start = files.length
    for (const path of find(model)) files.push(nameFile(place, path))
    return start
  })
  return { files, starts }
}

function joinVideo(parts: readonly ModelPart[], key: string, count: number) {
  const placeIn = ({ manifest }: ReadModel): number => manifest.video_files.findIndex((video) => video.key === key)
  const { files, starts } = listFiles(parts, (model) => model.manifest.video_files[placeIn(model)]?.files ?? [])
  const file = join(parts, count, (model, place) => {
    const own = model.columns.videoFile[placeIn(model)]
    return own?.map((at) => at + (starts[place] as number)) ?? new Uint32Array(model.episodeCount).fill(noFile)
  })
  const start = join(
    parts,
    count,
    (model) => model.columns.videoStart[placeIn(model)] ?? new Uint32Array(model.episodeCount),
  )
  return { key, files, file, start }
}

/** One task for each text, numbered as the writer will: in the order of first use. */
function joinTasks(parts: readonly ModelPart[], count: number, maps: readonly SourceMap['tasks'][]) {
  const numbers = new Map<string, number>()
  const numberOf = (text: string): number => {
    const known = numbers.get(text) ?? numbers.size
    numbers.set(text, known)
    return known
  }
  const taskStarts = new Uint32Array(count + 1)
  const taskIds: number[] = []
  for (const [place, { start, model }] of parts.entries()) {
    const { taskStarts: starts, taskIds: ids } = model.columns
    const renumbered = new Int32Array(model.taskCount).fill(-1)
    for (let episode = 0; episode < model.episodeCount; episode++) {
      const own = new Set<number>()
      for (let at = starts[episode] as number; at < (starts[episode + 1] as number); at++) {
        const task = ids[at] as number
        if (renumbered[task] === -1) renumbered[task] = numberOf(mapTask(model.getTask(task), maps[place]))
        own.add(renumbered[task] as number)
      }
      taskIds.push(...own)
      taskStarts[start + episode + 1] = taskIds.length
    }
  }
  const texts = [...numbers.keys()]
  return { texts, columns: { taskStarts, taskIds: Uint32Array.from(taskIds), ...encodeTexts(texts) } }
}

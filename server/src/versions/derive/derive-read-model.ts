import { planEncoder } from '@nmp/formats/codec/plan'
import { appendTransform, type PixelTransform } from '@nmp/formats/image'
import { nameAction } from '@nmp/formats/signal-roles'
import { successColumn } from '@nmp/formats/statistics/success'
import { encodeSplits } from '../../datasets/read-model/canonical.ts'
import { labelCamera } from '../../datasets/read-model/features.ts'
import { describeLengths, orderByLength } from '../../datasets/read-model/lengths.ts'
import type { CameraEntry, ReadModelManifest } from '../../datasets/read-model/manifest.ts'
import { ReadModel } from '../../datasets/read-model/model.ts'
import { findStartRow } from '../../datasets/read-model/start-row.ts'
import type { PlannedCamera, RecipePlan } from '../plan/plan.ts'
import type { StoredAnnotations } from '../recipe/annotations.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { deriveRoles, describeFeatures, describeSignals } from './derive-features.ts'
import { countMoved, deriveFrames } from './derive-frames.ts'
import { deriveTasks } from './derive-tasks.ts'

/** About what the ranges of an episode take in memory. */
const bytesPerCut = 200

/**
 * What the read model of the recipe's result will hold, from the source's alone: nothing is read. Motion scores stay where nothing that
 * they are made of changes and are missing elsewhere (`withScores` adds them); statistics of features are measured when they are asked for.
 */
export function deriveReadModel(
  source: ReadModel,
  recipe: Recipe,
  plan: RecipePlan,
  annotations: StoredAnnotations | null,
): ReadModel {
  const { episodes, cameras, lengths: lengthFrames } = plan
  const { columns, manifest } = source
  const derived = deriveFrames(source, recipe, plan)
  const pickStart = (starts: Uint32Array): Uint32Array =>
    episodes.map((episode, index) => (starts[episode] as number) + countMoved(source, plan, derived.frames, index))
  const fromIndex = new Float64Array(episodes.length)
  for (let index = 1; index < episodes.length; index++)
    fromIndex[index] = (fromIndex[index - 1] as number) + (lengthFrames[index - 1] as number)
  const byLength = orderByLength(lengthFrames)
  const videos = manifest.video_files.flatMap(({ key }, video) =>
    cameras.some(({ camera }) => camera.key === key) ? [video] : [],
  )
  const tasks = deriveTasks(source, plan, annotations)
  const features = describeFeatures(source, plan)
  const splits = encodeSplits(episodes.length, (index) => source.listSplitsOf(episodes[index] as number))
  const columnsAfter = {
    lengthFrames,
    fromIndex,
    sourceIndex: Float64Array.from(episodes),
    dataFile: pick(columns.dataFile, episodes),
    videoFile: videos.map((video) => pick(columns.videoFile[video] as Uint32Array, episodes)),
    videoStart: videos.map((video) => pickStart(columns.videoStart[video] as Uint32Array)),
    ...tasks.columns,
    ...splits.columns,
    byLength,
    ...(columns.success && keepsSuccess(plan) && { success: pickOutcomes(columns.success, episodes) }),
    ...(keepsScores(source, plan) ? listScores(columns) : {}),
  }
  const { roles: _, ...unnamed } = manifest
  const manifestAfter: ReadModelManifest = {
    ...unnamed,
    origin: { layout: 'lerobot-v3', version: manifest.codebase_version, details: {} },
    total_episodes: episodes.length,
    total_frames: plan.frameCount,
    total_tasks: tasks.texts.length,
    tasks: tasks.texts.slice(0, 100),
    split_names: splits.names,
    fps: plan.fps,
    features,
    ...describeSignals(features, deriveRoles(source, plan)),
    cameras: cameras.map((planned) => describeCamera(planned, plan.fps)),
    video_files: videos.flatMap((video) => {
      const { key, files } = manifest.video_files[video] ?? { key: '', files: [] }
      return [{ key: cameras.find(({ camera }) => camera.key === key)?.name ?? key, files }]
    }),
    statistics: describeLengths(lengthFrames, byLength, plan.fps),
    insights: keepsScores(source, plan) ? manifest.insights : noInsights,
    feature_statistics: {},
  }
  const derivation = {
    ...derived,
    startRow: Float64Array.from(episodes, (episode) => findStartRow(source, episode)),
    transforms: composeTransforms(source, cameras),
    partialFiles: listPartialFiles(source, plan),
  }
  const sizeBytes = countBytes([columnsAfter, derivation, manifestAfter]) + bytesPerCut * plan.parts.size
  return new ReadModel(manifestAfter, columnsAfter, sizeBytes, derivation)
}

/** Ranges and the median step are those of all episodes: any other set of episodes, or other numbers, has scores of its own. */
export const keepsScores = (source: ReadModel, { episodes, changesAction, isCut, keepsSignals }: RecipePlan): boolean =>
  !isCut &&
  keepsSignals &&
  episodes.length === source.episodeCount &&
  !(changesAction && source.manifest.insights.signal === nameAction(source.manifest))

/** Of episodes that are whole it is the source's. */
const keepsSuccess = ({ isCut, features }: RecipePlan): boolean =>
  !isCut && (!features || features.some(({ source, name }) => source === successColumn && name === successColumn))

const noInsights = {
  supported: false,
  signal: null,
  dimensions: [],
  median_step: null,
}

const listScores = (columns: ReadModel['columns']) => {
  const { motion, variance, stillSeconds, longestStillSeconds, pace, shake, motionCurve } = columns
  return {
    ...(motion && { motion }),
    ...(variance && { variance }),
    ...(stillSeconds && { stillSeconds }),
    ...(longestStillSeconds && { longestStillSeconds }),
    ...(pace && { pace }),
    ...(shake && { shake }),
    ...(motionCurve && { motionCurve }),
  }
}

const pick = (values: Uint32Array, episodes: Uint32Array): Uint32Array =>
  episodes.map((episode) => values[episode] as number)
const pickOutcomes = (values: Uint8Array, episodes: Uint32Array): Uint8Array =>
  Uint8Array.from(episodes, (episode) => values[episode] as number)

/** What the encoder will write, as `formats` plans it. */
function describeCamera({ camera: before, name, transform, width, height }: PlannedCamera, fps: number): CameraEntry {
  const camera = { ...before, fps, ...(name !== before.key && { key: name, label: labelCamera(name) }) }
  if (!transform) return camera
  if (camera.storage === 'image') return { ...camera, width, height }
  const { codec, pixelFormat } = planEncoder({ codec: camera.depth_map ? 'depth' : 'av1', fps }, { width, height }, '')
  return { ...camera, width, height, codec, pixel_format: pixelFormat }
}

function composeTransforms({ derivation }: ReadModel, cameras: readonly PlannedCamera[]): Map<string, PixelTransform> {
  return new Map(
    cameras.flatMap(({ camera, name, transform }) => {
      const whole = appendTransform(derivation?.transforms.get(camera.key), transform)
      return whole ? [[name, whole] as const] : []
    }),
  )
}

/** Files of which some episode, or some frames of one, are left out here, or were before. */
function listPartialFiles(
  { columns, manifest, derivation }: ReadModel,
  { episodes, lengths }: RecipePlan,
): Set<string> {
  const partial = new Set(derivation?.partialFiles)
  for (const [video, { files }] of manifest.video_files.entries()) {
    const left = new Float64Array(files.length)
    const places = columns.videoFile[video] ?? new Uint32Array()
    const count = (episode: number, frames: number): void => {
      const file = places[episode] as number
      left[file] = (left[file] as number) + frames
    }
    for (const [episode, frames] of columns.lengthFrames.entries()) count(episode, frames)
    for (const [index, episode] of episodes.entries()) count(episode, -(lengths[index] as number))
    for (const [file, path] of files.entries()) if ((left[file] as number) > 0) partial.add(path)
  }
  return partial
}

/** What the cache counts: every column once, and the text of the manifest. */
function countBytes(parts: readonly object[]): number {
  let sum = 0
  for (const part of parts)
    for (const value of Object.values(part).flat()) {
      if (ArrayBuffer.isView(value)) sum += value.byteLength
      else if (typeof value === 'string') sum += value.length
      else if (typeof value === 'object' && value !== null) sum += JSON.stringify(value).length
    }
  return sum
}

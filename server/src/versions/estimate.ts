import { countValues } from '@nmp/formats/feature'
import type { Context } from '../context.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import type { EncodedCameras } from './merge/merged-codecs.ts'
import type { PlannedCamera, RecipePlan } from './plan/plan.ts'
import { getSizeTrials, type SizeEstimate, type TriedCamera } from './size-trials.ts'

/** A header, and on average half a block after the file. */
export const tarBytesPerFile = 768
/** What the table of episodes has of a dimension for each of them, compressed: ten numbers. */
const bytesPerDimension = 52
/** Rows that another program wrote take about so much when they are written here. */
const rewrittenShare = 0.87

export interface EstimatedSize {
  bytes: number
  estimate: SizeEstimate
  /** What of it is video, by what the result calls the camera. */
  videoBytes: ReadonlyMap<string, number>
  /** What of it is rows, with pictures that lie in them. */
  rowsBytes: number
}

/** What of a recipe's result is other where it becomes a part of several. */
export interface MergedPart {
  /** Cameras that are encoded because the others have them so. */
  encoded?: EncodedCameras | undefined
  /** Not the first: what a dataset has once is counted with that. */
  isFurther?: boolean
}

/**
 * Bytes that the tar of the result will have, from the sizes of the stored files: rows and packets by the frames that are kept of each
 * file, tables by episodes, what describes the whole set as it is. What is encoded anew depends on what is seen: some frames are encoded
 * beside the answer, and until that is done it goes by pixels, which was off by three times on some recordings.
 */
export async function estimateBytes(
  context: Context,
  revision: Revision,
  model: ReadModel,
  plan: RecipePlan,
  { encoded, isFurther = false }: MergedPart = {},
): Promise<EstimatedSize> {
  const { columns, manifest } = model
  const [files, kept] = [new Map<string, number>(), keptFrames(model, plan)]
  for await (const { path, sizeBytes } of listRevisionFiles(context.db, revision.id, revision.orgId))
    files.set(path, sizeBytes)
  let [sum, count] = [0, 0]
  const videoBytes = new Map<string, number>()
  const add = (path: string, share: number): void => {
    if (share > 0) count++
    sum += (files.get(path) ?? 0) * share
    files.delete(path)
  }
  const tried = new Map<string, TriedCamera>()
  for (const planned of plan.cameras) {
    const { key } = planned.camera
    const trial = { revision, model, planned, fps: plan.fps, codec: encoded?.get(key) }
    if (isWrittenAnew(planned, plan) || trial.codec) tried.set(key, getSizeTrials(context).find(trial, plan))
  }
  for (const [video, { key, files: paths }] of manifest.video_files.entries()) {
    const planned = plan.cameras.find(({ camera }) => camera.key === key)
    const shares = kept(columns.videoFile[video] ?? new Uint32Array(), paths.length)
    const change = planned ? sizeShare(planned, tried.get(key)) : 0
    const before = sum
    for (const [file, path] of paths.entries()) add(path, (shares[file] as number) * change)
    if (planned) videoBytes.set(planned.name, (videoBytes.get(planned.name) ?? 0) + sum - before)
  }
  const beforeRows = sum
  const isWhole = !plan.isCut && !plan.changesAction && !plan.features && plan.episodes.length === model.episodeCount
  const isForeign = manifest.origin.layout.startsWith('lerobot-v3') && !isWhole
  const rows = kept(columns.dataFile, manifest.data_files.length)
  for (const [file, path] of manifest.data_files.entries())
    add(path, (rows[file] as number) * (isForeign ? rewrittenShare : 1))
  for (const { camera } of plan.cameras)
    if (camera.storage === 'image') sum += plan.frameCount * countPictureChange(tried.get(camera.key))
  const rowsBytes = Math.max(0, sum - beforeRows)
  for (const path of [...files.keys()])
    if (!(isFurther && isOfWhole(path))) add(path, tableShare(path, files.get(path) ?? 0, { model, plan, isFurther }))
  return {
    bytes: Math.round(Math.max(0, sum) + count * tarBytesPerFile),
    estimate: joinEstimates([...tried.values()]),
    videoBytes,
    rowsBytes,
  }
}

/** What of several parts is least certain. */
export function joinEstimates(parts: readonly { estimate: SizeEstimate }[]): SizeEstimate {
  const has = (wanted: SizeEstimate) => parts.some(({ estimate }) => estimate === wanted)
  return has('measuring') ? 'measuring' : has('rough') ? 'rough' : 'settled'
}

/** Its pixels change, or frames are taken out of its film, which then is not what it was by the frame. */
const isWrittenAnew = ({ camera, transform }: PlannedCamera, { isCut }: RecipePlan): boolean =>
  transform !== undefined || (isCut && camera.storage === 'video')

/** By file: the share of its frames that is kept. */
function keptFrames({ columns, episodeCount }: ReadModel, { episodes, lengths }: RecipePlan) {
  return (places: Uint32Array, fileCount: number): Float64Array => {
    const [all, left] = [new Float64Array(fileCount), new Float64Array(fileCount)]
    const count = (into: Float64Array, episode: number, frames: number): void => {
      const file = places[episode] as number
      into[file] = (into[file] as number) + frames
    }
    for (let episode = 0; episode < episodeCount; episode++)
      count(all, episode, columns.lengthFrames[episode] as number)
    for (const [index, episode] of episodes.entries()) count(left, episode, lengths[index] as number)
    return left.map((frames, file) => frames / Math.max(1, all[file] as number))
  }
}

function sizeShare({ camera, transform, width, height }: PlannedCamera, trial: TriedCamera | undefined): number {
  if (trial && trial.tried.storedBytes > 0) return trial.tried.writtenBytes / trial.tried.storedBytes
  return transform ? (width * height) / (camera.width * camera.height) : 1
}

/** Bytes that a picture in a row grows by. */
const countPictureChange = (trial: TriedCamera | undefined): number =>
  trial ? (trial.tried.writtenBytes - trial.tried.storedBytes) / Math.max(1, trial.tried.frameCount) : 0

/** What a dataset has once, also where it is made of several. */
const isOfWhole = (path: string): boolean => path === 'README.md' || (/^meta\/[^/]+$/.test(path) && !isSidecar(path))
/** Histograms of every episode and camera. */
const isSidecar = (path: string): boolean => path.startsWith('meta/nmp-episodes')

interface TableOf extends Required<Pick<MergedPart, 'isFurther'>> {
  model: ReadModel
  plan: RecipePlan
}

/** Of what is neither rows nor video: tables of episodes have a part that does not depend on how many there are. */
function tableShare(path: string, sizeBytes: number, { model, plan, isFurther }: TableOf): number {
  const share = plan.episodes.length / Math.max(1, model.episodeCount)
  if (isSidecar(path)) return (share * plan.cameras.length) / Math.max(1, model.cameraKeys.length)
  if (!path.startsWith('meta/episodes/') || sizeBytes === 0) return 1
  const dimensions = model.manifest.features.reduce(
    (all, { name, shape }) => all + (model.cameraKeys.includes(name) ? 3 : countValues(shape)),
    0,
  )
  const growing = Math.min(1, (bytesPerDimension * dimensions * model.episodeCount) / sizeBytes)
  return (isFurther ? 0 : 1 - growing) + growing * share
}

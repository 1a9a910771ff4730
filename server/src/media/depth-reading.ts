import { BoundedMap } from '@nmp/formats/bounded-map'
import type { DepthPixels } from '@nmp/formats/image'
import { isObject, type JsonObject, parseJson } from '@nmp/formats/json'
import { readDepthScale } from '@nmp/formats/lerobot/info'
import { decodeDepth } from '@nmp/formats/statistics/camera'
import type { Context } from '../context.ts'
import { findStoredName } from '../datasets/read-model/derivation.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import type { BlobReference } from '../storage/repository.ts'
import { openObject } from './object-source.ts'
import type { MediaRevision } from './repository.ts'
import { type Camera, getDatasetFile, locateEpisode } from './service.ts'

/** What the stored values of a depth camera are in millimetres. */
export interface KnownDepth {
  /** Where the camera's range begins and ends; null where it declares none. */
  nearMm: number | null
  farMm: number | null
  /** Zero is where nothing was measured. */
  toMillimetres(value: number): number
}

/** Or a sentence that says why nobody knows. */
export type DepthReading = KnownDepth | { unknown: string }

const codeCount = 4096
const videoFormat = 'gray12le'
const infoPath = 'meta/info.json'

/** Undefined for a camera that measures no distances. */
export async function readDepth(
  context: Context,
  whole: { media: MediaRevision; model: ReadModel; entry: EpisodeEntry },
  camera: Camera,
): Promise<DepthReading | undefined> {
  if (!camera.depth_map) return undefined
  const { media, model } = locateEpisode(whole)
  const infos = await readInfos(context, await getDatasetFile(context, media, infoPath))
  const info = infos.get(findStoredName(model.derivation, camera.key)) ?? {}
  return camera.storage === 'video' ? readVideo(camera.key, info) : readPictures(camera.key, info)
}

function readVideo(key: string, info: JsonObject): DepthReading {
  const stored = info['video.pix_fmt']
  if (stored !== videoFormat)
    return {
      unknown: `${key} keeps depth as a ${stored ?? 'plain'} video, which declares no distances: only ${videoFormat} holds codes of them.`,
    }
  const scale = { ...readDepthScale(info), unit: 'mm' } as const
  const table = Float64Array.from({ length: codeCount }, (_, code) => decodeDepth(code, scale))
  const [near, far] = [Math.round(scale.minMeters * 1000), Math.round(scale.maxMeters * 1000)]
  if (!(table.every(Number.isFinite) && near < far))
    return {
      unknown: `${key} declares a range from ${scale.minMeters} m to ${scale.maxMeters} m, which gives no distances.`,
    }
  // The first code is also what a sensor's zero became: nothing was measured there, or something nearer than the range.
  return {
    nearMm: near,
    farMm: far,
    toMillimetres: (code) => (code === 0 ? 0 : (table[Math.min(code, codeCount - 1)] as number)),
  }
}

/** Whole numbers are millimetres for LeRobot, but only a recording that says so is believed. */
const readPictures = (key: string, info: JsonObject): DepthReading =>
  info.depth_unit === 'mm'
    ? { nearMm: null, farMm: null, toMillimetres: (value) => value }
    : {
        unknown: `${key} keeps depth as pictures without saying that their numbers are millimetres (depth_unit in ${infoPath}).`,
      }

const known = new BoundedMap<string, Promise<Map<string, JsonObject>>>(100)

/** What info.json says of each depth camera; the same bytes say the same for ever. */
function readInfos(context: Context, blob: BlobReference): Promise<Map<string, JsonObject>> {
  const found = known.get(blob.sha256) ?? parseInfos(context, blob)
  known.set(blob.sha256, found)
  found.catch(() => known.delete(blob.sha256))
  return found
}

async function parseInfos({ storage }: Context, blob: BlobReference): Promise<Map<string, JsonObject>> {
  await storage.requireSound(blob.storeKey)
  await using source = await openObject(storage, blob)
  const text = new TextDecoder().decode(await source.read(0, await source.length()))
  const { value } = parseJson(text, infoPath)
  const infos = new Map<string, JsonObject>()
  const features = isObject(value) && isObject(value.features) ? value.features : {}
  for (const [name, feature] of Object.entries(features))
    if (isObject(feature) && isObject(feature.info) && feature.info.is_depth_map === true) infos.set(name, feature.info)
  return infos
}

const mostMillimetres = 65_535

/** Stored values as whole millimetres. */
export const measureDepth = ({ data, ...size }: DepthPixels, { toMillimetres }: KnownDepth): DepthPixels => ({
  ...size,
  data: data.map((value) => Math.min(mostMillimetres, Math.round(toMillimetres(value)))),
})

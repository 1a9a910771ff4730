import { type CameraFeature, isCamera } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { Findings } from '@nmp/formats/finding'
import { decodeDepthImage, decodeImage, type PixelTransform, reshapeDepth, reshapePixels } from '@nmp/formats/image'
import { isObject, type JsonObject } from '@nmp/formats/json'
import { readInfo } from '@nmp/formats/lerobot/info'
import { SidecarReader, sidecarPath } from '@nmp/formats/lerobot/sidecar'
import { openParquetReader } from '@nmp/formats/parquet'
import { readImageColumn } from '@nmp/formats/parquet/images'
import {
  addPicture,
  type CameraStatistics,
  createCameraStatistics,
  listSampledFrames,
  mergeCameraStatistics,
  presentCameraStatistics,
} from '@nmp/formats/statistics/camera'
import type { Context } from '../../context.ts'
import { layOutRevision } from '../../datasets/local-revision.ts'
import type { ReadModelPlace } from '../../datasets/read-model/cache.ts'
import { findStoredFrame, findStoredName } from '../../datasets/read-model/derivation.ts'
import type { CameraEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { locateFiles } from '../../datasets/revision-content.ts'
import { getStoredFile } from '../../datasets/stored-files.ts'
import { getLocalFile } from '../../media/local-files.ts'

/** Pictures that are decoded to answer one question; beyond it the numbers are known after the export. */
const mostPictures = 2_000

/** Of each camera, over LeRobot's sample of frames; null where the export has yet to make them. */
export async function measureCameras(
  context: Context,
  place: ReadModelPlace,
  source: ReadModel,
  model: ReadModel,
): Promise<Map<string, JsonObject | null>> {
  const results = new Map<string, JsonObject | null>()
  const isCut = (model.derivation?.frames.size ?? 0) > 0
  const isWhole = !isCut && model.episodeCount === source.episodeCount
  const unknown: CameraEntry[] = []
  for (const camera of model.manifest.cameras) {
    const transform = model.derivation?.transforms.get(camera.key)
    const known = source.manifest.feature_statistics[findStoredName(model.derivation, camera.key)]
    if (!transform && isWhole && isObject(known)) results.set(camera.key, known)
    else if ((!transform && !isCut) || canMeasure(model, camera)) unknown.push(camera)
    else results.set(camera.key, null)
  }
  await using sidecar = unknown.length > 0 ? await openSidecar(context, place) : undefined
  for (const camera of unknown) {
    const measured = sidecar && (await count(context, place, model, camera, sidecar))
    results.set(
      camera.key,
      measured ? (presentCameraStatistics(measured.statistics, measured.depth) as JsonObject) : null,
    )
  }
  return results
}

/** What was counted of a camera's pictures, and how it measures depth. */
export interface CountedCamera {
  statistics: CameraStatistics
  depth: CameraFeature['depth']
}

/** Of one camera of a derived model, to be put together with that of others; undefined where the export has yet to make it. */
export async function countCamera(
  context: Context,
  place: ReadModelPlace,
  model: ReadModel,
  key: string,
): Promise<CountedCamera | undefined> {
  const camera = model.manifest.cameras.find((one) => one.key === key)
  if (!camera) return undefined
  const isChanged = model.derivation?.transforms.has(key) || (model.derivation?.frames.size ?? 0) > 0
  if (isChanged && !canMeasure(model, camera)) return undefined
  await using sidecar = await openSidecar(context, place)
  // Awaited here: the sidecar is closed when this function is left.
  return await count(context, place, model, camera, sidecar)
}

type Sidecar = Awaited<ReturnType<typeof openSidecar>>

async function count(
  context: Context,
  place: ReadModelPlace,
  model: ReadModel,
  camera: CameraEntry,
  { reader, features }: Sidecar,
): Promise<CountedCamera | undefined> {
  const transform = model.derivation?.transforms.get(camera.key)
  const isCut = (model.derivation?.frames.size ?? 0) > 0
  const statistics =
    transform || isCut
      ? await countPictures(context, place, model, camera, transform)
      : await mergeStored(reader, model, camera)
  const stored = findStoredName(model.derivation, camera.key)
  const feature = features.find(({ name }) => name === stored)
  return statistics && { statistics, depth: feature && isCamera(feature) ? feature.depth : undefined }
}

/** What the stored dataset's own writer counted, episode by episode. */
async function openSidecar(context: Context, place: ReadModelPlace) {
  const paths = (path: string) => path === sidecarPath || path === 'meta/info.json'
  const tree = await openFolder(await layOutRevision(context, place, undefined, { paths }), { links: 'anywhere' })
  const info = await readInfo(tree, new Findings())
  const parquet = await openParquetReader(tree.root)
  const reader = new SidecarReader(tree, parquet)
  return {
    reader,
    features: info.features.map(({ feature }) => feature),
    async [Symbol.asyncDispose]() {
      await reader.close()
      await parquet.close()
    },
  }
}

/** Pictures kept in rows are stored anew without loss, so what they will be is known. */
function canMeasure({ columns }: ReadModel, { storage }: CameraEntry): boolean {
  let pictures = 0
  for (const length of columns.lengthFrames) pictures += listSampledFrames(length).length
  return storage === 'image' && pictures <= mostPictures
}

const createEmpty = ({ depth_map: isDepth }: CameraEntry): CameraStatistics =>
  createCameraStatistics(isDepth ? 1 : 3, isDepth)

/** From what the source's own writer counted, episode by episode. */
async function mergeStored(
  sidecar: SidecarReader,
  { derivation }: ReadModel,
  camera: CameraEntry,
): Promise<CameraStatistics | undefined> {
  const sum = createEmpty(camera)
  for (const episode of derivation?.storedIndex ?? []) {
    const own = await sidecar.find(findStoredName(derivation, camera.key), episode)
    if (!own) return undefined
    mergeCameraStatistics(sum, own.statistics)
  }
  return sum
}

async function countPictures(
  context: Context,
  stored: ReadModelPlace,
  { columns, derivation, manifest }: ReadModel,
  camera: CameraEntry,
  transform: PixelTransform = {},
): Promise<CameraStatistics> {
  const sum = createEmpty(camera)
  for (const [episode, length] of columns.lengthFrames.entries()) {
    const name = manifest.data_files[columns.dataFile[episode] as number] ?? ''
    const path = await getLocalFile(context, await getStoredFile(context.db, locateFiles(stored), name))
    const frames = listSampledFrames(length).map((frame) => findStoredFrame(derivation, episode, frame))
    const rowCount = derivation?.storedLength[episode] ?? length
    const range = { startRow: derivation?.startRow[episode] ?? 0, rowCount, frames }
    for await (const { bytes } of readImageColumn(path, name, findStoredName(derivation, camera.key), range)) {
      const picture = camera.depth_map
        ? { channels: 1, ...reshapeDepth(await decodeDepthImage(bytes), transform) }
        : await reshapePixels(await decodeImage(bytes), transform)
      addPicture(sum, picture)
    }
  }
  return sum
}

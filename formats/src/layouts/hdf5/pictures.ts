/** Which arrays are pictures, and in what form: told by type, shape and first bytes. */
import { createByteSource } from '../../bytes.ts'
import { type Hdf5Dataset, maxSliceBytes } from '../../containers/hdf5/hdf5.ts'
import { decodeText } from '../../containers/hdf5/value.ts'
import { probeImage } from '../../containers/image.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { CameraPlan, PictureForm } from './plan.ts'
import { type Hdf5Source, resolveRelative } from './source.ts'

export interface PictureFacts extends Pick<CameraPlan, 'axes' | 'width' | 'height' | 'channels'> {
  readonly form: PictureForm
  readonly frameCount: number
  /** Of a whole video. */
  readonly fps?: number
  /** Of pictures beside the file. */
  readonly firstPath?: string
  readonly encoding?: 'jpeg' | 'png'
}

const smallestSide = 16
const notColour = /depth|seg|mask|normals|disparity/i

/** Names that say a picture-shaped array is not a colour camera. */
export function isColourName(name: string): boolean {
  return !notColour.test(name)
}

/** Undefined when the array holds no pictures. `relative` is its path below the episode, the same in every episode. */
export async function findPictures(
  source: Hdf5Source,
  dataset: Hdf5Dataset,
  relative: string,
): Promise<PictureFacts | undefined> {
  const raw = findRawPictures(dataset)
  if (raw) return raw
  if (dataset.refusal !== undefined || dataset.shape.includes(0)) return undefined
  if (!mayHoldBytes(dataset)) return undefined
  const key = `pictures ${relative}`
  const isVideo = dataset.shape.length <= 1 && /^(uint8|int8|S|V)/.test(dataset.dtype)
  if (!isVideo && source.memory.has(key)) {
    const known = source.memory.get(key) as PictureFacts | undefined
    return known && { ...known, frameCount: dataset.shape[0] ?? 1 }
  }
  const found = await sniff(source, dataset)
  source.memory.set(key, found)
  return found
}

/** Arrays of pixels: uint8, rank 4 (or 3 without channels), both sides at least 16. */
export function findRawPictures({ shape, dtype }: Hdf5Dataset): PictureFacts | undefined {
  if (dtype !== 'uint8' || shape.length < 3 || shape.length > 4) return undefined
  const [frameCount = 0, a = 0, b = 0, c = 0] = shape
  const isSide = (size: number) => size >= smallestSide
  if (shape.length === 4 && [1, 3, 4].includes(c) && isSide(a) && isSide(b)) {
    return { form: 'pixels', axes: 'HWC', height: a, width: b, channels: c, frameCount }
  }
  if (shape.length === 4 && [1, 3].includes(a) && isSide(b) && isSide(c)) {
    return { form: 'pixels', axes: 'CHW', height: b, width: c, channels: a, frameCount }
  }
  if (shape.length === 3 && isSide(a) && isSide(b)) {
    return { form: 'pixels', axes: 'HW', height: a, width: b, channels: 1, frameCount }
  }
  return undefined
}

function mayHoldBytes({ dtype, shape, itemBytes }: Hdf5Dataset): boolean {
  if (dtype === 'uint8' || dtype === 'int8') return shape.length === 2 || (shape.length === 1 && (shape[0] ?? 0) > 512)
  if (dtype === 'str' || dtype === 'vlen:uint8' || dtype === 'vlen:int8') return shape.length === 1
  return /^[SV]\d/.test(dtype) && shape.length <= 1 && itemBytes >= 5
}

async function sniff(source: Hdf5Source, dataset: Hdf5Dataset): Promise<PictureFacts | undefined> {
  const rows = dataset.shape[0] ?? 1
  const isBytes = dataset.dtype === 'uint8' || dataset.dtype === 'int8'
  if (dataset.shape.length === 0 || (isBytes && dataset.shape.length === 1)) return sniffVideo(source, dataset, rows)
  for (const row of new Set([0, 1, rows >> 1, rows - 1])) {
    if (row >= rows) continue
    const bytes = await source.readElement(dataset, row)
    const path = await findPathPicture(source, dataset, bytes)
    const picture = path?.bytes ?? trimPicture(bytes)
    if (!picture) continue
    const probe = await probeImage(picture).catch(() => undefined)
    if (probe?.bitDepth !== 8) continue
    return {
      form: path ? 'paths' : 'encoded',
      axes: 'HWC',
      width: probe.width,
      height: probe.height,
      channels: 3,
      frameCount: rows,
      encoding: probe.format === 'png' ? 'png' : 'jpeg',
      ...(path && { firstPath: path.text }),
    }
  }
  return undefined
}

async function findPathPicture(source: Hdf5Source, dataset: Hdf5Dataset, bytes: Uint8Array) {
  if (!/^(str|S)/.test(dataset.dtype) || bytes.length > 4096) return undefined
  const text = decodeText(bytes)
  if (!/\.(jpe?g|png)$/i.test(text)) return undefined
  const picture = await readBeside(source, text)
  return picture && { text, bytes: picture }
}

/** A picture file named by a path in the data, read only when it lies inside the tree. */
export async function readBeside(
  source: Pick<Hdf5Source, 'file' | 'files'>,
  text: string,
): Promise<Uint8Array | undefined> {
  const folder = source.file.includes('/') ? source.file.slice(0, source.file.lastIndexOf('/') + 1) : ''
  const path = resolveRelative(folder, text)
  if (path === undefined || !(await source.files.find(path).catch(() => undefined))) return undefined
  await using file = await source.files.open(path)
  const sizeBytes = await file.length()
  return sizeBytes <= maxSliceBytes ? await file.read(0, sizeBytes) : undefined
}

async function sniffVideo(source: Hdf5Source, dataset: Hdf5Dataset, rows: number): Promise<PictureFacts | undefined> {
  const sizeBytes = dataset.shape.length === 0 ? dataset.itemBytes : rows
  if (sizeBytes > maxSliceBytes) return undefined
  const bytes = await readWhole(source, dataset)
  if (!bytes || String.fromCharCode(...bytes.subarray(4, 8)) !== 'ftyp') return undefined
  try {
    await using video = await openVideo(createByteSource(bytes), { name: dataset.path })
    const { width, height, frameCount, fps } = video.facts
    return { form: 'video', axes: 'HWC', width, height, channels: 3, frameCount, fps }
  } catch {
    return undefined
  }
}

async function readWhole(source: Hdf5Source, dataset: Hdf5Dataset): Promise<Uint8Array | undefined> {
  if (dataset.shape.length === 0) return source.readElement(dataset, 0)
  return source.readBytes(dataset)
}

/** The picture in a padded row: from its signature to its last end mark, or undefined when there is none. */
export function trimPicture(bytes: Uint8Array, length?: number): Uint8Array | undefined {
  if (bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e && bytes[3] === 0x47) return bytes
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return undefined
  if (length !== undefined && endsJpeg(bytes, length)) return bytes.subarray(0, length)
  let end = bytes.length
  while (end > 4 && bytes[end - 1] === 0) end--
  if (endsJpeg(bytes, end)) return bytes.subarray(0, end)
  for (let at = end - 1; at > 3; at--) if (endsJpeg(bytes, at)) return bytes.subarray(0, at)
  return undefined
}

function endsJpeg(bytes: Uint8Array, end: number): boolean {
  return end > 4 && end <= bytes.length && bytes[end - 2] === 0xff && bytes[end - 1] === 0xd9
}

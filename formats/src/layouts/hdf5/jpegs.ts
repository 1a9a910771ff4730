/** Encoded pictures: padded rows, strings, elements of varying length, or files beside; single bad ones are bridged. */
import { getRowBytes, type Hdf5Dataset } from '../../containers/hdf5/hdf5.ts'
import { joinPath } from '../../containers/hdf5/tree.ts'
import { decodeText } from '../../containers/hdf5/value.ts'
import { decodeImage } from '../../containers/image.ts'
import type { FrameRequest, Picture } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { Findings } from '../../finding.ts'
import { type FrameContext, type FrameRange, planReads } from './frame-reads.ts'
import { readBeside, trimPicture } from './pictures.ts'
import { toRgb } from './pixels.ts'

/** More unreadable pictures than one in this many, and the episode is left out; one picture is always bridged. */
const tolerance = 20
/** Elements of varying length: how many are read at a time. */
const raggedRows = 64
const simultaneous = 4

/** Looks at the signatures and end marks of all pictures, without decoding them. */
export async function checkEncoded(context: FrameContext, dataset: Hdf5Dataset): Promise<void> {
  let bad = 0
  for (const range of planEncodedReads(context, dataset)) {
    for (const bytes of await readItems(context, dataset, range)) {
      if (!trimPicture(bytes) && !isRawPicture(context, bytes)) bad++
    }
  }
  requireMostlyGood(context, bad)
}

export async function* readEncoded(
  context: FrameContext,
  dataset: Hdf5Dataset,
  request: FrameRequest,
): AsyncGenerator<Picture> {
  const { camera } = context
  const lengths = await readLengths(context)
  let before: { frameIndex: number; data: Uint8Array } | undefined
  let bad = 0
  for (const range of planEncodedReads(context, dataset, request.frames)) {
    request.signal?.throwIfAborted()
    const items = await readItems(context, dataset, range)
    for (let at = 0; at < items.length; at += simultaneous) {
      const group = items.slice(at, at + simultaneous)
      const decoded = await Promise.all(
        group.map((bytes, index) => decode(context, bytes, lengths?.[range.start + at + index])),
      )
      for (const [index, pixels] of decoded.entries()) {
        const frameIndex = range.start + at + index
        if (!pixels) requireMostlyGood(context, ++bad)
        const neighbour = before?.frameIndex === frameIndex - 1 ? before.data : undefined
        const data = pixels ?? neighbour ?? (await findGood(context, dataset, frameIndex))
        if (!pixels) noteRepeated(context, frameIndex, frameIndex > 0)
        before = { frameIndex, data }
        yield { frameIndex, width: camera.width, height: camera.height, channels: 3, data }
      }
    }
  }
}

function planEncodedReads(
  { entry, camera }: FrameContext,
  dataset: Hdf5Dataset,
  frames?: readonly number[],
): FrameRange[] {
  const isRagged = /^(str|vlen)/.test(dataset.dtype)
  const rowBytes = isRagged ? (8 * 1024 * 1024) / raggedRows : getRowBytes(dataset)
  return planReads(frames, entry.length, dataset, rowBytes, entry.startRow + camera.rowOffset)
}

async function readItems(
  { files, entry, camera }: FrameContext,
  dataset: Hdf5Dataset,
  range: FrameRange,
): Promise<readonly Uint8Array[]> {
  const file = files.paths[entry.file] ?? ''
  const firstRow = entry.startRow + camera.rowOffset
  const rows = await files.readRows(file, dataset, firstRow + range.start, firstRow + range.end)
  if (rows.form === 'ragged') return rows.items
  const rowBytes = getRowBytes(dataset)
  return Array.from({ length: range.end - range.start }, (_, index) =>
    rows.bytes.subarray(index * rowBytes, (index + 1) * rowBytes),
  )
}

/** Undefined when the picture cannot be read or has another size than the camera. */
async function decode(context: FrameContext, stored: Uint8Array, length?: number): Promise<Uint8Array | undefined> {
  const { camera, files, entry } = context
  const beside = { file: files.paths[entry.file] ?? '', files: files.tree }
  const bytes = camera.form === 'paths' ? await readBeside(beside, decodeText(stored)) : trimPicture(stored, length)
  if (!bytes) return isRawPicture(context, stored) ? toRgb(stored, describeRaw(context)) : undefined
  try {
    const { width, height, data } = await decodeImage(bytes)
    return width === camera.width && height === camera.height ? toRgb(data, camera) : undefined
  } catch {
    return undefined
  }
}

/** RoboMIND has pictures whose encoding failed and that are raw arrays, in OpenCV's order: the other way round. */
function isRawPicture({ camera }: FrameContext, bytes: Uint8Array): boolean {
  return bytes.length === camera.width * camera.height * 3
}

function describeRaw({ camera }: FrameContext) {
  return { ...camera, channels: 3, colorOrder: camera.colorOrder === 'rgb' ? 'bgr' : 'rgb' } as const
}

async function readLengths({ files, entry, camera }: FrameContext): Promise<Float64Array | undefined> {
  if (!camera.lengths) return undefined
  const source = await files.openSource(files.paths[entry.file] ?? '')
  const table = source.tree.findDataset(joinPath(entry.group, camera.lengths.path))
  const values = await source.readNumbers(joinPath(entry.group, camera.lengths.path))
  const width = table?.shape[1] ?? 0
  return values?.subarray(camera.lengths.row * width, (camera.lengths.row + 1) * width)
}

/** The last good picture before one; the first ones have none, and repeat the next good one. */
async function findGood(context: FrameContext, dataset: Hdf5Dataset, frameIndex: number): Promise<Uint8Array> {
  const { length } = context.entry
  const most = 1 + length / tolerance
  const before = Array.from({ length: Math.min(frameIndex, most) }, (_, step) => frameIndex - 1 - step)
  const after = Array.from({ length: Math.min(length - 1 - frameIndex, most) }, (_, step) => frameIndex + 1 + step)
  for (const frame of [...before, ...after]) {
    const [item] = await readItems(context, dataset, { start: frame, end: frame + 1 })
    const pixels = item && (await decode(context, item))
    if (pixels) return pixels
  }
  throw describeBad(context)
}

function requireMostlyGood(context: FrameContext, bad: number): void {
  if (bad > Math.max(1, context.entry.length / tolerance)) throw describeBad(context)
}

function describeBad({ entry, camera }: FrameContext): FormatError {
  return new FormatError(
    'episode_unreadable',
    `${entry.sourceId}: too many pictures of ${camera.name} cannot be read: the limit is one in ${tolerance}, but at least one per episode.`,
  )
}

/** A picture is read more than once, and said once. */
const noted = new WeakMap<Findings, Set<string>>()

function noteRepeated({ findings, entry, camera }: FrameContext, frameIndex: number, hasBefore: boolean): void {
  const instead = hasBefore ? 'the one before it is repeated' : 'the next readable one is used instead'
  const sentence = `${entry.sourceId}: frame ${frameIndex} of ${camera.name} cannot be read; ${instead}.`
  const known = noted.get(findings) ?? new Set<string>()
  noted.set(findings, known)
  if (!known.has(sentence)) findings.add('picture-repeated', sentence, entry.sourceIndex)
  known.add(sentence)
}

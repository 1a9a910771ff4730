/** The pictures of one camera of one episode, as RGB pixels with the top row first, or as a whole video. */
import { writeFile } from 'node:fs/promises'
import { openFile } from '../../bytes.ts'
import { getRowBytes, type Hdf5Dataset } from '../../containers/hdf5/hdf5.ts'
import { joinPath } from '../../containers/hdf5/tree.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { CameraFrames, FrameRequest, Picture } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { type FrameContext, planReads } from './frame-reads.ts'
import { checkEncoded, readEncoded } from './jpegs.ts'
import { toRgb } from './pixels.ts'

export async function openFrames(context: FrameContext): Promise<CameraFrames> {
  const { camera, entry } = context
  if (camera.form === 'video' || camera.form === 'video-file') return openWholeVideo(context)
  const dataset = await getDataset(context)
  if (camera.form === 'encoded') await checkEncoded(context, dataset)
  const { width, height } = camera
  const read =
    camera.form === 'pixels'
      ? (request: FrameRequest = {}) => readPixels(context, dataset, request)
      : (request: FrameRequest = {}) => readEncoded(context, dataset, request)
  return { kind: 'pixels', frameCount: entry.length, width, height, channels: 3, read }
}

async function getDataset({ files, entry, camera }: FrameContext): Promise<Hdf5Dataset> {
  const file = files.paths[entry.file] ?? ''
  const dataset = await files.findDataset(file, joinPath(entry.group, camera.path))
  if (!dataset) throw new FormatError('episode_unreadable', `${file} no longer contains ${camera.path}.`)
  return dataset
}

/** Consecutive frames in reads of whole chunks; the next read is under way while a picture is used. */
async function* readPixels(
  { files, entry, camera }: FrameContext,
  dataset: Hdf5Dataset,
  request: FrameRequest,
): AsyncGenerator<Picture> {
  const file = files.paths[entry.file] ?? ''
  const pictureBytes = getRowBytes(dataset)
  const firstRow = entry.startRow + camera.rowOffset
  const reads = planReads(request.frames, entry.length, dataset, pictureBytes, firstRow)
  const start = (place: number) => {
    const range = reads[place]
    if (!range) return undefined
    const rows = files.readRows(file, dataset, firstRow + range.start, firstRow + range.end)
    rows.catch(() => {})
    return rows
  }
  let next = start(0)
  for (const [place, range] of reads.entries()) {
    request.signal?.throwIfAborted()
    const rows = await next
    next = start(place + 1)
    if (rows?.form !== 'packed') throw new FormatError('episode_unreadable', `${dataset.path} contains no pixels.`)
    for (let frame = range.start; frame < range.end; frame++) {
      const at = (frame - range.start) * pictureBytes
      const data = toRgb(rows.bytes.subarray(at, at + pictureBytes), camera)
      yield { frameIndex: frame, width: camera.width, height: camera.height, channels: 3, data }
    }
  }
}

async function openWholeVideo(context: FrameContext): Promise<CameraFrames> {
  const { files, entry, camera } = context
  const file = camera.form === 'video-file' ? await files.tree.locate(camera.path) : await extractVideo(context)
  await using source = await openFile(file)
  await using video = await openVideo(source, { name: camera.path })
  const startFrame = entry.startRow + camera.rowOffset
  if (video.facts.frameCount < startFrame + entry.length) {
    throw new FormatError(
      'episode_unreadable',
      `${camera.path} has ${video.facts.frameCount} frames, but the episode needs ${startFrame + entry.length}.`,
    )
  }
  return { kind: 'packets', file, name: camera.path, startFrame, frameCount: entry.length }
}

async function extractVideo(context: FrameContext): Promise<string> {
  const { files, entry } = context
  const dataset = await getDataset(context)
  const rows = await files.readRows(files.paths[entry.file] ?? '', dataset, 0, dataset.shape[0] ?? 1)
  if (rows.form !== 'packed') throw new FormatError('episode_unreadable', `${dataset.path} contains no video.`)
  const path = await context.createScratchPath()
  await writeFile(path, rows.bytes)
  return path
}

import { openFile } from '@nmp/formats/bytes'
import { type Codec, openCodec } from '@nmp/formats/codec'
import type { FrameRange, KeptRanges } from '@nmp/formats/frame-ranges'
import { decodeDepthImage, decodeImage, encodePng, type Pixels, reshapeDepth, reshapePixels } from '@nmp/formats/image'
import { isScattered, joinableCodecs } from '@nmp/formats/lerobot/joined-packets'
import { readImageColumn } from '@nmp/formats/parquet/images'
import { createCompress } from '@nmp/formats/parquet/page'
import { openVideo, type Video } from '@nmp/formats/video'
import type { PictureForm } from '@nmp/formats/writers/frame-form'
import { tryFrames, tryPixels } from '@nmp/formats/writers/try-frames'
import type { Context } from '../context.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { findStartRow } from '../datasets/read-model/start-row.ts'
import { locateFiles } from '../datasets/revision-content.ts'
import type { Revision } from '../datasets/seen-dataset.ts'
import { getStoredFile } from '../datasets/stored-files.ts'
import { getLocalFile } from '../media/local-files.ts'
import { getPictureMakers } from '../media/picture-makers.ts'
import { inTemporaryFile } from '../media/temporary-file.ts'
import type { PlannedCamera } from './plan/plan.ts'
import type { SampledEpisode } from './size-sample.ts'

/** What the frames of an episode that the result has of a camera take. */
export interface TriedSize {
  frameCount: number
  /** As they are stored: of the whole episode, by the share of its frames. */
  storedBytes: number
  /** As an export would write them. */
  writtenBytes: number
}

export type VideoCodec = 'av1' | 'h264'

export interface Trial {
  revision: Revision
  model: ReadModel
  planned: PlannedCamera
  /** Of the result. */
  fps: number
  /** Set where the frames have to be in this codec, and are not copied: as those of other sources are. */
  codec?: VideoCodec | undefined
  /** Set where each frame becomes a picture of its own, as some targets have them. */
  form?: PictureForm | undefined
}

/** What an MP4 says of each frame beside its packet. */
const indexBytes = 6
const trialLimits = { deadlineSeconds: 60, idleSeconds: 30, memoryBytes: 2 * 1024 ** 3 }

/** Encodes the sampled frames as an export would, file by file, in one process that ends with it. */
export async function* tryEncoding(
  context: Context,
  trial: Trial,
  sample: readonly SampledEpisode[],
  signal: AbortSignal,
): AsyncGenerator<[SampledEpisode, TriedSize]> {
  const { revision, model, planned } = trial
  const isImage = planned.camera.storage === 'image'
  const findPath = (episode: number): string => {
    const entry = model.getEpisode(episode)
    return (isImage ? entry.dataFile : entry.videos.get(planned.camera.key)?.path) ?? ''
  }
  await using codec = openCodec({ maxProcesses: 1, limits: trialLimits, signal })
  for (const [path, episodes] of Map.groupBy(sample, ({ episode }) => findPath(episode))) {
    signal.throwIfAborted()
    const blob = await getStoredFile(context.db, locateFiles(revision), path)
    const { form } = trial
    if (isImage) {
      const file = await getLocalFile(context, blob)
      if (form) yield* tryPicturesAs(codec, form, file, trial, { episodes, signal })
      else if (trial.codec) yield* tryPicturesAsVideo(codec, file, trial, { episodes, signal })
      else yield* tryPictures(file, path, trial, episodes, signal)
    } else
      yield* await getPictureMakers(context).videos.use(blob, path, (video) =>
        form
          ? tryFramesAs(codec, form, video, trial, { episodes, signal })
          : tryVideo(codec, video, trial, episodes, signal),
      )
  }
}

/** Frames of the same episode are alike: a few of them tell the size of the others. */
const pickFew = (frames: readonly number[]): number[] => [
  ...new Set([0.25, 0.75].map((share) => frames[Math.floor(share * frames.length)] ?? 0)),
]

/** Of each episode some frames, each as a picture. */
async function tryFramesAs(
  codec: Codec,
  form: PictureForm,
  video: Video,
  trial: Trial,
  { episodes, signal }: { episodes: readonly SampledEpisode[]; signal: AbortSignal },
): Promise<[SampledEpisode, TriedSize][]> {
  const { transform } = trial.planned
  const placed = episodes.map((sampled) => {
    const { storedBytes, frames } = placeEpisode(video, trial, sampled)
    return { sampled, storedBytes, frames: pickFew(frames) }
  })
  const frames = [...new Set(placed.flatMap((one) => one.frames))].sort((one, other) => one - other)
  const request = { video, frames, change: transform && { transform, isDepth: false }, signal }
  const sizes = new Map<number, number>()
  for await (const bytes of tryFrames(codec, request, form)) sizes.set(frames[sizes.size] as number, bytes)
  return placed.map(({ sampled, storedBytes, frames: own }) => {
    const mean = own.reduce((sum, frame) => sum + (sizes.get(frame) ?? 0), 0) / own.length
    return [sampled, { frameCount: sampled.frameCount, storedBytes, writtenBytes: mean * sampled.frameCount }]
  })
}

interface PlacedEpisode {
  sampled: SampledEpisode
  storedBytes: number
  /** What copying its packets would take. */
  copiedBytes: number
  isCopied: boolean
  isScattered: boolean
  /** In numbers of the file. */
  frames: readonly number[]
}

async function tryVideo(
  codec: Codec,
  video: Video,
  trial: Trial,
  episodes: readonly SampledEpisode[],
  signal: AbortSignal,
): Promise<[SampledEpisode, TriedSize][]> {
  const placed = episodes.map((sampled) => placeEpisode(video, trial, sampled))
  const encoded = placed.filter(({ isCopied }) => !isCopied)
  const sizes = encoded.length > 0 ? await encodeFrames(codec, video, trial, encoded, signal) : undefined
  return placed.map((one) => {
    const { sampled, storedBytes, copiedBytes } = one
    const isJoined = one.isCopied || (sizes?.isJoinable && !one.isScattered)
    const writtenBytes = isJoined || !sizes ? copiedBytes : sumWritten(one, sizes.byFrame)
    return [sampled, { frameCount: sampled.frameCount, storedBytes, writtenBytes }]
  })
}

function placeEpisode(video: Video, { model, planned, codec }: Trial, sampled: SampledEpisode): PlacedEpisode {
  const { lengthFrames, videos } = model.getEpisode(sampled.episode)
  const start = videos.get(planned.camera.key)?.startFrame ?? 0
  const ranges = sampled.ranges.map(([from, to]): FrameRange => [from + start, to + start])
  const countBytes = (of: KeptRanges): number =>
    of.reduce((sum, [from, to]) => sum + video.packets.countBytes(from, to) + (to - from) * indexBytes, 0)
  return {
    sampled,
    storedBytes: (countBytes([[start, start + lengthFrames]]) * sampled.frameCount) / lengthFrames,
    copiedBytes: countBytes(ranges),
    isCopied: !planned.transform && !codec && ranges.every(([from, to]) => video.canCopy(from, to)),
    isScattered: isScattered(ranges, sampled.frameCount),
    frames: sampled.frames.map((frame) => frame + start),
  }
}

interface FrameSize {
  bytes: number
  isKeyframe: boolean
}

/** Runs of several episodes follow each other in one film, as each begins with a keyframe anyway. */
async function encodeFrames(
  codec: Codec,
  video: Video,
  { planned, fps, codec: wanted }: Trial,
  episodes: readonly PlacedEpisode[],
  signal: AbortSignal,
): Promise<{ byFrame: Map<number, FrameSize>; isJoinable: boolean }> {
  const { camera, transform } = planned
  const frames = [...new Set(episodes.flatMap((one) => one.frames))].sort((one, other) => one - other)
  const own = wanted ?? (transform ? undefined : joinableCodecs[video.facts.codec])
  const [startFrame = 0, endFrame = 0] = [frames[0], (frames.at(-1) ?? -1) + 1]
  return inTemporaryFile(async (path) => {
    await codec.transcode({
      from: { video, startFrame, endFrame, picked: frames.map((frame): FrameRange => [frame, frame + 1]) },
      path,
      settings: { codec: camera.depth_map ? 'depth' : (own ?? 'av1'), fps },
      ...(transform && { transform }),
      signal,
    })
    await using source = await openFile(path)
    await using written = await openVideo(source, { name: path, signal })
    const { facts, packets } = written
    const keyframes = new Set(facts.keyframes)
    const sizes = frames.map((frame, index): [number, FrameSize] => [
      frame,
      { bytes: packets.getSize(packets.getPacketOfFrame(index)), isKeyframe: keyframes.has(index) },
    ])
    const isJoinable = !transform && !wanted && Buffer.compare(facts.decoderConfig, video.facts.decoderConfig) === 0
    return { byFrame: new Map(sizes), isJoinable }
  })
}

/** Runs are whole groups of a keyframe and what follows it; the last frame of an odd number is a keyframe alone. */
function sumWritten({ frames, sampled }: PlacedEpisode, byFrame: ReadonlyMap<number, FrameSize>): number {
  const sizes = frames.flatMap((frame) => byFrame.get(frame) ?? [])
  const mean = (of: readonly FrameSize[]) => of.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, of.length)
  const alone = sampled.frameCount % 2
  const keyframe = alone * mean(sizes.filter(({ isKeyframe }) => isKeyframe))
  return (sampled.frameCount - alone) * mean(sizes) + keyframe + sampled.frameCount * indexBytes
}

/** Pictures kept in rows stay PNG; rows are compressed once more, which small pictures that are alike gain from. */
async function* tryPictures(
  file: string,
  name: string,
  { model, planned }: Trial,
  episodes: readonly SampledEpisode[],
  signal: AbortSignal,
): AsyncGenerator<[SampledEpisode, TriedSize]> {
  const { camera, transform = {} } = planned
  const compress = createCompress()
  for (const sampled of episodes) {
    const { episode, frameCount, frames } = sampled
    const rowCount = model.getEpisode(episode).lengthFrames
    const range = { startRow: findStartRow(model, episode), rowCount, frames, signal }
    const [stored, written]: [Uint8Array[], Uint8Array[]] = [[], []]
    for await (const { bytes } of readImageColumn(file, name, camera.key, range)) {
      const changed = camera.depth_map
        ? reshapeDepth(await decodeDepthImage(bytes), transform)
        : await reshapePixels(await decodeImage(bytes), transform)
      stored.push(bytes)
      written.push(await encodePng(changed))
    }
    const [storedBytes = 0, writtenBytes = 0] = [stored, written].map(
      (pictures) => (compress(Buffer.concat(pictures)).length * frameCount) / frames.length,
    )
    yield [sampled, { frameCount, storedBytes, writtenBytes }]
  }
}

/** Of each episode some pictures that lie in its rows, each in the form. */
async function* tryPicturesAs(
  codec: Codec,
  form: PictureForm,
  file: string,
  { model, planned }: Trial,
  { episodes, signal }: { episodes: readonly SampledEpisode[]; signal: AbortSignal },
): AsyncGenerator<[SampledEpisode, TriedSize]> {
  const { camera, transform = {} } = planned
  for (const sampled of episodes) {
    const { episode, frameCount } = sampled
    const frames = pickFew(sampled.frames)
    const rowCount = model.getEpisode(episode).lengthFrames
    const range = { startRow: findStartRow(model, episode), rowCount, frames, signal }
    let [stored, written] = [0, 0]
    for await (const { bytes } of readImageColumn(file, camera.key, camera.key, range)) {
      stored += bytes.length
      written += await tryPixels(codec, await reshapePixels(await decodeImage(bytes), transform), form)
    }
    const share = frameCount / frames.length
    yield [sampled, { frameCount, storedBytes: stored * share, writtenBytes: written * share }]
  }
}

/** Of each episode some pictures that lie in its rows, as a video of them. */
async function* tryPicturesAsVideo(
  codec: Codec,
  file: string,
  { model, planned, fps, codec: wanted = 'av1' }: Trial,
  { episodes, signal }: { episodes: readonly SampledEpisode[]; signal: AbortSignal },
): AsyncGenerator<[SampledEpisode, TriedSize]> {
  const { camera, transform = {} } = planned
  for (const sampled of episodes) {
    const { episode, frameCount, frames } = sampled
    const rowCount = model.getEpisode(episode).lengthFrames
    const range = { startRow: findStartRow(model, episode), rowCount, frames, signal }
    const pictures: Pixels[] = []
    let stored = 0
    for await (const { bytes } of readImageColumn(file, camera.key, camera.key, range)) {
      stored += bytes.length
      pictures.push(await reshapePixels(await decodeImage(bytes), transform))
    }
    const { width = 0, height = 0 } = pictures[0] ?? {}
    const read = async function* () {
      for (const { data } of pictures) yield data
    }
    const written = await inTemporaryFile(async (path) => {
      await codec.encode({ path, width, height, settings: { codec: wanted, fps }, frames: read, signal })
      await using source = await openFile(path)
      await using video = await openVideo(source, { name: path, signal })
      return video.packets.countBytes(0, video.facts.frameCount) + video.facts.frameCount * indexBytes
    })
    const share = frameCount / frames.length
    yield [sampled, { frameCount, storedBytes: stored * share, writtenBytes: written * share }]
  }
}

import { createHash, type Hash } from 'node:crypto'
import { FilePool } from '../bytes.ts'
import { openVideo, type Video } from '../containers/video/video.ts'
import type { Block, CameraFrames, Dataset, Episode, PacketFrames, ReportProgress, Values } from '../dataset.ts'
import { type CameraFeature, type Feature, isCamera, isColumn } from '../feature.ts'
import { describeFeature, digestBytes, type FingerprintSet } from './fingerprints.ts'
import { addFrameHashes } from './frame-hashes.ts'

export interface TakeOptions {
  signal?: AbortSignal
  onProgress?: ReportProgress
  /** Called in order; the numbers are the callee's only until it is done. */
  writeFrames(frames: Uint32Array): Promise<void>
}

/** Reads every row and every packet once; memory is one block and some hundred bytes an episode. */
export async function takeFingerprints(
  dataset: Dataset,
  { signal, onProgress, writeFrames }: TakeOptions,
): Promise<FingerprintSet> {
  const { features, episodeCount: count } = dataset
  const contents = features.map(() => new Uint8Array(count * digestBytes))
  const labels = new Uint8Array(count * digestBytes)
  const lengthFrames = new Uint32Array(count)
  const signalName = findSignal(features)
  await using videos = openVideos(signal)
  for (let position = 0; position < count; position++) {
    signal?.throwIfAborted()
    const episode = dataset.getEpisode(position)
    lengthFrames[position] = episode.length
    const hashes = features.map(() => createHash('sha256'))
    const label = hashTasks(episode.tasks)
    const columns = features.flatMap((feature, place) => (isColumn(feature) ? { feature, place } : []))
    const request = { columns: columns.map(({ feature }) => feature.name), ...(signal ? { signal } : {}) }
    for await (const block of episode.readBlocks(request)) {
      for (const { feature, place } of columns)
        addValues(hashes[place] as Hash, block.columns.get(feature.name), feature.name)
      if (block.taskIndex && episode.tasks.length > 1) label.update(asBytes(block.taskIndex))
      await writeFrames(hashFrames(block, columns, signalName))
    }
    for (const [place, feature] of features.entries())
      if (isCamera(feature)) await addCamera(hashes[place] as Hash, episode, feature, videos)
    for (const [place, hash] of hashes.entries()) setDigest(contents[place] as Uint8Array, position, hash)
    setDigest(labels, position, label)
    onProgress?.({ phase: 'fingerprints', done: position + 1, total: count })
  }
  return { fps: dataset.fps, features: features.map(describeFeature), lengthFrames, contents, labels }
}

const hashTasks = (tasks: readonly string[]): Hash => createHash('sha256').update(JSON.stringify(tasks))

/** The label of an episode with one task, which is that of all its frames. */
export const labelTask = (task: string): Uint8Array => hashTasks([task]).digest().subarray(0, digestBytes)

const setDigest = (digests: Uint8Array, episode: number, hash: Hash): void =>
  digests.set(hash.digest().subarray(0, digestBytes), episode * digestBytes)

/** What the arm did, else what it was told: what an episode is known by when its other columns have changed. */
const findSignal = (features: readonly Feature[]): string | undefined =>
  ['observation.state', 'action'].find((wanted) => features.some(({ name }) => name === wanted))

const asBytes = (values: ArrayBufferView): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

function addValues(hash: Hash, values: Values | undefined, name: string): void {
  if (!values) throw new RangeError(`a block lacks the column ${name}`)
  if (ArrayBuffer.isView(values)) hash.update(asBytes(values))
  else for (const value of values) hash.update(`${JSON.stringify(value)}\n`)
}

function hashFrames(
  { columns, frameCount }: Block,
  features: readonly { feature: Feature }[],
  signalName: string | undefined,
): Uint32Array {
  const frames = new Uint32Array(2 * frameCount)
  for (const { feature } of features) {
    // Language rows count seconds from the start of the episode, so a cut changes every one of them.
    if (isColumn(feature) && feature.dtype === 'language') continue
    const values = columns.get(feature.name) as Values
    addFrameHashes(frames, values, { frameCount, isSignal: feature.name === signalName })
  }
  return frames
}

interface OpenVideos extends AsyncDisposable {
  open(camera: string, frames: PacketFrames): Promise<Video>
}

/** The file that each camera is in at the moment: episodes of a stored dataset lie in their files in order. */
function openVideos(signal: AbortSignal | undefined): OpenVideos {
  const pool = new FilePool()
  const opened = new Map<string, { file: string; video: Video }>()
  return {
    async open(camera, { file, name = file }) {
      const known = opened.get(camera)
      if (known?.file === file) return known.video
      await known?.video.close()
      opened.delete(camera)
      const video = await openVideo(pool.createSource(file), { name, signal })
      opened.set(camera, { file, video })
      return video
    },
    async [Symbol.asyncDispose]() {
      for (const { video } of opened.values()) await video.close()
      await pool.close()
    },
  }
}

async function addCamera(hash: Hash, episode: Episode, camera: CameraFeature, videos: OpenVideos): Promise<void> {
  const frames: CameraFrames = await episode.openCamera(camera.name)
  if (frames.kind === 'packets') {
    const video = await videos.open(camera.name, frames)
    await addPackets(hash, frames, video)
    // Packets of another stream than the one that several sources become are encoded: those are none of the result's.
    if (camera.stream && camera.stream.codec !== video.facts.codec) hash.update(camera.stream.codec)
    return
  }
  if (frames.kind === 'pixels') {
    for await (const { data } of frames.read()) hash.update(asBytes(data))
    return
  }
  for await (const { bytes } of frames.read()) hash.update(String(bytes.byteLength)).update(bytes)
}

/** The packets of the frames in the order they are stored. Where pixels are to change there are none yet: then of what, and how. */
async function addPackets(hash: Hash, frames: PacketFrames, { packets }: Video): Promise<void> {
  const ranges = frames.picked ?? [[frames.startFrame, frames.startFrame + frames.frameCount]]
  const places: number[] = []
  for (const [from, to] of ranges)
    for (let frame = from; frame < to; frame++) places.push(packets.getPacketOfFrame(frame))
  places.sort((one, other) => one - other)
  for (const place of places) hash.update(`${packets.getSize(place)} `)
  for (let at = 0; at < places.length; ) {
    const first = places[at] as number
    let end = first
    while (places[at] === end) {
      at++
      end++
    }
    for await (const bytes of packets.readBytes(first, end)) hash.update(bytes)
  }
  if (frames.transform) hash.update(JSON.stringify(frames.transform))
}

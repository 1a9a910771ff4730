import type { FilePool } from '../bytes.ts'
import type { Codec } from '../containers/codec/codec.ts'
import { decodeDepthImage, decodeImage } from '../containers/image.ts'
import { openVideo, type Video } from '../containers/video/video.ts'
import type { Episode, ImageFrames, PacketFrames } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import type { CameraFeature, DepthScale } from '../feature.ts'
import { listKept } from '../frame-ranges.ts'
import { decodeDepth } from '../statistics/camera.ts'
import type { Workbench } from './workbench.ts'

/** Pictures of an episode that follow each other, one behind the other: bytes of RGB, or distances in meters. */
export interface DecodedBlock {
  readonly startFrame: number
  readonly frameCount: number
  readonly pixels: Uint8Array | Float32Array
}

/** Of a block: what is in memory of a camera at a time is two of these. */
const blockBytes = 2 * 1024 * 1024
const imagesAtOnce = 8
/** As many as a codec has processes: one more would wait for those before it, which wait for its block. */
const camerasAtOnce = 4
const depthCodes = 65_536

interface DecodedOptions {
  readonly signal: AbortSignal | undefined
  readonly isMemoryReused?: boolean
}

/** The pictures of all cameras, decoded whatever they are stored as; for targets that hold pixels. */
export class DecodedCameras implements AsyncDisposable {
  readonly codec: Codec
  readonly #pool: FilePool
  readonly #signal: AbortSignal | undefined
  readonly #isMemoryReused: boolean
  /** The file of each camera that was read last: episodes follow each other in it. */
  readonly #open = new Map<string, { file: string; video: Video }>()

  /** With `isMemoryReused` pixels are good until the next block is asked for; else they are whose who gets them. */
  constructor({ codec, pool }: Workbench, { signal, isMemoryReused = false }: DecodedOptions) {
    this.codec = codec
    this.#pool = pool
    this.#signal = signal
    this.#isMemoryReused = isMemoryReused
  }

  /** Exactly as many as the episode is long, each of the size of the camera. */
  async *read(episode: Episode, camera: CameraFeature): AsyncGenerator<DecodedBlock> {
    const values = camera.width * camera.height * countChannels(camera)
    const perBlock = Math.max(1, Math.floor(blockBytes / values / (camera.depth ? Float32Array.BYTES_PER_ELEMENT : 1)))
    const distances = camera.depth && listDistances(camera.depth)
    let [startFrame, frameCount] = [0, 0]
    const createBlock = () =>
      createPixels(camera, values * Math.min(perBlock, Math.max(1, episode.length - startFrame)))
    // One is filled while whoever asked has the other.
    let [pixels, other] = [createBlock(), undefined as ReturnType<typeof createPixels> | undefined]
    const giveMemory = () =>
      pixels instanceof Uint8Array ? pixels.subarray(frameCount * values, (frameCount + 1) * values) : undefined
    for await (const data of this.#pictures(episode, camera, giveMemory)) {
      if (data.length !== values)
        throw new FormatError('episode_unreadable', `${camera.name} has a picture of another size.`)
      if (distances)
        for (let at = 0; at < values; at++) pixels[frameCount * values + at] = distances[data[at] ?? 0] ?? 0
      else if (data.buffer !== pixels.buffer) pixels.set(data, frameCount * values)
      frameCount++
      const left = episode.length - startFrame - frameCount
      if (frameCount < perBlock && left > 0) continue
      yield { startFrame, frameCount, pixels: pixels.subarray(0, frameCount * values) }
      startFrame += frameCount
      frameCount = 0
      const given = pixels
      pixels = (left > 0 && other) || createBlock()
      if (this.#isMemoryReused) other = given
    }
    if (startFrame !== episode.length || frameCount > 0)
      throw new FormatError('episode_unreadable', `${camera.name} has another number of pictures than rows.`)
  }

  /** Blocks of all cameras, decoded at the same time and given in an order that is always the same: what is written of them is, too. */
  async *readAll<Camera extends { readonly feature: CameraFeature }>(
    episode: Episode,
    cameras: readonly Camera[],
  ): AsyncGenerator<{ camera: Camera; block: DecodedBlock }> {
    for (let at = 0; at < cameras.length; at += camerasAtOnce)
      yield* this.#readTogether(episode, cameras.slice(at, at + camerasAtOnce))
  }

  async *#readTogether<Camera extends { readonly feature: CameraFeature }>(
    episode: Episode,
    cameras: readonly Camera[],
  ): AsyncGenerator<{ camera: Camera; block: DecodedBlock }> {
    const readers = cameras.map((camera) => ({ camera, blocks: this.read(episode, camera.feature) }))
    const open = new Map(readers.map((reader) => [reader, ahead(reader.blocks)]))
    try {
      while (open.size > 0) {
        for (const [reader, waiting] of [...open]) {
          const { value: block, done } = await waiting
          if (done) open.delete(reader)
          else {
            open.set(reader, ahead(reader.blocks))
            yield { camera: reader.camera, block }
          }
        }
      }
    } finally {
      await Promise.allSettled(readers.map(({ blocks }) => blocks.return(undefined)))
    }
  }

  async close(): Promise<void> {
    for (const { video } of this.#open.values()) await video.close()
    this.#open.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async *#pictures(
    episode: Episode,
    camera: CameraFeature,
    giveMemory: () => Uint8Array | undefined,
  ): AsyncGenerator<Uint8Array | Uint16Array> {
    const frames = await episode.openCamera(camera.name)
    if (frames.kind === 'packets') yield* this.#decodePackets(frames, camera, giveMemory)
    else if (frames.kind === 'images') yield* decodeImages(frames, camera, this.#signal)
    else for await (const { data } of frames.read({ ...(this.#signal && { signal: this.#signal }) })) yield data
  }

  async *#decodePackets(
    frames: PacketFrames,
    camera: CameraFeature,
    giveMemory: () => Uint8Array | undefined,
  ): AsyncGenerator<Uint8Array | Uint16Array> {
    const { startFrame, frameCount, picked = [[startFrame, startFrame + frameCount]], transform, place } = frames
    const isDepth = camera.depth !== undefined
    const pictures = this.codec.decode({
      video: await this.#openVideo(frames, camera.name),
      frames: Array.from(listKept(picked)),
      pixels: isDepth ? 'depth' : 'rgb',
      ...(transform && { change: { transform, isDepth } }),
      ...(place !== undefined && { shared: { camera: camera.name, place } }),
      giveMemory,
      signal: this.#signal,
    })
    for await (const { data } of pictures) yield data
  }

  async #openVideo({ file, name }: PacketFrames, camera: string): Promise<Video> {
    const known = this.#open.get(camera)
    if (known?.file === file) return known.video
    this.#open.delete(camera)
    await known?.video.close()
    const video = await openVideo(this.#pool.createSource(file), { name: name ?? camera, signal: this.#signal })
    this.#open.set(camera, { file, video })
    return video
  }
}

/** What is written behind the rows of an episode, and decoded while those are. */
export async function writeThenPictures<Picture>(
  rows: Promise<void>,
  pictures: AsyncIterable<Picture>,
  write: (picture: Picture) => Promise<void>,
): Promise<void> {
  // Whose failure is told below, or where the first picture is.
  rows.catch(() => {})
  try {
    for await (const picture of pictures) {
      await rows
      await write(picture)
    }
  } finally {
    await rows
  }
}

/** The next block, which is worked on from now on; whoever waits for it learns of its failure. */
function ahead(blocks: AsyncGenerator<DecodedBlock>): Promise<IteratorResult<DecodedBlock>> {
  const waiting = blocks.next()
  waiting.catch(() => {})
  return waiting
}

/** Of a picture as targets hold it. */
export const countChannels = ({ depth }: CameraFeature): number => (depth ? 1 : 3)

const createPixels = ({ depth }: CameraFeature, length: number) =>
  depth ? new Float32Array(length) : new Uint8Array(length)

/** Meters by code, whatever unit the dataset tells distances in. */
const listDistances = (depth: DepthScale): Float32Array =>
  Float32Array.from({ length: depthCodes }, (_, code) => decodeDepth(code, { ...depth, unit: 'm' }))

async function* decodeImages(
  frames: ImageFrames,
  camera: CameraFeature,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array | Uint16Array> {
  const decode = async (bytes: Uint8Array) => (await (camera.depth ? decodeDepthImage : decodeImage)(bytes)).data
  let waiting: Uint8Array[] = []
  for await (const { bytes } of frames.read({ ...(signal && { signal }) })) {
    if (waiting.push(bytes) < imagesAtOnce) continue
    yield* await Promise.all(waiting.map(decode))
    waiting = []
  }
  yield* await Promise.all(waiting.map(decode))
}

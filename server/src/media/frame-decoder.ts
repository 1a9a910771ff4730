import { type Codec, openCodec } from '@nmp/formats/codec'
import { buildStoredFilter, type StoredChange } from '@nmp/formats/codec/filter'
import { type DepthPixels, fitPicture, type Pixels } from '@nmp/formats/image'
import type { Video } from '@nmp/formats/video'
import { ServiceError } from '../errors.ts'
import type { Blob } from '../storage/repository.ts'
import type { OpenVideos } from './open-videos.ts'

/** Of one video file: what a frame is asked from. */
export interface VideoFile {
  blob: Blob
  /** Its path inside the dataset, for sentences. */
  name: string
  /** Frames are shown as a version stores them that was not exported yet. */
  change?: StoredChange | undefined
}

export interface FrameDecoder {
  /** Frame `frame` of the file, scaled down to `maxWidth`, given to `use` while no more than a few pictures are in memory. */
  decode<T>(file: VideoFile, maxWidth: number, frame: number, use: (picture: Pixels) => Promise<T>): Promise<T>
  /** The same as JPEG, made where the frame was decoded. */
  render(file: VideoFile, maxWidth: number, frame: number): Promise<Uint8Array>
  /** The codes of a depth video; scaled down by leaving some out, never by mixing two. */
  decodeDepth(file: VideoFile, maxWidth: number, frame: number): Promise<DepthPixels>
  /** For work on a whole range: clips that have to be encoded anew. */
  withCodec<T>(work: (codec: Codec) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What came of a frame: its pixels, a JPEG of them, or codes of depth. */
type Decoded = Pixels | Uint8Array | DepthPixels

interface FrameWanted {
  frame: number
  take(decoded: Decoded): Promise<void>
  fail(error: unknown): void
}

interface Queue {
  file: VideoFile
  kind: 'pixels' | 'jpeg' | 'depth'
  maxWidth: number
  wanted: FrameWanted[]
  running: number
}

const batchFrames = 24
const picturesInFlight = 4
const maxWaiting = 1000
/** A second process costs a third of a second to start: about this many frames. */
const waitingPerProcess = 16
const idleMilliseconds = 30_000
const codecLimits = { deadlineSeconds: 120, idleSeconds: 30, memoryBytes: 2 * 1024 ** 3 }

/**
 * Decodes frames that many requests ask for one by one. Those of one file that wait while another is decoded share the next call:
 * opening a decoder costs more than a frame of it, so ninety-six posters take about the time of ninety-six frames.
 */
export function createFrameDecoder(videos: OpenVideos, maxProcesses: number): FrameDecoder {
  const queues = new Map<string, Queue>()
  let waiting = 0
  let codec: Codec | undefined
  let users = 0
  let idleTimer: NodeJS.Timeout | undefined

  const withCodec = async <T>(work: (codec: Codec) => Promise<T>): Promise<T> => {
    clearTimeout(idleTimer)
    users++
    codec ??= openCodec({ maxProcesses, limits: codecLimits })
    try {
      return await work(codec)
    } finally {
      users--
      // Processes of some hundred megabytes are kept while people look, not for ever.
      if (users === 0) idleTimer = setTimeout(() => void close(), idleMilliseconds).unref()
    }
  }

  const close = async (): Promise<void> => {
    clearTimeout(idleTimer)
    const closing = codec
    codec = undefined
    await closing?.close()
  }

  const decodeBatch = (queue: Queue, wanted: readonly FrameWanted[]): Promise<void> =>
    withCodec((running) =>
      videos.use(queue.file.blob, queue.file.name, async (video) => {
        const byFrame = Map.groupBy(wanted, (one) => one.frame)
        const frames = [...byFrame.keys()].sort((one, other) => one - other)
        const inFlight = new Set<Promise<void>>()
        for await (const [frame, decoded] of decodeFrames(running, video, queue, frames)) {
          const taken = Promise.all((byFrame.get(frame) ?? []).map((one) => one.take(decoded))).then(() => {})
          const tracked = taken.finally(() => inFlight.delete(tracked))
          inFlight.add(tracked)
          if (inFlight.size >= picturesInFlight) await Promise.race(inFlight)
        }
        await Promise.all(inFlight)
      }),
    )

  const run = async (key: string, queue: Queue): Promise<void> => {
    queue.running++
    // Those that came with the same packet from the network are taken along.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.wanted.length > 0) {
      const wanted = queue.wanted.splice(0, batchFrames)
      waiting -= wanted.length
      await decodeBatch(queue, wanted).catch(async (error) => {
        if (wanted.length === 1) return wanted[0]?.fail(error)
        // One frame that cannot be decoded must not take the others with it.
        for (const one of wanted) await decodeBatch(queue, [one]).catch((reason) => one.fail(reason))
      })
    }
    queue.running--
    if (queue.running === 0 && queue.wanted.length === 0) queues.delete(key)
  }

  const ask = <T>(
    kind: Queue['kind'],
    file: VideoFile,
    maxWidth: number,
    frame: number,
    use: (decoded: Decoded) => Promise<T>,
  ): Promise<T> => {
    if (waiting >= maxWaiting)
      throw new ServiceError('not_ready', 'Too many pictures are being made right now. Try again in a moment.', {
        retryAfterSeconds: 1,
      })
    const key = `${kind} ${maxWidth} ${file.blob.storeKey} ${JSON.stringify(file.change ?? null)}`
    const queue = queues.get(key) ?? { file, kind, maxWidth, wanted: [], running: 0 }
    queues.set(key, queue)
    return new Promise((resolve, reject) => {
      waiting++
      queue.wanted.push({ frame, take: (decoded) => use(decoded).then(resolve, reject), fail: reject })
      const wanted = Math.min(maxProcesses, Math.ceil(queue.wanted.length / waitingPerProcess))
      if (queue.running < wanted) void run(key, queue)
    })
  }

  return {
    decode: (file, maxWidth, frame, use) => ask('pixels', file, maxWidth, frame, (decoded) => use(decoded as Pixels)),
    render: (file, maxWidth, frame) => ask('jpeg', file, maxWidth, frame, async (decoded) => decoded as Uint8Array),
    decodeDepth: (file, maxWidth, frame) =>
      ask('depth', file, maxWidth, frame, async (decoded) => decoded as DepthPixels),
    withCodec,
    close,
  }
}

async function* decodeFrames(
  codec: Codec,
  video: Video,
  { kind, maxWidth, file: { change } }: Queue,
  frames: readonly number[],
): AsyncGenerator<readonly [frame: number, decoded: Decoded]> {
  const size = change ? buildStoredFilter(video.facts, change) : video.facts
  const request = { video, frames, change, ...planScale(size, maxWidth) }
  if (kind === 'jpeg') {
    for await (const { frameIndex, bytes } of codec.render(request)) yield [frameIndex, bytes]
    return
  }
  if (kind === 'depth') {
    for await (const { frameIndex, width, height, data } of codec.decode({ ...request, pixels: 'depth' }))
      yield [frameIndex, { width, height, data: data as Uint16Array }]
    return
  }
  for await (const { frameIndex, width, height, data } of codec.decode(request))
    yield [frameIndex, { width, height, channels: 3, data: data as Uint8Array }]
}

function planScale(size: { width: number; height: number }, maxWidth: number) {
  const fitted = fitPicture(size, maxWidth)
  if (fitted.width === size.width && fitted.height === size.height) return {}
  return { transform: { resize: { ...fitted, mode: 'stretch' } } } as const
}

import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BoundedMap } from '../../bounded-map.ts'
import type { FilePool } from '../../bytes.ts'
import type { Codec, EncodedVideo, EncodeSettings } from '../../containers/codec/codec.ts'
import { openVideo, type Video } from '../../containers/video/video.ts'
import { createMp4Writer, type Mp4Writer, verifyVideo } from '../../containers/video/writer.ts'
import type { CameraFrames, ImageFrames, PacketFrames, PixelFrames } from '../../dataset.ts'
import type { CameraFeature } from '../../feature.ts'
import type { Findings } from '../../finding.ts'
import type { KeptRanges } from '../../frame-ranges.ts'
import type { JsonObject } from '../../json.ts'
import type { WrittenFile } from '../writer.ts'
import { describeVideo } from './describe-video.ts'
import { isScattered, joinableCodecs } from './joined-packets.ts'
import { createFilePreparer, type NumberedFile, nameFile, numberFile } from './numbered-file.ts'
import { placeFile } from './place-file.ts'
import { openRawFrames } from './raw-frames.ts'

export interface VideoPlace extends NumberedFile {
  /** First frame of the episode in its file. */
  readonly startFrame: number
}

export interface VideoSettings {
  readonly fps: number
  readonly limitBytes: number
  readonly codec: 'av1' | 'h264'
  readonly pool: FilePool
  readonly signal: AbortSignal | undefined
  /** Whether files that are kept may be second names of the source's. */
  readonly isLinked: boolean
  readonly onFile?: ((file: WrittenFile) => void) | undefined
  /** Videos of other codecs are encoded; depth is not. */
  readonly requiredCodec?: 'h264' | undefined
  /** Videos that the target cannot hold as they are, for another reason than their codec, are encoded as well; depth too. */
  readonly canHold?: (video: Video) => boolean
  /** Of the files, by their number; as v3 has them by default. */
  readonly nameFile?: (place: number) => string
}

/** A range of an open video that holds one episode. */
export interface OpenRange {
  readonly video: Video
  readonly startFrame: number
  readonly endFrame: number
  /** The file, where it may be kept as it is when all its frames are taken. */
  readonly keepable?: string
}

/** One episode: ranges that follow each other, each of which begins with a keyframe; all of one decoder configuration. */
export type OpenRanges = readonly [OpenRange, ...OpenRange[]]

/** A source file of at least this share of the limit begins a file of its own: most subsets leave most files whole. */
const keepableShare = 0.25
/** LeRobot's loader accepts 1e-4; a file kept as it is has to be well inside. */
const keepableGridSeconds = 2e-5
interface FinishedFile {
  readonly name: string
  readonly keyframes: readonly number[]
  readonly sources: ReadonlyMap<string, Video>
  readonly kept: string | undefined
}

/** So many episodes are looked at before their turn, so that their frames are decoded while rows are read. */
export const mostAhead = 2

const longEpisodeSeconds = 60
/** float32 times are coarser than the loader's tolerance beyond this; short episodes never met it (facts 3.3). */
const longFileSeconds = 1024

interface CameraFilesOptions {
  root: string
  workFolder: string
  settings: VideoSettings
  codec: Codec
  findings: Findings
}

/** videos/<camera>/: episodes joined by packet copy on the exact grid; what cannot be copied is encoded first. */
export class CameraFiles {
  readonly files: WrittenFile[] = []
  /** The `info` object of the camera's feature, from the first episode. */
  info: JsonObject | undefined
  readonly #root: string
  readonly #prepare: (path: string) => Promise<string>
  readonly #workFolder: string
  readonly #camera: CameraFeature
  readonly #settings: VideoSettings
  readonly #codec: Codec
  readonly #findings: Findings
  readonly #open = new Map<string, Promise<Video>>()
  /** Files of the last few episodes that were looked at: some of them have not come to their turn. */
  readonly #recent = new BoundedMap<string, true>(2 * mostAhead + 1)
  readonly #temporary = new Set<string>()
  /** Decoder configurations that the encoder does not make. */
  readonly #notJoinable = new Set<string>()
  #writer: Mp4Writer | undefined
  /** Of the last file that was begun, which ends after those before it; and of the one before. */
  #closing: Promise<void> = Promise.resolve()
  #closingBefore: Promise<void> = Promise.resolve()
  #starts: number[] = []
  #ranges: OpenRange[] = []
  #hasLongEpisode = false
  #place = -1
  #encodedCount = 0

  constructor(camera: CameraFeature, { root, workFolder, settings, codec, findings }: CameraFilesOptions) {
    this.#root = root
    this.#prepare = createFilePreparer(root)
    this.#workFolder = workFolder
    this.#camera = camera
    this.#settings = settings
    this.#codec = codec
    this.#findings = findings
  }

  /**
   * Packets as they are where they can be copied. A cut between keyframes has its frames up to the next one encoded, where the encoder
   * gives what can be joined to them; else all frames become a temporary file that was encoded from them.
   */
  async openRanges(frames: CameraFrames, sourceIndex: number): Promise<OpenRanges> {
    const copies = await this.findCopies(frames)
    if (copies) return copies
    if (frames.kind !== 'packets') return [await this.#encode(frames)]
    const { startFrame, frameCount, picked = [[startFrame, startFrame + frameCount]] } = frames
    const video = await this.#openVideo(frames.file, frames.name)
    const whole = { video, startFrame, endFrame: picked.at(-1)?.[1] ?? startFrame, picked }
    const isCopied = picked.every(([from, to]) => video.canCopy(from, to))
    if (frames.transform || !this.#isAllowed(video) || (isScattered(picked, frameCount) && !isCopied))
      return [await this.#transcode(frames, whole, sourceIndex)]
    const ranges: OpenRange[] = []
    for (const [from, to] of picked) {
      const range = { video, startFrame: from, endFrame: to, ...(frames.isKeepable && { keepable: frames.file }) }
      const copied = video.canCopy(from, to) ? [range] : await this.#joinHead(frames, range, sourceIndex)
      if (copied.length === 0) return [await this.#transcode(frames, whole, sourceIndex)]
      ranges.push(...copied)
    }
    return ranges as [OpenRange, ...OpenRange[]]
  }

  /** Packets as they are, of an episode that may not be the next one yet; undefined where anything has to be encoded. */
  async findCopies(frames: CameraFrames): Promise<OpenRanges | undefined> {
    if (frames.kind !== 'packets' || frames.transform) return undefined
    const { startFrame, frameCount, picked = [[startFrame, startFrame + frameCount]] } = frames
    this.#recent.set(frames.file, true)
    const video = await this.#openVideo(frames.file, frames.name)
    if (!this.#isAllowed(video) || !picked.every(([from, to]) => video.canCopy(from, to))) return undefined
    const ranges = picked.map(([from, to]) => ({
      ...{ video, startFrame: from, endFrame: to },
      ...(frames.isKeepable && { keepable: frames.file }),
    }))
    return ranges as unknown as OpenRanges
  }

  /** Plans the episode as the next one; files are written when they are full. */
  async append(ranges: OpenRanges): Promise<VideoPlace> {
    const [first] = ranges
    const { fps, limitBytes } = this.#settings
    const frameCount = ranges.reduce((sum, { startFrame, endFrame }) => sum + endFrame - startFrame, 0)
    const bytes = ranges.reduce(
      (sum, { video, startFrame, endFrame }) => sum + video.packets.countBytes(startFrame, endFrame),
      0,
    )
    this.#hasLongEpisode ||= frameCount / fps >= longEpisodeSeconds
    const writer = this.#writer
    if (writer && writer.frameCount > 0) {
      const isFull = writer.packetBytes + bytes >= limitBytes
      const isLong = this.#hasLongEpisode && (writer.frameCount + frameCount) / fps > longFileSeconds
      const isNext = first.startFrame === 0 && this.#canKeep(first)
      const canFollow = writer.canAppend(first.video, first.startFrame, first.endFrame)
      if (isFull || isLong || isNext || !canFollow) await this.#closeFile(ranges)
    }
    this.#writer ??= await this.#openFile()
    const place = { ...numberFile(this.#place), startFrame: this.#writer.frameCount }
    this.#starts.push(place.startFrame)
    this.#ranges.push(...ranges)
    for (const { video, startFrame, endFrame } of ranges) this.#writer.append(video, startFrame, endFrame)
    this.info ??= describeVideo(this.#camera, first.video.facts, fps)
    return place
  }

  async finish(): Promise<void> {
    await this.#closeFile()
    await this.#closing
    await this.close()
  }

  /** For writers that take the packets of an episode themselves: what was encoded for it goes, and files that it did not need. */
  async release(taken: readonly OpenRange[]): Promise<void> {
    for (const [path, opening] of this.#open) {
      const video = await opening.catch(() => undefined)
      const isTemporary = this.#temporary.delete(path)
      if (!isTemporary && taken.some((range) => range.video === video)) continue
      this.#open.delete(path)
      await video?.close()
      if (isTemporary) await rm(path, { force: true })
    }
  }

  async close(): Promise<void> {
    await this.#closing.catch(() => {})
    for (const video of this.#open.values()) await (await video.catch(() => undefined))?.close()
    this.#open.clear()
    for (const path of this.#temporary) await rm(path, { force: true })
    this.#temporary.clear()
  }

  async #openFile(): Promise<Mp4Writer> {
    const path = await this.#prepare(this.#nameFile(++this.#place))
    return createMp4Writer({ path, fps: this.#settings.fps, signal: this.#settings.signal })
  }

  /** Begins to write the planned file and answers at once; two files at a time, and whoever waits for one learns of its failure. */
  async #closeFile(next: readonly OpenRange[] = []): Promise<void> {
    await this.#closingBefore
    const writer = this.#writer
    if (!writer) return
    const sources = new Map<string, Video>()
    for (const [path, opening] of this.#open) {
      const video = await opening.catch(() => undefined)
      if (this.#recent.has(path) || next.some((range) => range.video === video)) continue
      // Whoever comes back to it opens it anew.
      this.#open.delete(path)
      if (video) sources.set(path, video)
    }
    const finished = { name: this.#nameFile(this.#place), keyframes: this.#starts, sources, kept: this.#findKept() }
    this.#writer = undefined
    this.#starts = []
    this.#ranges = []
    this.#hasLongEpisode = false
    this.#closingBefore = this.#closing
    this.#closing = this.#endFile(this.#writeFile(writer, finished), this.#closing, finished.sources)
    this.#closing.catch(() => {})
  }

  /** In the order of the files: the one before may still read what this one needs no more. */
  async #endFile(
    writing: Promise<WrittenFile>,
    before: Promise<void>,
    sources: ReadonlyMap<string, Video>,
  ): Promise<void> {
    const [ended, written] = await Promise.allSettled([before, writing])
    if (ended.status === 'rejected') throw ended.reason
    if (written.status === 'rejected') throw written.reason
    this.files.push(written.value)
    this.#settings.onFile?.(written.value)
    for (const [source, video] of sources) {
      await video.close()
      if (this.#temporary.delete(source)) await rm(source, { force: true })
    }
  }

  async #writeFile(writer: Mp4Writer, { name, keyframes, kept }: FinishedFile): Promise<WrittenFile> {
    const { path, frameCount } = kept ? { path: join(this.#root, name), ...writer } : await writer.finish()
    if (kept) await placeFile(kept, path, this.#settings.isLinked)
    await verifyVideo(path, { frameCount, fps: this.#settings.fps, keyframes })
    return { path: name, sizeBytes: (await stat(path)).size, ...(kept && { keptFrom: kept }) }
  }

  #isAllowed(video: Video): boolean {
    const { facts } = video
    const { requiredCodec, canHold } = this.#settings
    const { depth, stream } = this.#camera
    if (canHold?.(video) === false) return false
    if (depth) return true
    if (requiredCodec) return facts.codec === requiredCodec
    const isSameFormat = facts.pixelFormat === undefined || facts.pixelFormat === stream?.pixelFormat
    return !stream || (facts.codec === stream.codec && isSameFormat)
  }

  /** What frames are encoded as that the camera has no packets of. */
  get #ownCodec(): EncodeSettings['codec'] {
    if (this.#camera.depth) return 'depth'
    return this.#settings.requiredCodec ?? this.#camera.stream?.codec ?? this.#settings.codec
  }

  #canKeep({ video, keepable }: OpenRange): boolean {
    const { container, hasAudio, packetBytes, frameCount } = video.facts
    return (
      keepable !== undefined &&
      container === 'mp4' &&
      !hasAudio &&
      packetBytes >= keepableShare * this.#settings.limitBytes &&
      video.measureGridError(this.#settings.fps) <= keepableGridSeconds &&
      video.canCopy(0, frameCount)
    )
  }

  /** The source file that the planned file would repeat. */
  #findKept(): string | undefined {
    const [first] = this.#ranges
    if (!first || !this.#canKeep(first)) return undefined
    let next = 0
    for (const { video, startFrame, endFrame } of this.#ranges) {
      if (video !== first.video || startFrame !== next) return undefined
      next = endFrame
    }
    return next === first.video.facts.frameCount ? first.keepable : undefined
  }

  #nameFile(place: number): string {
    return this.#settings.nameFile?.(place) ?? nameFile(`videos/${this.#camera.name}`, numberFile(place), 'mp4')
  }

  #openVideo(path: string, name = this.#camera.name): Promise<Video> {
    const known = this.#open.get(path)
    if (known) return known
    const video = openVideo(this.#settings.pool.createSource(path), { name, signal: this.#settings.signal })
    this.#open.set(path, video)
    return video
  }

  async #encode(frames: ImageFrames | PixelFrames): Promise<OpenRange> {
    const { camera, size, read } = { camera: this.#camera, ...openRawFrames(frames, this.#camera) }
    const settings: EncodeSettings = { codec: this.#ownCodec, fps: this.#settings.fps }
    const { signal } = this.#settings
    const encoded = await this.#codec.encode({ path: this.#nextTemporary(), ...size, settings, frames: read, signal })
    this.#findings.addOnce('video-encoded', `The pictures of ${camera.name} were encoded as ${encoded.codec}.`)
    return this.#openEncoded(encoded)
  }

  /** Frames up to the next keyframe, encoded, and the packets from there on; none where that cannot be. */
  async #joinHead({ name }: PacketFrames, range: OpenRange, sourceIndex: number): Promise<OpenRange[]> {
    const { video, startFrame, endFrame } = range
    const config = Buffer.from(video.facts.decoderConfig).toString('latin1')
    const next = video.facts.keyframes.find((frame) => frame > startFrame)
    const codec = joinableCodecs[video.facts.codec]
    if (!codec || next === undefined || !video.canCopy(next, endFrame) || this.#notJoinable.has(config)) return []
    const encoded = await this.#codec.transcode({
      from: { video, startFrame, endFrame: next },
      path: this.#nextTemporary(),
      settings: { codec, fps: this.#settings.fps },
      signal: this.#settings.signal,
    })
    const head = await this.#openVideo(encoded.path)
    if (Buffer.compare(head.facts.decoderConfig, video.facts.decoderConfig) !== 0) {
      this.#notJoinable.add(config)
      return []
    }
    const sentence = `Frames ${startFrame} to ${next} of ${name ?? this.#camera.name} come before a keyframe; encoded again as ${encoded.codec}, the others are copied.`
    this.#findings.add('video-encoded', sentence, sourceIndex)
    return [
      { video: head, startFrame: 0, endFrame: encoded.frameCount },
      { video, startFrame: next, endFrame },
    ]
  }

  async #transcode(
    frames: PacketFrames,
    from: OpenRange & { picked: KeptRanges },
    sourceIndex: number,
  ): Promise<OpenRange> {
    // What is only cut stays in its codec where we have an encoder for it, so that a camera has one.
    const isChanged = frames.transform !== undefined || !this.#isAllowed(from.video)
    const own = isChanged ? undefined : joinableCodecs[from.video.facts.codec]
    const settings: EncodeSettings = {
      codec: this.#camera.depth ? 'depth' : (own ?? this.#ownCodec),
      fps: this.#settings.fps,
    }
    const encoded = await this.#codec.transcode({
      from,
      path: this.#nextTemporary(),
      settings,
      ...(frames.transform && { transform: frames.transform }),
      signal: this.#settings.signal,
    })
    if (!this.#isAllowed(from.video)) {
      const sentence = `The video of ${this.#camera.name} was encoded again as ${encoded.codec}.`
      this.#findings.addOnce('video-encoded', sentence)
      return this.#openEncoded(encoded)
    }
    if (frames.transform) {
      this.#findings.addOnce('video-encoded', `The pictures of ${this.#camera.name} were changed and encoded again.`)
      return this.#openEncoded(encoded)
    }
    const sentence = `Frames ${from.startFrame} to ${from.endFrame} of ${frames.name ?? this.#camera.name} cannot be cut by copying; encoded again as ${encoded.codec}.`
    this.#findings.add('video-encoded', sentence, sourceIndex)
    return this.#openEncoded(encoded)
  }

  async #openEncoded(encoded: EncodedVideo): Promise<OpenRange> {
    if (encoded.isPadded) {
      this.#findings.addOnce(
        'picture-padded',
        `The pictures of ${this.#camera.name} were padded to ${encoded.width}x${encoded.height}.`,
      )
    }
    const video = await this.#openVideo(encoded.path)
    this.info ??= { ...describeVideo(this.#camera, video.facts, this.#settings.fps), ...encoded.info }
    return { video, startFrame: 0, endFrame: encoded.frameCount }
  }

  #nextTemporary(): string {
    const path = join(this.#workFolder, `${this.#camera.name}-${this.#encodedCount++}.mp4`)
    this.#temporary.add(path)
    return path
  }
}

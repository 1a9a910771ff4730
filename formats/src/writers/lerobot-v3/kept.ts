import { join } from 'node:path'
import { openVideo, type Video } from '../../containers/video/video.ts'
import type { CameraFrames, IntactFile, IntactVideo, VideoShape } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import type { WrittenFile } from '../writer.ts'
import { describeVideo } from './describe-video.ts'
import { type NumberedFile, nameFile, numberFile, prepareFile } from './numbered-file.ts'
import { placeFile } from './place-file.ts'
import type { OpenRanges, VideoPlace, VideoSettings } from './videos.ts'

/** Files of a v3 source that need no change: the same methods as the writing ones, but the bytes are copied at the end. */

async function copyFiles(
  root: string,
  folder: string,
  extension: string,
  kept: readonly IntactFile[],
  isLinked: boolean,
): Promise<WrittenFile[]> {
  const files: WrittenFile[] = []
  for (const [place, { path, sizeBytes }] of kept.entries()) {
    const number = numberFile(place)
    const relative = nameFile(folder, number, extension)
    // The first of a folder makes it.
    const target = number.file === 0 ? await prepareFile(root, relative) : join(root, relative)
    await placeFile(path, target, isLinked)
    files.push({ path: relative, sizeBytes, keptFrom: path })
  }
  return files
}

/** Which kept file the next episode is in. */
class Cursor {
  readonly #kept: readonly IntactFile[]
  place = 0
  #taken = 0

  constructor(kept: readonly IntactFile[]) {
    this.#kept = kept
  }

  /** True when the episode is the first of its file. */
  next(): boolean {
    const isNewFile = this.#taken === (this.#kept[this.place]?.episodeCount ?? 0)
    if (isNewFile) {
      this.place++
      this.#taken = 0
    }
    this.#taken++
    return isNewFile
  }
}

export class KeptRows {
  files: readonly WrittenFile[] = []
  readonly #root: string
  readonly #kept: readonly IntactFile[]
  readonly #isLinked: boolean
  readonly #cursor: Cursor

  constructor(root: string, kept: readonly IntactFile[], isLinked: boolean) {
    this.#root = root
    this.#kept = kept
    this.#isLinked = isLinked
    this.#cursor = new Cursor(kept)
  }

  async beginEpisode(): Promise<void> {}

  async writeRows(): Promise<void> {}

  async endEpisode(): Promise<NumberedFile> {
    this.#cursor.next()
    return numberFile(this.#cursor.place)
  }

  async dropEpisode(): Promise<void> {}

  async finish(): Promise<void> {
    this.files = await copyFiles(this.#root, 'data', 'parquet', this.#kept, this.#isLinked)
  }

  async abandon(): Promise<void> {}
}

/** Frames of a file that is kept. */
export interface KeptRange {
  readonly file: string
  readonly name: string
  readonly startFrame: number
  readonly endFrame: number
}

export class KeptVideos {
  files: readonly WrittenFile[] = []
  info: JsonObject | undefined
  readonly #camera: CameraFeature
  readonly #settings: VideoSettings
  readonly #kept: readonly IntactVideo[]
  readonly #cursor: Cursor
  /** Begun at once: packets are copied by the threads of the file system while this one goes through the rows. */
  readonly #copied: Promise<WrittenFile[]>
  #video: { readonly path: string; readonly opened: Video } | undefined
  #startFrame = 0

  constructor(root: string, camera: CameraFeature, kept: readonly IntactVideo[], settings: VideoSettings) {
    this.#camera = camera
    this.#kept = kept
    this.#settings = settings
    this.#cursor = new Cursor(kept)
    this.#copied = copyFiles(root, `videos/${camera.name}`, 'mp4', kept, settings.isLinked)
    this.#copied.catch(() => undefined)
  }

  /** What the file is was found when the dataset was opened: it is opened again only for its pixels. */
  takeRange(frames: CameraFrames): KeptRange {
    if (frames.kind !== 'packets')
      throw new FormatError('episode_unreadable', `${this.#camera.name} is not a video file.`)
    const { file, name = file, startFrame, frameCount } = frames
    return { file, name, startFrame, endFrame: startFrame + frameCount }
  }

  /** Of the file that is open: another would take its place while somebody reads it. */
  isOpen({ file }: KeptRange): boolean {
    return this.#video?.path === file
  }

  async openRanges({ file, name, startFrame, endFrame }: KeptRange): Promise<OpenRanges> {
    if (this.#video?.path !== file) {
      await this.#closeVideo()
      const { pool, signal } = this.#settings
      this.#video = { path: file, opened: await openVideo(pool.createSource(file), { name, signal }) }
    }
    return [{ video: this.#video.opened, startFrame, endFrame }]
  }

  /** Where the camera is to be one stream, a file of another is not kept. */
  #requireStream({ codec, pixelFormat }: VideoShape): void {
    const { stream } = this.#camera
    if (!stream) return
    if (codec === stream.codec && (pixelFormat === undefined || pixelFormat === stream.pixelFormat)) return
    throw new FormatError('episode_unreadable', `${this.#camera.name} has files of other codecs.`)
  }

  async append({ file, startFrame, endFrame }: KeptRange): Promise<VideoPlace> {
    if (this.#cursor.next()) this.#startFrame = 0
    const kept = this.#kept[this.#cursor.place]
    if (kept?.path !== file)
      throw new FormatError('episode_unreadable', `${this.#camera.name} is in another file than it says.`)
    this.#requireStream(kept.facts)
    if (startFrame !== this.#startFrame)
      throw new FormatError('episode_unreadable', `${this.#camera.name} is not where its file says.`)
    this.#startFrame = endFrame
    this.info ??= describeVideo(this.#camera, kept.facts, this.#settings.fps)
    return { ...numberFile(this.#cursor.place), startFrame }
  }

  async finish(): Promise<void> {
    await this.#closeVideo()
    this.files = await this.#copied
    for (const file of this.files) this.#settings.onFile?.(file)
  }

  /** Whoever empties the folder then meets no copy that is still made. */
  async close(): Promise<void> {
    await this.#closeVideo()
    await this.#copied.catch(() => undefined)
  }

  async #closeVideo(): Promise<void> {
    await this.#video?.opened.close()
    this.#video = undefined
  }
}

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset, Episode, ImageFrames } from '../../dataset.ts'
import { type CameraFeature, isCamera } from '../../feature.ts'
import { Findings } from '../../finding.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { writeEpisodes } from '../episode-loop.ts'
import { formatJson } from '../lerobot-v3/info.ts'
import { prepareFile } from '../lerobot-v3/numbered-file.ts'
import { CameraFiles, type OpenRange } from '../lerobot-v3/videos.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import type { WriteOptions, WriteReport, WrittenFile } from '../writer.ts'
import { canHoldPackets } from './bitstream.ts'
import { type Compression, createChunkMemory, EpisodeFile } from './episode-file.ts'
import { fillEpisode } from './fill-episode.ts'
import {
  type CameraTopic,
  createPacketMemory,
  describeImageTopic,
  describeVideoTopic,
  type PacketMemory,
} from './pictures.ts'

interface McapOptions extends WriteOptions {
  readonly compression: Compression
  /** Videos of other codecs are encoded as this one. */
  readonly requiredCodec: 'h264' | undefined
}

const nameEpisode = (episodeIndex: number): string => `episode_${String(episodeIndex).padStart(6, '0')}.mcap`

/** A file per episode, with copied packets wherever Foxglove's rules allow. */
export async function writeMcap(dataset: Dataset, folder: string, options: McapOptions): Promise<WriteReport> {
  await requireEmptyFolder(folder)
  await using workbench = await openWorkbench(folder, options)
  const writing = new McapWriting(dataset, folder, options, workbench)
  try {
    return await writing.run()
  } catch (error) {
    await writing.abandon()
    throw error
  }
}

class McapWriting {
  readonly #dataset: Dataset
  readonly #folder: string
  readonly #options: McapOptions
  readonly #cameras: readonly CameraFeature[]
  readonly #videos: ReadonlyMap<CameraFeature, CameraFiles>
  readonly #findings = new Findings()
  readonly #files: WrittenFile[] = []
  readonly #memory = createChunkMemory()
  /** Of each camera, for the packets that are read: memory made anew for every episode was most of the time of short ones. */
  readonly #packets = new Map<CameraFeature, PacketMemory>()

  constructor(dataset: Dataset, folder: string, options: McapOptions, workbench: Workbench) {
    this.#dataset = dataset
    this.#folder = folder
    this.#options = options
    this.#cameras = dataset.features.filter(isCamera)
    const videos = this.#cameras.filter(({ storage }) => storage === 'video')
    this.#videos = new Map(videos.map((camera) => [camera, this.#openCamera(camera, workbench)]))
  }

  async run(): Promise<WriteReport> {
    const counts = await writeEpisodes(this.#dataset, this.#folder, this.#findings, this.#options, {
      write: (episode, { episodeIndex }) => this.#writeEpisode(episode, episodeIndex),
      drop: ({ episodeIndex }) => rm(join(this.#folder, nameEpisode(episodeIndex)), { force: true }),
    })
    await this.#closeVideos()
    for (const [path, value] of this.#dataset.sidecars ?? []) {
      const text = formatJson(value)
      await writeFile(await prepareFile(this.#folder, path), text, { flush: true })
      this.#tell({ path, sizeBytes: Buffer.byteLength(text) })
    }
    const findings = [...this.#dataset.findings, ...this.#findings.list]
    return { ...counts, files: this.#files, findings, losses: [] }
  }

  async abandon(): Promise<void> {
    await this.#closeVideos()
    for (const { path } of this.#files) await rm(join(this.#folder, path), { force: true })
  }

  #openCamera(camera: CameraFeature, { workFolder, codec, pool }: Workbench): CameraFiles {
    const { signal, requiredCodec } = this.#options
    const { fps } = this.#dataset
    const settings = { fps, limitBytes: 0, codec: 'h264', pool, signal, isLinked: false, requiredCodec } as const
    return new CameraFiles(camera, {
      ...{ root: this.#folder, workFolder, codec, findings: this.#findings },
      settings: { ...settings, canHold: canHoldPackets },
    })
  }

  async #writeEpisode(episode: Episode, episodeIndex: number): Promise<void> {
    const taken = new Map<CameraFiles, readonly OpenRange[]>()
    try {
      const cameras: CameraTopic[] = []
      for (const camera of this.#cameras) cameras.push(await this.#openTopic(episode, camera, taken))
      await this.#writeFile(episode, episodeIndex, cameras)
    } finally {
      for (const video of this.#videos.values()) await video.release(taken.get(video) ?? [])
    }
  }

  async #openTopic(episode: Episode, camera: CameraFeature, taken: Map<CameraFiles, readonly OpenRange[]>) {
    const frames = await episode.openCamera(camera.name)
    const video = this.#videos.get(camera)
    if (!video) return describeImageTopic(camera, frames as ImageFrames)
    const ranges = await video.openRanges(frames, episode.sourceIndex)
    taken.set(video, ranges)
    const memory = this.#packets.get(camera) ?? createPacketMemory()
    this.#packets.set(camera, memory)
    return describeVideoTopic(camera, ranges, memory)
  }

  async #writeFile(episode: Episode, episodeIndex: number, cameras: readonly CameraTopic[]): Promise<void> {
    const { signal, compression } = this.#options
    const path = nameEpisode(episodeIndex)
    const file = await EpisodeFile.open(join(this.#folder, path), compression, this.#memory)
    try {
      await fillEpisode(file, { dataset: this.#dataset, episode, episodeIndex, cameras, signal })
      const sizeBytes = await file.finish()
      this.#tell({ path, sizeBytes })
    } finally {
      for (const { pictures } of cameras) await pictures.close()
      await file.close()
    }
  }

  #tell(file: WrittenFile): void {
    this.#files.push(file)
    this.#options.onFile?.(file)
  }

  async #closeVideos(): Promise<void> {
    for (const video of this.#videos.values()) await video.close()
  }
}

import { openFile } from '../../bytes.ts'
import type { Codec } from '../../containers/codec/codec.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { Dataset, Episode } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import { type KeptRanges, listKept } from '../../frame-ranges.ts'
import { type CameraStatistics, listSampledFrames, measureDistance, scaleTo } from '../../statistics/camera.ts'

/** As many are measured in a second or two; beyond, decoding is nearly all that leaving out a few frames costs. */
const fewEpisodes = 100
const measuredEpisodes = 20
/** As a share of the range of a pixel: less than what encoding changes. */
const largestDistance = 0.01

/** What was found of one camera. */
export interface Trust {
  readonly isGood: boolean
  readonly measured: number
  readonly distance: number
}

/**
 * Whether the statistics of whole recordings may stand for episodes that keep some of their frames. LeRobot's are estimates from a
 * sample of frames in any case; whether these are as good is measured on episodes spread over the dataset.
 */
export class WholeRecordings {
  readonly #dataset: Dataset
  readonly #codec: Codec
  readonly #signal: AbortSignal | undefined
  readonly #trusted = new Map<string, Promise<Trust>>()
  readonly #taken = new Map<string, number>()

  constructor(dataset: Dataset, codec: Codec, signal: AbortSignal | undefined) {
    this.#dataset = dataset
    this.#codec = codec
    this.#signal = signal
  }

  /** The statistics for `episode` by those of its whole recording; undefined where it has to be measured. */
  async take(camera: CameraFeature, episode: Episode, whole: CameraStatistics): Promise<CameraStatistics | undefined> {
    if (this.#dataset.episodeCount <= fewEpisodes) return undefined
    const trusted = this.#trusted.get(camera.name) ?? this.#tryOut(camera)
    this.#trusted.set(camera.name, trusted)
    if (!(await trusted).isGood) return undefined
    this.#taken.set(camera.name, (this.#taken.get(camera.name) ?? 0) + 1)
    return scaleTo(whole, listSampledFrames(episode.length).length)
  }

  /** A sentence for each camera of which something was taken. */
  async *describe(): AsyncGenerator<string> {
    for (const [camera, count] of this.#taken) {
      const { measured, distance } = (await this.#trusted.get(camera)) as Trust
      yield `${camera}: the statistics of ${count} shortened episodes are those of their whole recordings. ${measured} were measured for comparison, and their pixels are ${(distance * 100).toFixed(2)} % of the range or less from that on average.`
    }
  }

  async #tryOut(camera: CameraFeature): Promise<Trust> {
    const { episodeCount } = this.#dataset
    let [measured, distance] = [0, 0]
    for (let at = 0; at < measuredEpisodes; at++) {
      const episode = this.#dataset.getEpisode(Math.floor(((at + 0.5) * episodeCount) / measuredEpisodes))
      const known = await episode.findCameraStatistics?.(camera.name)
      if (!known?.isOfWhole) continue
      const own = await this.#measure(camera, episode).catch(requireFormatError)
      if (!own) return { isGood: false, measured, distance }
      distance = Math.max(distance, measureDistance(own, known.statistics))
      measured++
      if (distance > largestDistance) break
    }
    return { isGood: measured > 0 && distance <= largestDistance, measured, distance }
  }

  async #measure({ name, depth }: CameraFeature, episode: Episode): Promise<CameraStatistics | undefined> {
    const frames = await episode.openCamera(name)
    if (frames.kind !== 'packets' || frames.transform) return undefined
    const { startFrame, frameCount } = frames
    const picked: KeptRanges = frames.picked ?? [[startFrame, startFrame + frameCount]]
    const kept = listKept(picked)
    await using source = await openFile(frames.file)
    await using video = await openVideo(source, { name: frames.name ?? frames.file })
    const sampled = listSampledFrames(kept.length).map((place) => kept[place] as number)
    return await this.#codec.measure({ video, frames: sampled, pixels: depth ? 'depth' : 'rgb', signal: this.#signal })
  }
}

/** An episode that cannot be read is told of when it is written. */
function requireFormatError(error: unknown): undefined {
  if (!(error instanceof FormatError)) throw error
}

import { openFile } from '../../bytes.ts'
import type { Codec } from '../../containers/codec/codec.ts'
import { openVideo } from '../../containers/video/video.ts'
import type { Dataset, Episode } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import { type CameraStatistics, listSampledFrames, measureDistance, scaleTo } from '../../statistics/camera.ts'
import { measureRanges } from './measure-ranges.ts'
import type { OpenRanges } from './videos.ts'

/** As many are measured in a few seconds; beyond, decoding is nearly all that such an episode costs. */
const fewEpisodes = 20
/** One of ten, within these. */
const [leastTried, mostTried] = [5, 20]
/** As a share of the range of a pixel: less than what encoding changes. */
const largestDistance = 0.01

/** What was found of one camera. */
export interface Trial {
  readonly isGood: boolean
  readonly measured: number
  readonly distance: number
}

export interface TrialTools {
  readonly dataset: Dataset
  /** By camera and position: LeRobot's sample of the episodes that are tried, decoded once however many estimates are. */
  readonly samples: Map<string, Promise<CameraStatistics>>
  readonly codec: Codec
  readonly signal: AbortSignal | undefined
}

/** Statistics that cost less than LeRobot's sample of an episode's frames; undefined where there are none. */
type Estimate = (
  camera: CameraFeature,
  episode: Episode,
  openRanges: () => Promise<OpenRanges>,
) => Promise<CameraStatistics | undefined>

/**
 * Whether an estimate may stand for LeRobot's sample of frames, which is one itself. That is measured on episodes spread over the
 * dataset, camera by camera; where one of them is far off, all episodes of that camera are measured.
 */
export class CameraTrials {
  readonly #tools: TrialTools
  readonly #estimate: Estimate
  readonly #trials = new Map<string, Promise<Trial>>()
  readonly #taken = new Map<string, number>()

  constructor(tools: TrialTools, estimate: Estimate) {
    this.#tools = tools
    this.#estimate = estimate
  }

  /** With the weight that LeRobot's sample of the episode would have; undefined where it has to be measured. */
  async take(...[camera, episode, openRanges]: Parameters<Estimate>): Promise<CameraStatistics | undefined> {
    if (this.#tools.dataset.episodeCount <= fewEpisodes) return undefined
    const trial = this.#trials.get(camera.name) ?? this.#tryOut(camera)
    this.#trials.set(camera.name, trial)
    if (!(await trial).isGood) return undefined
    const estimated = await this.#estimate(camera, episode, openRanges)
    if (!estimated) return undefined
    this.#taken.set(camera.name, (this.#taken.get(camera.name) ?? 0) + 1)
    return scaleTo(estimated, listSampledFrames(episode.length).length)
  }

  /** Each camera of which something was taken, and how far off the tried ones were. */
  async *describe(): AsyncGenerator<{ camera: string; count: number; compared: string }> {
    for (const [camera, count] of this.#taken) {
      const { measured, distance } = (await this.#trials.get(camera)) as Trial
      const compared = `${measured} were measured for comparison, and their pixels are ${(distance * 100).toFixed(2)} % of the range or less from that on average.`
      yield { camera, count, compared }
    }
  }

  async #tryOut(camera: CameraFeature): Promise<Trial> {
    const { dataset } = this.#tools
    const tried = Math.min(mostTried, Math.max(leastTried, Math.ceil(dataset.episodeCount / 10)))
    let [measured, distance] = [0, 0]
    for (let at = 0; at < tried; at++) {
      const position = Math.floor(((at + 0.5) * dataset.episodeCount) / tried)
      const found = await this.#tryEpisode(camera, position).catch(requireFormatError)
      if (found === 'unknown') continue
      if (found === undefined) return { isGood: false, measured, distance }
      distance = Math.max(distance, found)
      measured++
      if (distance > largestDistance) break
    }
    return { isGood: measured > 0 && distance <= largestDistance, measured, distance }
  }

  /** How far the estimate is from the measure; undefined where the frames are not packets as they lie in a file. */
  async #tryEpisode(camera: CameraFeature, position: number): Promise<number | 'unknown' | undefined> {
    const { dataset, codec, samples, signal } = this.#tools
    const episode = dataset.getEpisode(position)
    const frames = await episode.openCamera(camera.name)
    if (frames.kind !== 'packets' || frames.transform) return undefined
    const { startFrame, frameCount, picked = [[startFrame, startFrame + frameCount]] } = frames
    await using source = await openFile(frames.file)
    await using video = await openVideo(source, { name: frames.name ?? frames.file })
    const ranges = picked.map(([from, to]) => ({ video, startFrame: from, endFrame: to })) as unknown as OpenRanges
    const estimated = await this.#estimate(camera, episode, async () => ranges)
    if (!estimated) return 'unknown'
    const key = `${position} ${camera.name}`
    const sample = samples.get(key) ?? measureRanges(codec, ranges, camera, signal)
    samples.set(key, sample)
    return measureDistance(await sample, estimated)
  }
}

/** An episode that cannot be read is told of when it is written. */
function requireFormatError(error: unknown): undefined {
  if (!(error instanceof FormatError)) throw error
}

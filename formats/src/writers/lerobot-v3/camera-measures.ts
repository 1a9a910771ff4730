import type { Episode } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { CameraFeature } from '../../feature.ts'
import type { Findings } from '../../finding.ts'
import type { CameraStatistics } from '../../statistics/camera.ts'
import { areAsStated } from '../../statistics/stated-pixels.ts'
import { CameraTrials, type TrialTools } from './camera-trials.ts'
import type { OpenFilm } from './films.ts'
import { leastKeyframes, measureKeyframes, measureRanges, mostKeyframes } from './measure-ranges.ts'

/** The statistics of cameras that are kept as video, and what the report says of how they were found. */
export class CameraMeasures {
  readonly #tools: TrialTools
  readonly #findings: Findings
  readonly #wholeRecordings: CameraTrials
  readonly #fewKeyframes: CameraTrials
  readonly #keyframes: CameraTrials

  constructor(options: Omit<TrialTools, 'samples'>, findings: Findings) {
    const tools = { ...options, samples: new Map() }
    const { codec, signal } = tools
    this.#tools = tools
    this.#findings = findings
    this.#wholeRecordings = new CameraTrials(tools, async ({ name }, episode) => {
      const known = await episode.findCameraStatistics?.(name)
      return known?.isOfWhole ? known.statistics : undefined
    })
    this.#fewKeyframes = new CameraTrials(tools, async (camera, episode, openRanges) => {
      const stated = await episode.findStatedPixels?.(camera.name)
      if (!stated) return undefined
      const found = await measureKeyframes(codec, await openRanges(), camera, { most: leastKeyframes, signal })
      return found && areAsStated(found, stated) ? found : undefined
    })
    this.#keyframes = new CameraTrials(tools, async (camera, _, openRanges) =>
      measureKeyframes(codec, await openRanges(), camera, { most: mostKeyframes, signal }),
    )
  }

  /**
   * LeRobot's sample of frames, decoded; or what the source's sidecar knows of the same frames (`isCarried`), of the whole recording or
   * of some keyframes where that is as good: of very few where they have the mean and the deviation that the source states. Where nothing
   * can be decoded the packets are copied all the same.
   */
  async measure(
    camera: CameraFeature,
    episode: Episode,
    film: OpenFilm,
    isCarried: boolean,
  ): Promise<CameraStatistics | undefined> {
    const known = isCarried ? await episode.findCameraStatistics?.(camera.name) : undefined
    if (known && !known.isOfWhole) return known.statistics
    const openRanges = () => film.openRanges()
    const ofWhole = known && (await this.#wholeRecordings.take(camera, episode, openRanges))
    if (ofWhole) return ofWhole
    const { codec, signal } = this.#tools
    try {
      const isStated = (await episode.findStatedPixels?.(camera.name)) !== undefined
      const ofFew = isStated ? await this.#fewKeyframes.take(camera, episode, openRanges) : undefined
      const ofKeyframes = ofFew ?? (await this.#keyframes.take(camera, episode, openRanges))
      return ofKeyframes ?? (await measureRanges(codec, await openRanges(), camera, signal))
    } catch (error) {
      if (!(error instanceof FormatError && error.code === 'codec_missing')) throw error
      this.#findings.addOnce('camera-not-measured', `${camera.name} has no statistics. ${error.message}`)
      return undefined
    }
  }

  async report(): Promise<void> {
    for await (const { camera, count, compared } of this.#wholeRecordings.describe())
      this.#findings.add(
        'statistics-of-whole',
        `${camera}: the statistics of ${count} shortened episodes are those of their whole recordings. ${compared}`,
      )
    for await (const { camera, count, compared } of this.#fewKeyframes.describe())
      this.#findings.add(
        'statistics-of-keyframes',
        `${camera}: the statistics of ${count} episodes are those of ${leastKeyframes} keyframes each, which have the mean and the deviation that the source states of the episode. ${compared}`,
      )
    for await (const { camera, count, compared } of this.#keyframes.describe())
      this.#findings.add(
        'statistics-of-keyframes',
        `${camera}: the statistics of ${count} episodes are those of at most ${mostKeyframes} keyframes each. ${compared}`,
      )
  }
}

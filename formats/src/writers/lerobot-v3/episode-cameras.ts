import type { Dataset, Episode } from '../../dataset.ts'
import type { CameraFeature } from '../../feature.ts'
import type { CameraStatistics } from '../../statistics/camera.ts'
import type { CameraMeasures } from './camera-measures.ts'
import { type OpenFilm, openFilm, openFilmAhead, type VideoFiles } from './films.ts'
import { mostAhead } from './videos.ts'

interface EpisodeCamerasOptions {
  readonly dataset: Dataset
  readonly cameras: readonly CameraFeature[]
  /** Of the cameras, in their order. */
  readonly videos: readonly VideoFiles[]
  readonly measures: CameraMeasures
  /** Whether the source's statistics are taken over. */
  readonly isCarried: boolean
}

/** An episode's films, and the statistics of those that have any. */
interface OpenCameras {
  readonly films: readonly OpenFilm[]
  readonly statistics: readonly (readonly [camera: string, statistics: CameraStatistics])[]
}

/**
 * Opens and measures the cameras of one episode after the other. Those of the next ones, where they are only copied, are opened meanwhile:
 * their frames are decoded while this one's rows are read and written, so that two cores have work.
 */
export class EpisodeCameras {
  readonly measures: CameraMeasures
  readonly #options: EpisodeCamerasOptions
  readonly #ahead = new Map<number, Promise<OpenCameras | undefined>>()

  constructor(options: EpisodeCamerasOptions) {
    this.#options = options
    this.measures = options.measures
  }

  /** Of the episode whose turn it is. */
  async take(position: number, episode: Episode): Promise<OpenCameras> {
    this.#lookAhead(position)
    const ahead = this.#ahead.get(position)
    this.#ahead.delete(position)
    return (await ahead) ?? this.#measure(episode, await this.#mapVideos(openFilm, episode))
  }

  /** Waits until nobody reads a video any more. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#ahead.values())
  }

  #lookAhead(position: number): void {
    const { dataset, cameras } = this.#options
    if (cameras.length === 0) return
    const end = Math.min(dataset.episodeCount, position + 1 + mostAhead)
    for (let next = position + 1; next < end; next++) {
      if (this.#ahead.has(next)) continue
      const opening = this.#openAhead(dataset.getEpisode(next))
      // Whoever comes to the episode learns of its failure.
      opening.catch(() => undefined)
      this.#ahead.set(next, opening)
    }
  }

  async #openAhead(episode: Episode): Promise<OpenCameras | undefined> {
    if (episode.length === 0) return undefined
    const films = await this.#mapVideos(openFilmAhead, episode)
    return films.every((film) => film !== undefined) ? this.#measure(episode, films) : undefined
  }

  #mapVideos<Film>(open: (episode: Episode, camera: string, files: VideoFiles) => Promise<Film>, episode: Episode) {
    const { cameras, videos } = this.#options
    return Promise.all(cameras.map(({ name }, index) => open(episode, name, videos[index] as VideoFiles)))
  }

  async #measure(episode: Episode, films: readonly OpenFilm[]): Promise<OpenCameras> {
    const { cameras, measures, isCarried } = this.#options
    const measured = await Promise.all(
      films.map((film, index) => measures.measure(cameras[index] as CameraFeature, episode, film, isCarried)),
    )
    const statistics = measured.flatMap((entry, index) => (entry ? [[cameras[index]?.name ?? '', entry] as const] : []))
    return { films, statistics }
  }
}

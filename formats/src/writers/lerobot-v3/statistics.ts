import { type CameraFeature, type Feature, isCamera, isColumn, isNumericDtype } from '../../feature.ts'
import {
  type CameraStatistics,
  createCameraStatistics,
  mergeCameraStatistics,
  presentCameraStatistics,
} from '../../statistics/camera.ts'
import { countDimensions, type FeatureStatistics, presentStatistics } from '../../statistics/episode.ts'
import { createMoments, type Moments, mergeMoments } from '../../statistics/moments.ts'
import type { WriteOptions } from '../writer.ts'
import type { CollectedEpisode } from './episode.ts'
import { findDatasetQuantiles, type HeldValues } from './quantiles.ts'

type Described = Readonly<Record<string, unknown>>

/** The statistics of the whole dataset, merged episode by episode, and how LeRobot spells them. */
export class DatasetStatistics {
  /** Features that have statistics, in the order of info.json. */
  readonly features: readonly { readonly name: string; readonly isCamera: boolean }[]
  readonly #columns
  readonly #cameras: ReadonlyMap<string, CameraFeature>
  readonly #moments = new Map<string, Moments>()
  readonly #pixels = new Map<string, CameraStatistics>()

  /** `features` with the bookkeeping columns at the end. */
  constructor(features: readonly Feature[]) {
    this.#columns = features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
    this.#cameras = new Map(features.filter(isCamera).map((camera) => [camera.name, camera]))
    for (const column of this.#columns) this.#moments.set(column.name, createMoments(countDimensions(column)))
    for (const camera of this.#cameras.values()) this.#pixels.set(camera.name, createEmptyStatistics(camera))
    this.features = features
      .filter(({ name }) => this.#moments.has(name) || this.#pixels.has(name))
      .map((feature) => ({ name: feature.name, isCamera: isCamera(feature) }))
  }

  get cameraNames(): string[] {
    return [...this.#cameras.keys()]
  }

  add({ statistics, cameras }: Pick<CollectedEpisode, 'statistics' | 'cameras'>): void {
    for (const [name, { moments }] of statistics) mergeMoments(this.#moments.get(name) as Moments, moments)
    for (const [name, pixels] of cameras) mergeCameraStatistics(this.#pixels.get(name) as CameraStatistics, pixels)
  }

  describeEpisode({ statistics, cameras }: Pick<CollectedEpisode, 'statistics' | 'cameras'>) {
    return this.features.map((entry) => {
      const numbers = statistics.get(entry.name)
      const values: Described = numbers
        ? presentStatistics(numbers.moments, numbers.quantiles)
        : (this.#describeCamera(entry.name, cameras) ?? {})
      return { ...entry, values }
    })
  }

  /** Quantiles come from the files on disk, which are read back whole for it. */
  async describeDataset(
    folder: string,
    files: readonly string[],
    frameCount: number,
    options: WriteOptions,
  ): Promise<{ statistics: Record<string, Described>; areFinite: boolean }> {
    const { quantiles, areFinite } = await findDatasetQuantiles(folder, files, this.#columns, frameCount, options)
    const entries = this.features.flatMap(({ name }): [string, Described][] => {
      const moments = this.#moments.get(name)
      if (moments) return [[name, presentStatistics(moments, quantiles.get(name) as FeatureStatistics['quantiles'])]]
      const described = this.#describeCamera(name, this.#pixels)
      return described ? [[name, described]] : []
    })
    return { statistics: Object.fromEntries(entries), areFinite }
  }

  /** Of the columns that were held while they were written, nothing is read. */
  describeHeld(held: HeldValues): Record<string, Described> {
    const entries = [...held.find().quantiles].map(([name, quantiles]): [string, Described] => [
      name,
      presentStatistics(this.#moments.get(name) as Moments, quantiles),
    ])
    return Object.fromEntries(entries)
  }

  /** Nothing of a camera whose frames could not be decoded: zeros would be taken for what it saw. */
  #describeCamera(name: string, cameras: ReadonlyMap<string, CameraStatistics>): Described | undefined {
    const statistics = cameras.get(name)
    if (!statistics || statistics.frameCount === 0) return undefined
    return presentCameraStatistics(statistics, this.#cameras.get(name)?.depth)
  }
}

function createEmptyStatistics(camera: CameraFeature): CameraStatistics {
  return createCameraStatistics(camera.depth ? 1 : 3, camera.depth !== undefined)
}

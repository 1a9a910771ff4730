import type { Derivation } from './derivation.ts'
import type { EpisodeColumns } from './format.ts'
import type { ReadModelManifest } from './manifest.ts'
import { type FoldedTexts, foldTexts, markTexts } from './task-search.ts'

export interface EpisodeEntry {
  episodeIndex: number
  /** The number it had in the source. */
  sourceIndex: number
  lengthFrames: number
  durationSec: number
  fromIndex: number
  toIndex: number
  tasks: string[]
  /** Path of the data file that holds its rows. */
  dataFile: string
  /** Null where the dataset has no signal to score. */
  motion: number | null
  variance: number | null
  stillSeconds: number | null
  /** By camera key; cameras stored as images have no video. */
  videos: ReadonlyMap<string, VideoPlace>
}

export interface VideoPlace {
  path: string
  /** Seconds in the file that `path` names. */
  fromSec: number
  toSec: number
  startFrame: number
}

export const episodeSorts = ['episode_index', 'duration', 'frames'] as const
export type EpisodeSort = (typeof episodeSorts)[number]
export type SortOrder = 'asc' | 'desc'

export interface EpisodeQuery {
  offset: number
  limit: number
  sort?: EpisodeSort | undefined
  order?: SortOrder | undefined
  /** Part of a task's text, in any case, or an episode's number. */
  q?: string | undefined
}

/** A revision in memory: columns as they lie in the file, so a page costs the same wherever it begins and however many there are. */
export class ReadModel {
  readonly manifest: ReadModelManifest
  readonly columns: EpisodeColumns
  /** Set where frames and rows come from the files of another dataset. */
  readonly derivation: Derivation | undefined
  /** What the cache counts: the columns, and what a search leaves: the texts in lower case, one list of matches. */
  readonly sizeBytes: number
  readonly cameraKeys: string[]
  readonly #texts = new Map<number, string>()
  #folded: FoldedTexts | undefined
  #match: { q: string; byLength: boolean; found: Uint32Array } | undefined

  constructor(manifest: ReadModelManifest, columns: EpisodeColumns, fileBytes: number, derivation?: Derivation) {
    this.manifest = manifest
    this.columns = columns
    this.derivation = derivation
    this.cameraKeys = manifest.cameras.map(({ key }) => key)
    this.sizeBytes = fileBytes + 4 * columns.lengthFrames.length + columns.taskText.byteLength
  }

  get episodeCount(): number {
    return this.columns.lengthFrames.length
  }

  getEpisode(index: number): EpisodeEntry {
    const { columns, manifest } = this
    if (!this.hasEpisode(index)) throw new RangeError(`there is no episode ${index}`)
    const lengthFrames = columns.lengthFrames[index] as number
    const fromIndex = columns.fromIndex[index] as number
    const videos = new Map<string, VideoPlace>()
    for (const [video, { key, files }] of manifest.video_files.entries()) {
      const startFrame = columns.videoStart[video]?.[index] ?? 0
      videos.set(key, {
        path: files[columns.videoFile[video]?.[index] ?? 0] ?? '',
        fromSec: startFrame / manifest.fps,
        toSec: (startFrame + lengthFrames) / manifest.fps,
        startFrame,
      })
    }
    return {
      episodeIndex: index,
      sourceIndex: columns.sourceIndex[index] as number,
      lengthFrames,
      durationSec: lengthFrames / manifest.fps,
      fromIndex,
      toIndex: fromIndex + lengthFrames,
      tasks: this.listTasksOf(index),
      dataFile: manifest.data_files[columns.dataFile[index] as number] ?? '',
      motion: columns.motion?.[index] ?? null,
      variance: columns.variance?.[index] ?? null,
      stillSeconds: columns.stillSeconds?.[index] ?? null,
      videos,
    }
  }

  hasEpisode(index: number): boolean {
    return Number.isInteger(index) && index >= 0 && index < this.episodeCount
  }

  listTasksOf(index: number): string[] {
    const { taskStarts, taskIds } = this.columns
    const end = taskStarts[index + 1] ?? 0
    // A plain loop: this runs for each row of each page, and a view with an iterator is most of a row's cost.
    const texts: string[] = []
    for (let at = taskStarts[index] ?? 0; at < end; at++) texts.push(this.getTask(taskIds[at] as number))
    return texts
  }

  get taskCount(): number {
    return this.columns.taskTextStarts.length - 1
  }

  getTask(task: number): string {
    const known = this.#texts.get(task)
    if (known !== undefined) return known
    const { taskText, taskTextStarts } = this.columns
    const text = Buffer.from(taskText.subarray(taskTextStarts[task], taskTextStarts[task + 1])).toString()
    // Datasets with a text of its own for each episode are read by the page, not kept as strings.
    if (this.#texts.size < MAX_TEXTS_KEPT) this.#texts.set(task, text)
    return text
  }

  /** Equal lengths stand in the order of their numbers, in the direction asked for. */
  listEpisodes({ offset, limit, sort = 'episode_index', order = 'asc', q }: EpisodeQuery): {
    total: number
    indices: number[]
  } {
    const byLength = sort !== 'episode_index'
    const found = q === undefined ? undefined : this.#findMatches(q, byLength)
    const total = found ? found.length : this.episodeCount
    const at = (place: number): number => {
      if (found) return found[place] as number
      return byLength ? (this.columns.byLength[place] as number) : place
    }
    const indices: number[] = []
    for (let place = offset; place < Math.min(offset + limit, total); place++)
      indices.push(at(order === 'asc' ? place : total - 1 - place))
    return { total, indices }
  }

  /** One pass over the episodes; the last answer is kept, since the next page asks the same. */
  #findMatches(q: string, byLength: boolean): Uint32Array {
    if (this.#match?.q === q && this.#match.byLength === byLength) return this.#match.found
    this.#folded ??= foldTexts(this.columns.taskText, this.columns.taskTextStarts)
    const wanted = markTexts(this.#folded, q)
    const asNumber = /^\d{1,15}$/.test(q.trim()) ? Number(q.trim()) : -1
    const { taskStarts, taskIds, byLength: order } = this.columns
    const count = this.episodeCount
    const found = new Uint32Array(count)
    let matches = 0
    for (let place = 0; place < count; place++) {
      const episode = byLength ? (order[place] as number) : place
      let isMatch = episode === asNumber
      const end = taskStarts[episode + 1] as number
      for (let at = taskStarts[episode] as number; !isMatch && at < end; at++)
        isMatch = wanted[taskIds[at] as number] === 1
      if (isMatch) found[matches++] = episode
    }
    this.#match = { q, byLength, found: found.slice(0, matches) }
    return this.#match.found
  }
}

const MAX_TEXTS_KEPT = 1_000

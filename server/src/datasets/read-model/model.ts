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
  splits: string[]
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

export const episodeSorts = ['episode_index', 'duration', 'frames', 'task'] as const
export type EpisodeSort = (typeof episodeSorts)[number]
export type SortOrder = 'asc' | 'desc'

export interface EpisodeQuery {
  offset: number
  limit: number
  sort?: EpisodeSort | undefined
  order?: SortOrder | undefined
  /** Part of a task's text, in any case, or an episode's number. */
  q?: string | undefined
  /** Only episodes that are in this one of `manifest.split_names`. */
  split?: string | undefined
}

/** One of several stored datasets whose episodes a model has, one after the other. */
export interface ModelPart {
  /** The number that its first episode has in the whole. */
  start: number
  /** The revision whose files hold it. */
  place: { id: string; orgId: string; readModelDigest: string }
  /** Its episodes alone, under the names of the whole. Tasks are its own. */
  model: ReadModel
}

/** A revision in memory: columns as they lie in the file, so a page costs the same wherever it begins and however many there are. */
export class ReadModel {
  readonly manifest: ReadModelManifest
  readonly columns: EpisodeColumns
  /** Set where frames and rows come from the files of another dataset. */
  readonly derivation: Derivation | undefined
  /** Set where they come from those of several: the episodes of each, in order. A model has a derivation or parts, not both. */
  readonly parts: readonly ModelPart[] | undefined
  /** What the cache counts: the columns, and what a search leaves: the texts in lower case, one list of matches. */
  readonly sizeBytes: number
  readonly cameraKeys: string[]
  readonly #texts = new Map<number, string>()
  #folded: FoldedTexts | undefined
  #byTask: Uint32Array | undefined
  #match: { key: string; found: Uint32Array } | undefined
  readonly #splitSets = new Map<number, string[]>()

  constructor(
    manifest: ReadModelManifest,
    columns: EpisodeColumns,
    fileBytes: number,
    derivation?: Derivation,
    parts?: readonly ModelPart[],
  ) {
    this.manifest = forgetEmptyTask(manifest, columns)
    this.columns = columns
    this.derivation = derivation
    this.parts = parts
    this.cameraKeys = manifest.cameras.map(({ key }) => key)
    this.sizeBytes = fileBytes + 4 * columns.lengthFrames.length + columns.taskText.byteLength
  }

  /** Whether it is shown from files that were stored for something else. */
  get isDerived(): boolean {
    return this.derivation !== undefined || this.parts !== undefined
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
      const path = files[columns.videoFile[video]?.[index] ?? 0]
      // Of several sources, one may keep as pictures what is a video in another.
      if (path === undefined && this.parts) continue
      videos.set(key, {
        path: path ?? '',
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
      splits: this.listSplitsOf(index),
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
    for (let at = taskStarts[index] ?? 0; at < end; at++) {
      const text = this.getTask(taskIds[at] as number)
      if (text !== '') texts.push(text)
    }
    return texts
  }

  /** An older read model says nothing by episode: there was one split of all then, whatever the source said. */
  listSplitsOf(index: number): string[] {
    const { splitStarts, splitIds } = this.columns
    const names = this.manifest.split_names
    if (!splitStarts || !splitIds) return names
    const [start, end] = [splitStarts[index] ?? 0, splitStarts[index + 1] ?? 0]
    // Most episodes are in one, and of those the lists are shared.
    if (end - start !== 1) return Array.from(splitIds.subarray(start, end), (id) => names[id] ?? '')
    const id = splitIds[start] as number
    const known = this.#splitSets.get(id) ?? [names[id] ?? '']
    this.#splitSets.set(id, known)
    return known
  }

  /** Whether an episode is in one of these splits. */
  findInSplits(splits: readonly string[]): (episode: number) => boolean {
    const { splitStarts, splitIds } = this.columns
    const isWanted = this.manifest.split_names.map((name) => splits.includes(name))
    if (!splitStarts || !splitIds) return () => isWanted.includes(true)
    return (episode) => {
      const end = splitStarts[episode + 1] as number
      for (let at = splitStarts[episode] as number; at < end; at++) if (isWanted[splitIds[at] as number]) return true
      return false
    }
  }

  /** Every split with the number of its episodes. */
  countSplits(): { name: string; episodeCount: number }[] {
    const { splitIds } = this.columns
    const names = this.manifest.split_names
    if (!splitIds) return names.map((name) => ({ name, episodeCount: this.episodeCount }))
    const counts = new Uint32Array(names.length)
    for (const id of splitIds) counts[id] = (counts[id] as number) + 1
    return names.map((name, place) => ({ name, episodeCount: counts[place] as number }))
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
    if (this.#texts.size < maxTextsKept) this.#texts.set(task, text)
    return text
  }

  /** Equal lengths stand in the order of their numbers, in the direction asked for. */
  listEpisodes({ offset, limit, sort = 'episode_index', order = 'asc', q, split }: EpisodeQuery): {
    total: number
    indices: number[]
  } {
    const sorted = this.#sortBy(sort)
    const found = q === undefined && split === undefined ? undefined : this.#findMatches(q, split, sort, sorted)
    const total = found ? found.length : this.episodeCount
    const at = (place: number): number => {
      if (found) return found[place] as number
      return sorted ? (sorted[place] as number) : place
    }
    const indices: number[] = []
    for (let place = offset; place < Math.min(offset + limit, total); place++)
      indices.push(at(order === 'asc' ? place : total - 1 - place))
    return { total, indices }
  }

  /** The episodes in their order; undefined where that is the order of their numbers. */
  #sortBy(sort: EpisodeSort): Uint32Array | undefined {
    if (sort === 'episode_index') return undefined
    if (sort !== 'task') return this.columns.byLength
    this.#byTask ??= this.#orderByTask()
    return this.#byTask
  }

  /** By the first of each one's tasks, those without one last. Texts are compared once each, whatever the number of episodes. */
  #orderByTask(): Uint32Array {
    const { taskStarts, taskIds, taskTextStarts } = this.columns
    const count = Math.max(0, taskTextStarts.length - 1)
    const texts = Array.from({ length: count }, (_, task) => this.getTask(task))
    const ranks = new Uint32Array(count)
    const ranked = [...texts.keys()].sort((a, b) => compareTexts(texts[a] ?? '', texts[b] ?? '') || a - b)
    for (const [rank, task] of ranked.entries()) ranks[task] = rank
    const rankOf = (episode: number): number => {
      const from = taskStarts[episode] ?? 0
      const task = from < (taskStarts[episode + 1] ?? 0) ? (taskIds[from] as number) : -1
      return task < 0 || texts[task] === '' ? count : (ranks[task] as number)
    }
    const keys = Uint32Array.from({ length: this.episodeCount }, (_, episode) => rankOf(episode))
    return Uint32Array.from(keys.keys()).sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b)
  }

  /** One pass over the episodes; the last answer is kept, since the next page asks the same. */
  #findMatches(
    q: string | undefined,
    split: string | undefined,
    sort: EpisodeSort,
    order: Uint32Array | undefined,
  ): Uint32Array {
    const key = JSON.stringify([q ?? null, split ?? null, sort === 'frames' ? 'duration' : sort])
    if (this.#match?.key === key) return this.#match.found
    const isInSplit = split === undefined ? () => true : this.findInSplits([split])
    const hasWords = q === undefined ? () => true : this.#findWords(q)
    const count = this.episodeCount
    const found = new Uint32Array(count)
    let matches = 0
    for (let place = 0; place < count; place++) {
      const episode = order ? (order[place] as number) : place
      if (isInSplit(episode) && hasWords(episode)) found[matches++] = episode
    }
    this.#match = { key, found: found.slice(0, matches) }
    return this.#match.found
  }

  /** Whether an episode has the words in a task, or is the number that they are. */
  #findWords(q: string): (episode: number) => boolean {
    this.#folded ??= foldTexts(this.columns.taskText, this.columns.taskTextStarts)
    const wanted = markTexts(this.#folded, q)
    const asNumber = /^\d{1,15}$/.test(q.trim()) ? Number(q.trim()) : -1
    const { taskStarts, taskIds } = this.columns
    return (episode) => {
      if (episode === asNumber) return true
      const end = taskStarts[episode + 1] as number
      for (let at = taskStarts[episode] as number; at < end; at++) if (wanted[taskIds[at] as number] === 1) return true
      return false
    }
  }
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const maxTextsKept = 1_000

/** LeRobot's loaders need a text for every frame, so a dataset without tasks has an empty one stored; nobody is shown it. */
function forgetEmptyTask(manifest: ReadModelManifest, { taskTextStarts }: EpisodeColumns): ReadModelManifest {
  let count = 0
  for (let task = 0; task + 1 < taskTextStarts.length; task++)
    if (taskTextStarts[task] !== taskTextStarts[task + 1]) count++
  if (count === manifest.total_tasks) return manifest
  return { ...manifest, total_tasks: count, tasks: manifest.tasks.filter((text) => text !== '') }
}

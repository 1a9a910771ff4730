/** Where one episode lies. */
export interface EpisodeEntry {
  readonly sourceIndex: number
  readonly length: number
  /** Place in the list of data files. */
  readonly file: number
  readonly startRow: number
  /** Numbers in the source's task table, in order of first use. */
  readonly tasks: readonly number[]
  /** Per camera: place in that camera's list of files, and the first frame. */
  readonly videos: readonly { readonly file: number; readonly startFrame: number }[]
}

/** All episodes as columns of numbers: some eighty bytes each, so that a million fit. */
export class EpisodeDirectory {
  readonly #sourceIndex: number[] = []
  readonly #length: number[] = []
  readonly #file: number[] = []
  readonly #startRow: number[] = []
  readonly #taskSet: number[] = []
  readonly #videos: number[] = []
  readonly #taskSets: (readonly number[])[] = []
  readonly #taskSetPlaces = new Map<string, number>()
  readonly #cameraCount: number
  #frameCount = 0

  constructor(cameraCount: number) {
    this.#cameraCount = cameraCount
  }

  get count(): number {
    return this.#length.length
  }

  get frameCount(): number {
    return this.#frameCount
  }

  /** The source's numbers, in order. */
  get sourceNumbers(): readonly number[] {
    return this.#sourceIndex
  }

  add(entry: EpisodeEntry): void {
    this.#sourceIndex.push(entry.sourceIndex)
    this.#length.push(entry.length)
    this.#file.push(entry.file)
    this.#startRow.push(entry.startRow)
    this.#taskSet.push(this.#placeTasks(entry.tasks))
    for (const { file, startFrame } of entry.videos) this.#videos.push(file, startFrame)
    this.#frameCount += entry.length
  }

  get(position: number): EpisodeEntry {
    if (!(position >= 0 && position < this.count)) throw new RangeError(`there is no episode at position ${position}`)
    const at = (column: readonly number[], index = position) => column[index] as number
    const cameras = Array.from(
      { length: this.#cameraCount },
      (_, camera) => 2 * (position * this.#cameraCount + camera),
    )
    return {
      sourceIndex: at(this.#sourceIndex),
      length: at(this.#length),
      file: at(this.#file),
      startRow: at(this.#startRow),
      tasks: this.#taskSets[at(this.#taskSet)] ?? [],
      videos: cameras.map((place) => ({ file: at(this.#videos, place), startFrame: at(this.#videos, place + 1) })),
    }
  }

  #placeTasks(tasks: readonly number[]): number {
    const key = tasks.join(',')
    const known = this.#taskSetPlaces.get(key)
    if (known !== undefined) return known
    this.#taskSetPlaces.set(key, this.#taskSets.length)
    return this.#taskSets.push(tasks) - 1
  }
}

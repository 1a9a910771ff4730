import { type CopySource, canReplace, openCopySource, ParquetCopier } from '../../containers/parquet/copier.ts'
import type { FieldValues } from '../../containers/parquet/writer.ts'
import type { IntactFile } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import type { Feature } from '../../feature.ts'
import { mapAtMost } from '../../limiter.ts'
import { renumbered } from './episode.ts'
import { type NumberedFile, nameFile, numberFile, prepareFile } from './numbered-file.ts'

const heldFiles = 64
/** One is read while the footer of another is gone through. */
const openedAtOnce = 4

interface RenumberedRowsOptions {
  readonly root: string
  readonly files: readonly IntactFile[]
  readonly stored: readonly Feature[]
  readonly limitBytes: number
}

/**
 * data/ of merged datasets whose rows stay what they are: of each file only the numbers of episodes, rows and tasks are written, and the
 * bytes of all other columns are copied.
 */
export class RenumberedRows {
  readonly files: { path: string; sizeBytes: number }[] = []
  readonly #options: RenumberedRowsOptions
  readonly #places: readonly number[]
  #numbers: BigInt64Array[][] = renumbered.map(() => [])
  #copier: ParquetCopier | undefined
  #place = -1
  #source = -1
  /** Episodes of the current file that are still to come. */
  #left = 0
  #opened: CopySource | undefined
  /** Of the first files: their footers are read once. */
  readonly #ready: Map<number, CopySource>

  private constructor(options: RenumberedRowsOptions, ready: Map<number, CopySource>) {
    this.#options = options
    this.#ready = ready
    this.#places = renumbered.map((name) => options.stored.findIndex((feature) => feature.name === name))
  }

  /** Undefined where the files are not of one form: a reader of the result may expect that. */
  static async open(options: RenumberedRowsOptions): Promise<RenumberedRows | undefined> {
    await using opened = new AsyncDisposableStack()
    const ready = new Map<number, CopySource>()
    let form: string | undefined
    let areFit = true
    await mapAtMost(openedAtOnce, options.files, async ({ path }, place) => {
      const source = areFit ? await openCopySource(path, path) : undefined
      form ??= source?.form
      areFit &&= source !== undefined && source.form === form && canReplace(source, renumbered)
      if (source && place < heldFiles) ready.set(place, opened.use(source))
      else await source?.[Symbol.asyncDispose]()
    })
    if (!areFit) return undefined
    opened.move()
    return new RenumberedRows(options, ready)
  }

  /** Opens the file that the episode lies in, and decides whether it begins a new one. */
  async beginEpisode(): Promise<void> {
    if (this.#left > 0) return
    let file = this.#options.files[++this.#source]
    while (file?.episodeCount === 0) file = this.#options.files[++this.#source]
    if (!file) throw new FormatError('episode_unreadable', 'The data files have fewer episodes than announced.')
    this.#left = file.episodeCount
    const source = this.#ready.get(this.#source) ?? (await openCopySource(file.path, file.path))
    this.#ready.delete(this.#source)
    if (!source) throw new FormatError('container_invalid', `${file.path} changed while it was read.`)
    this.#opened = source
    if (this.#copier && this.#copier.sizeBytes + source.sizeBytes >= this.#options.limitBytes) await this.#closeFile()
    if (this.#copier) return
    const name = nameFile('data', numberFile(++this.#place), 'parquet')
    const path = await prepareFile(this.#options.root, name)
    this.#copier = await ParquetCopier.create(path, source, { isDurable: false })
  }

  async writeRows(_rowCount: number, values: readonly FieldValues[]): Promise<void> {
    for (const [at, place] of this.#places.entries()) {
      const entry = values[place]
      if (entry && 'numbers' in entry) this.#numbers[at]?.push(entry.numbers as BigInt64Array)
    }
  }

  async endEpisode(): Promise<NumberedFile> {
    const place = numberFile(this.#place)
    if (--this.#left === 0) await this.#copyFile()
    return place
  }

  /** An episode that cannot be used has all rows written anew. */
  async dropEpisode(): Promise<void> {}

  async finish(): Promise<void> {
    await this.#closeReady()
    await this.#closeFile()
  }

  async abandon(): Promise<void> {
    await this.#opened?.[Symbol.asyncDispose]()
    await this.#closeReady()
    await this.#copier?.abandon()
  }

  async #closeReady(): Promise<void> {
    for (const source of this.#ready.values()) await source[Symbol.asyncDispose]()
    this.#ready.clear()
  }

  async #copyFile(): Promise<void> {
    const source = this.#opened as CopySource
    const replaced = new Map(renumbered.map((name, at) => [name, concat(this.#numbers[at] ?? [])]))
    if ([...replaced.values()].some(({ length }) => length !== source.footer.rowCount))
      throw new FormatError('episode_unreadable', 'A data file has other rows than its episodes.')
    await this.#copier?.add(source, replaced)
    this.#numbers = renumbered.map(() => [])
    this.#opened = undefined
    await source[Symbol.asyncDispose]()
  }

  async #closeFile(): Promise<void> {
    const sizeBytes = await this.#copier?.finish()
    this.#copier = undefined
    if (sizeBytes !== undefined)
      this.files.push({ path: nameFile('data', numberFile(this.#place), 'parquet'), sizeBytes })
  }
}

function concat(parts: readonly BigInt64Array[]): BigInt64Array {
  const whole = new BigInt64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

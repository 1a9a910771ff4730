import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Block, BlockRequest, Dataset, Episode, Values } from '@nmp/formats/dataset'
import { FormatError } from '@nmp/formats/errors'
import {
  type ColumnFeature,
  countValues,
  isNumericDtype,
  type NumericArray,
  type NumericDtype,
} from '@nmp/formats/feature'
import { RowReader } from '@nmp/formats/lerobot/row-reader'
import { fillColumns } from '@nmp/formats/merge/fill'
import { openParquetReader, type ParquetReader } from '@nmp/formats/parquet'
import type { PlannedFeature } from '@nmp/formats/steps/feature-plan'
import { changeEpisode } from '@nmp/formats/steps/features'
import type { Context } from '../../context.ts'
import { getReadModel, type ReadModelPlace } from '../../datasets/read-model/cache.ts'
import type { StoredColumn } from '../../datasets/read-model/derivation.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { replayEpisode } from '../../datasets/read-model/replay.ts'
import { locateFiles } from '../../datasets/revision-content.ts'
import { getStoredFile } from '../../datasets/stored-files.ts'
import { getLocalFile } from '../../media/local-files.ts'
import { fitsInMemory, getColumn, listNumericFeatures } from './source-columns.ts'

const blockRows = 4096
const turnMilliseconds = 20

/**
 * The numbers of a derived model as `formats` reads any dataset, from the files they are stored in and changed as the recipe says: what
 * is measured on it is what would be measured on the export. Pictures are not in it.
 */
export async function openDerivedDataset(context: Context, stored: ReadModelPlace, model: ReadModel): Promise<Dataset> {
  const { derivation, manifest, columns } = model
  if (!derivation) throw new TypeError('the read model is not derived')
  const files = new FileRows(context, stored, manifest.data_files)
  const root = await getReadModel(context, stored)
  const memory = new MemoryRows(context, stored, root)
  const features = listColumns(model)
  const storedFeatures = listColumns(root)
  const { fills } = derivation
  const planned = features
    .filter(({ name }) => !fills?.has(name))
    .map(({ name, dtype }) => planColumn(derivation.columns.get(name), name, dtype as NumericDtype))
  const turns = new Turns()
  const getEpisode = (position: number): Episode => {
    const length = derivation.storedLength[position] as number
    const storedIndex = derivation.storedIndex[position] as number
    const place = { file: columns.dataFile[position] as number, startRow: derivation.startRow[position] as number }
    const readBlocks = async function* ({
      columns: wanted,
      startFrame = 0,
      endFrame = length,
      signal,
    }: BlockRequest = {}) {
      const asked = storedFeatures.filter(({ name }) => wanted?.includes(name) ?? true)
      const range = [startFrame, Math.min(endFrame, length)] as const
      const blocks = asked.every((feature) => memory.has(feature))
        ? memory.read(asked, storedIndex, ...range)
        : files.read(asked, place, ...range, signal)
      for await (const block of blocks) {
        await turns.take(signal)
        yield block
      }
    }
    const stored: Episode = {
      sourceIndex: position,
      sourceId: String(position),
      length,
      tasks: model.listTasksOf(position),
      splits: model.listSplitsOf(position),
      readBlocks,
      openCamera: async (camera) => {
        throw new FormatError('unsupported', `${camera} is not read here.`)
      },
    }
    const replayed = replayEpisode(stored, derivation, position, { features: storedFeatures, fps: manifest.fps })
    const changed = derivation.columns.size > 0 ? changeEpisode(replayed, storedFeatures, planned) : replayed
    return fills ? fillColumns(changed, features, fills) : changed
  }
  const close = () => files.close()
  return {
    origin: manifest.origin,
    fps: manifest.fps,
    robotType: manifest.robot_type,
    features,
    ...(manifest.roles && { roles: manifest.roles }),
    episodeCount: model.episodeCount,
    frameCount: manifest.total_frames,
    findings: [],
    getEpisode,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const planColumn = (stored: StoredColumn | undefined, name: string, dtype: NumericDtype): PlannedFeature => ({
  source: stored?.name ?? name,
  name,
  ...(stored?.dimensions && { dimensions: stored.dimensions }),
  ...(stored?.factors && { factors: stored.factors }),
  ...(stored?.dtype && { dtype }),
})

/** Columns of numbers, without those that count rows. */
const listColumns = (model: ReadModel): ColumnFeature[] =>
  listNumericFeatures(model.manifest.features).map(({ name, dtype, shape, names }) => ({
    kind: 'column',
    name,
    dtype,
    shape,
    names,
  }))

/** Other requests get their turns: reading from memory gives none by itself. */
class Turns {
  #last = performance.now()

  async take(signal: AbortSignal | undefined): Promise<void> {
    if (performance.now() - this.#last < turnMilliseconds) return
    await setImmediate()
    signal?.throwIfAborted()
    this.#last = performance.now()
  }
}

/** Columns that are held in memory as a whole, shared with the previews of recipes. */
class MemoryRows {
  readonly #context: Context
  readonly #place: ReadModelPlace
  readonly #model: ReadModel

  constructor(context: Context, place: ReadModelPlace, model: ReadModel) {
    this.#context = context
    this.#place = place
    this.#model = model
  }

  has({ dtype, shape }: ColumnFeature): boolean {
    return isNumericDtype(dtype) && fitsInMemory(this.#model, { dtype, shape: [...shape] })
  }

  async *read(
    features: readonly ColumnFeature[],
    episode: number,
    startFrame: number,
    endFrame: number,
  ): AsyncGenerator<Block> {
    const from = this.#model.columns.fromIndex[episode] as number
    const whole = new Map<string, { values: NumericArray; width: number }>()
    for (const { name, dtype, shape } of features) {
      if (!isNumericDtype(dtype)) continue
      const feature = { name, dtype, shape: [...shape], names: null }
      const values = await getColumn(this.#context, this.#place, this.#model, feature)
      whole.set(name, { values, width: countValues(shape) })
    }
    for (let frame = startFrame; frame < endFrame; frame += blockRows) {
      const frameCount = Math.min(blockRows, endFrame - frame)
      const columns = new Map<string, Values>()
      for (const [name, { values, width }] of whole)
        columns.set(name, values.subarray((from + frame) * width, (from + frame + frameCount) * width) as NumericArray)
      yield { startFrame: frame, frameCount, columns }
    }
  }
}

/** Longer ones, from the data files; episodes that follow each other share one reading. */
class FileRows {
  readonly #context: Context
  readonly #place: ReadModelPlace
  readonly #files: readonly string[]
  #opened: { file: number; path: string; reader: ParquetReader; rows: RowReader } | undefined

  constructor(context: Context, place: ReadModelPlace, files: readonly string[]) {
    this.#context = context
    this.#place = place
    this.#files = files
  }

  async *read(
    features: readonly ColumnFeature[],
    { file, startRow }: { file: number; startRow: number },
    startFrame: number,
    endFrame: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Block> {
    const { path, reader, rows } = await this.#open(file)
    const stored = await reader.findColumns(path)
    const requests = features.map(({ name, dtype, shape }) => {
      return { name, dtype, shape, isList: (stored.find((column) => column.name === name)?.listDepth ?? 0) > 0 }
    })
    let frame = startFrame
    for await (const chunk of rows.read(path, requests, startRow + startFrame, startRow + endFrame, signal)) {
      const columns = new Map(features.map(({ name }, index) => [name, chunk.columns[index] as Values] as const))
      yield { startFrame: frame, frameCount: chunk.rowCount, columns }
      frame += chunk.rowCount
    }
    if (frame !== endFrame)
      throw new FormatError('episode_unreadable', `${this.#files[file]} ends before row ${startRow + endFrame}.`)
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.rows.close()
    await opened?.reader.close()
  }

  async #open(file: number) {
    if (this.#opened?.file === file) return this.#opened
    await this.close()
    const blob = await getStoredFile(this.#context.db, locateFiles(this.#place), this.#files[file] ?? '')
    const path = await getLocalFile(this.#context, blob)
    const reader = await openParquetReader(dirname(path), { only: path })
    this.#opened = { file, path, reader, rows: new RowReader(reader) }
    return this.#opened
  }
}

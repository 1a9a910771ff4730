import { dirname } from 'node:path'
import type { Values } from '@nmp/formats/dataset'
import type { ColumnFeature, NumericArray, NumericDtype } from '@nmp/formats/feature'
import { type ColumnRequest, openParquetReader, type ParquetReader, type RowChunk } from '@nmp/formats/parquet'
import { nameAction } from '@nmp/formats/signal-roles'
import { changeNumbers } from '@nmp/formats/steps/features'
import { renameLanguageCameras } from '@nmp/formats/steps/language-rows'
import type { Context } from '../context.ts'
import { isChanged } from '../datasets/read-model/derivation.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { findStartRow } from '../datasets/read-model/start-row.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { createChangedColumn, recordedAction } from './changed-column.ts'
import { fillColumns } from './filled-columns.ts'
import { planKeptRows } from './kept-rows.ts'
import { getLocalFile } from './local-files.ts'
import { createOpenCache, type OpenCache } from './open-cache.ts'
import type { MediaRevision } from './repository.ts'
import { getDatasetFile, locateEpisode } from './service.ts'

/**
 * The columns of numbers and text that an episode has, in the dataset's order; `names` picks some. Where a version changes the action,
 * there is `recorded.action` too, for who names it or wants it beside the action.
 */
export function pickColumns(
  { manifest, derivation, parts }: ReadModel,
  names: readonly string[] | undefined,
  wantsRecorded: boolean,
): ColumnFeature[] {
  const columns = manifest.features.flatMap(({ name, dtype, shape, names: labels }): ColumnFeature[] =>
    dtype === 'video' || dtype === 'image'
      ? []
      : [{ kind: 'column', name, dtype: dtype as ColumnFeature['dtype'], shape, names: labels }],
  )
  const actionName = nameAction(manifest)
  const action = columns.find(({ name }) => name === actionName)
  const derivations = parts?.map(({ model }) => model.derivation) ?? [derivation]
  const isActionChanged = derivations.some((one) => isChanged(one, actionName))
  const recorded = action && isActionChanged ? { ...action, name: recordedAction } : undefined
  const isAdded = wantsRecorded && !names?.includes(recordedAction) && (names?.includes(actionName) ?? true)
  const beside = recorded && isAdded ? [recorded] : []
  if (names === undefined) return [...columns, ...beside]
  const named = names.map((name) => {
    const column = [...columns, ...(recorded ? [recorded] : [])].find((candidate) => candidate.name === name)
    if (column) return column
    const known = columns.map((candidate) => candidate.name).join(', ')
    throw invalidValue(['query', 'columns'], `there is no column ${name}; the columns are ${known}`, name)
  })
  return [...named, ...beside]
}

/** Consecutive rows of the episode; `columns` in the order asked for. */
export interface EpisodeRows {
  startFrame: number
  rowCount: number
  timestamps: Float64Array
  columns: RowChunk['columns']
}

export interface RowRange {
  startFrame: number
  endFrame: number
}

/** An episode that somebody may read, and what of it they asked for. */
export interface OpenedEpisode {
  media: MediaRevision
  model: ReadModel
  entry: EpisodeEntry
  columns: ColumnFeature[]
  range: RowRange
}

const openFilesOf = new WeakMap<Context, OpenCache<ParquetReader>>()
const keptReaders = 4

function getOpenFiles(context: Context): OpenCache<ParquetReader> {
  const known = openFilesOf.get(context)
  if (known) return known
  const opened = createOpenCache<ParquetReader>(keptReaders)
  openFilesOf.set(context, opened)
  context.closers.push(() => opened.close())
  return opened
}

const bookkeeping: readonly ColumnRequest[] = [
  { name: 'episode_index', dtype: 'int64', shape: [1] },
  { name: 'frame_index', dtype: 'int64', shape: [1] },
  { name: 'timestamp', dtype: 'float64', shape: [1] },
]

/**
 * Reads the rows of one episode, and of no other: each row says which it belongs to, and a wrong one is an error, not data. `take` answers
 * false when it has enough.
 */
export async function readEpisode(
  context: Context,
  opened: OpenedEpisode,
  signal: AbortSignal,
  take: (rows: EpisodeRows) => Promise<boolean> | boolean,
): Promise<void> {
  const own = locateEpisode(opened)
  const filled = fillColumns(own, take)
  return readStored(context, { ...own, columns: filled.columns }, signal, filled.take)
}

async function readStored(
  context: Context,
  { media, model, entry, columns, range: { startFrame, endFrame } }: OpenedEpisode,
  signal: AbortSignal,
  take: (rows: EpisodeRows) => Promise<boolean> | boolean,
): Promise<void> {
  const path = await getLocalFile(context, await getDatasetFile(context, media, entry.dataFile))
  const startRow = findStartRow(model, entry.episodeIndex)
  const storedIndex = model.derivation?.storedIndex[entry.episodeIndex] ?? entry.episodeIndex
  await getOpenFiles(context).use(
    path,
    () => openParquetReader(dirname(path), { only: path }),
    async (reader) => {
      const stored = await reader.findColumns(path)
      const storedColumns = columns.map((column) => findStored(model, column))
      const requests = [...bookkeeping, ...storedColumns].map(({ name, dtype, shape }): ColumnRequest => {
        const listDepth = stored.find((column) => column.name === name)?.listDepth ?? 0
        return { name, dtype, shape, isList: listDepth > 0 }
      })
      const rowsOf = { reader, path, startRow }
      const changed = columns.map(({ name }, place) => {
        const [feature, request] = [storedColumns[place], requests[place + bookkeeping.length]]
        return feature && request && isChanged(model.derivation, name)
          ? createChangedColumn(model, entry.episodeIndex, rowsOf, feature, request)
          : undefined
      })
      const show = createShow(model, columns)
      const kept = planKeptRows(model, entry, { startFrame, endFrame }, storedColumns)
      const range = { startRow: startRow + kept.first, endRow: startRow + kept.end, signal }
      let frame = startFrame
      let row = kept.first
      for await (const chunk of reader.scan(path, requests, range)) {
        const [episodes, frames, times, ...values] = chunk.columns
        checkRows(entry, storedIndex, row, episodes as BigInt64Array, frames as BigInt64Array)
        const own = kept.take(values, times as Float64Array, row, frame)
        row += chunk.rowCount
        const { rowCount, timestamps } = own
        if (rowCount === 0) continue
        const shown: RowChunk['columns'][number][] = []
        for (const [place, picked] of own.columns.entries())
          shown.push(show((await changed[place]?.(frame, frame + rowCount, signal)) ?? picked, place))
        const isWanted = await take({ startFrame: frame, rowCount, timestamps, columns: shown })
        frame += rowCount
        if (!isWanted) return
      }
      if (frame !== endFrame) throw misplaced(entry, frame)
    },
  )
}

/** The stored column that a column of the episode is read from. */
function findStored({ derivation, manifest }: ReadModel, column: ColumnFeature): ColumnFeature {
  const name = column.name === recordedAction ? nameAction(manifest) : column.name
  const stored = derivation?.columns.get(name)
  return {
    ...column,
    name: stored?.name ?? name,
    shape: stored?.shape ?? column.shape,
    dtype: stored?.dtype ?? column.dtype,
  }
}

type ChunkColumn = RowChunk['columns'][number]

/** What a recipe or a map makes of the features themselves: dimensions that are left, in another unit, cameras that words speak of. */
function createShow(
  { derivation, manifest }: ReadModel,
  columns: readonly ColumnFeature[],
): (values: ChunkColumn, place: number) => ChunkColumn {
  const renames = new Map([...(derivation?.columns ?? [])].map(([name, stored]) => [stored.name, name]))
  return (values, place) => {
    const { name = '', dtype } = columns[place] ?? {}
    const stored = derivation?.columns.get(name === recordedAction ? nameAction(manifest) : name)
    if (dtype === 'language' && renames.size > 0)
      return renameLanguageCameras(values as Values, renames) as unknown as ChunkColumn
    if (!stored?.dimensions && !stored?.factors && !stored?.dtype) return values
    const { shape, dtype: own = dtype as NumericDtype, ...change } = stored
    const wider = { ...change, ...(stored.dtype && { dtype: dtype as NumericDtype }) }
    return changeNumbers(values as NumericArray, { dtype: own, shape }, wider) as ChunkColumn
  }
}

function checkRows(
  entry: EpisodeEntry,
  storedIndex: number,
  start: number,
  episodes: BigInt64Array,
  frames: BigInt64Array,
): void {
  for (let row = 0; row < episodes.length; row++) {
    if (Number(episodes[row]) !== storedIndex || Number(frames[row]) !== start + row)
      throw misplaced(entry, start + row)
  }
}

const misplaced = ({ episodeIndex, dataFile }: EpisodeEntry, frame: number): ServiceError =>
  new ServiceError(
    'internal_error',
    `Row ${frame} of episode ${episodeIndex} is not where it should be in ${dataFile}.`,
  )

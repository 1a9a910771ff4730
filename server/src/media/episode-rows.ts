import { dirname } from 'node:path'
import type { ColumnFeature } from '@nmp/formats/feature'
import { type ColumnRequest, openParquetReader, type ParquetReader, type RowChunk } from '@nmp/formats/parquet'
import { actionName } from '@nmp/formats/steps/action'
import type { Context } from '../context.ts'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'
import { findStartRow } from '../datasets/read-model/start-row.ts'
import { invalidValue, ServiceError } from '../errors.ts'
import { createChangedAction, recordedAction } from './changed-action.ts'
import { planKeptRows } from './kept-rows.ts'
import { getLocalFile } from './local-files.ts'
import { createOpenCache, type OpenCache } from './open-cache.ts'
import type { MediaRevision } from './repository.ts'
import { getDatasetFile } from './service.ts'

/**
 * The columns of numbers and text that an episode has, in the dataset's order; `names` picks some. Where a version changes the action,
 * there is `recorded.action` too, for who names it or wants it beside the action.
 */
export function pickColumns(
  { manifest, derivation }: ReadModel,
  names: readonly string[] | undefined,
  wantsRecorded: boolean,
): ColumnFeature[] {
  const columns = manifest.features.flatMap(({ name, dtype, shape, names: labels }): ColumnFeature[] =>
    dtype === 'video' || dtype === 'image'
      ? []
      : [{ kind: 'column', name, dtype: dtype as ColumnFeature['dtype'], shape, names: labels }],
  )
  const action = columns.find(({ name }) => name === actionName)
  const recorded = action && derivation?.actions.length ? { ...action, name: recordedAction } : undefined
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
  { media, model, entry, columns, range: { startFrame, endFrame } }: OpenedEpisode,
  signal: AbortSignal,
  take: (rows: EpisodeRows) => Promise<boolean> | boolean,
): Promise<void> {
  const path = await getLocalFile(context, await getDatasetFile(context, media, entry.dataFile))
  const startRow = findStartRow(model, entry.episodeIndex)
  const storedIndex = model.derivation?.storedIndex[entry.episodeIndex] ?? entry.episodeIndex
  const folder = dirname(path)
  await getOpenFiles(context).use(
    folder,
    () => openParquetReader(folder),
    async (reader) => {
      const stored = await reader.findColumns(path)
      const requests = [...bookkeeping, ...columns].map(({ name, dtype, shape }): ColumnRequest => {
        const storedName = name === recordedAction ? actionName : name
        const listDepth = stored.find((column) => column.name === storedName)?.listDepth ?? 0
        return { name: storedName, dtype, shape, isList: listDepth > 0 }
      })
      const place = columns.findIndex(({ name }) => name === actionName)
      const [action, request] = [columns[place], requests[place + bookkeeping.length]]
      const rowsOf = { reader, path, startRow }
      const readAction =
        action && request && model.derivation?.actions.length
          ? createChangedAction(model, entry.episodeIndex, rowsOf, action, request)
          : undefined
      const kept = planKeptRows(model, entry, { startFrame, endFrame }, columns)
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
        const changed = await readAction?.(frame, frame + rowCount, signal)
        const isWanted = await take({
          startFrame: frame,
          rowCount,
          timestamps,
          columns: changed ? own.columns.with(place, changed) : own.columns,
        })
        frame += rowCount
        if (!isWanted) return
      }
      if (frame !== endFrame) throw misplaced(entry, frame)
    },
  )
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

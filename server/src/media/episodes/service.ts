import { setImmediate } from 'node:timers/promises'
import { type ColumnFeature, countValues } from '@nmp/formats/feature'
import { ArrowFile } from '@nmp/formats/parquet/arrow'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { findReadable } from '../../datasets/service.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { requireRoom } from '../../http/bodies/held-answer.ts'
import { type EpisodeRows, type OpenedEpisode, pickColumns, readEpisode } from '../episode-rows.ts'
import type { MediaRevision } from '../repository.ts'
import { openModel } from '../service.ts'
import { renderCsvHead, renderCsvRows } from './csv.ts'
import { type Reader, readInTurn } from './reading-turns.ts'
import { openRowStream, type RowAnswer } from './row-stream.ts'
import { createSeriesCollector, type SeriesPage } from './series.ts'

export interface RowsRequest {
  columns: string[] | undefined
  startFrame: number | undefined
  endFrame: number | undefined
  /** Beside an action that a version changes. */
  wantsRecorded: boolean
}

/** More numbers than this in one JSON answer would keep the process busy for a second. */
const maxJsonValues = 2_000_000
/** Of a float32 as text, with its comma. */
const bytesOfNumber = 8

export const asMedia = ({ dataset, revision }: SeenDataset): MediaRevision => ({
  dataset: { id: dataset.id, slug: dataset.slug, visibility: dataset.visibility, projectId: dataset.projectId },
  revision,
})

interface SeenEpisode extends Omit<OpenedEpisode, 'columns' | 'range'> {
  seen: SeenDataset
}

export async function openEpisode(
  context: Context,
  principal: Principal | undefined,
  datasetId: string,
  episode: number,
): Promise<SeenEpisode> {
  const seen = await findReadable(context, principal, datasetId)
  const media = asMedia(seen)
  const model = await openModel(context, media)
  if (!model.hasEpisode(episode)) throw notFound()
  return { seen, media, model, entry: model.getEpisode(episode) }
}

/** The same from where the action is as it was recorded, which an export's own files do not hold. */
export async function openRecorded(context: Context, opened: SeenEpisode): Promise<SeenEpisode> {
  const { derived } = opened.seen
  if (!derived) return opened
  if (!derived.planned)
    throw new ServiceError(
      'conflict',
      'The source of this version was deleted or is closed to you, and with it the recorded action.',
    )
  if (opened.model.isDerived) return opened
  const media = { ...opened.media, revision: derived.planned }
  const model = await openModel(context, media)
  return { ...opened, media, model, entry: model.getEpisode(opened.entry.episodeIndex) }
}

export function pickRows(opened: Omit<OpenedEpisode, 'columns' | 'range'>, request: RowsRequest): OpenedEpisode {
  const { model, entry } = opened
  const startFrame = request.startFrame ?? 0
  const endFrame = Math.min(request.endFrame ?? entry.lengthFrames, entry.lengthFrames)
  if (startFrame >= endFrame)
    throw invalidValue(
      ['query', 'start_frame'],
      `episode ${entry.episodeIndex} has the frames 0 to ${entry.lengthFrames - 1}; request at least one of them`,
      startFrame,
    )
  return {
    ...opened,
    columns: pickColumns(model, request.columns, request.wantsRecorded),
    range: { startFrame, endFrame },
  }
}

const countWidth = (columns: readonly ColumnFeature[]): number =>
  columns.reduce((sum, { shape }) => sum + countValues(shape), 0)

/** What a chart shows; `show` makes the answer of it before another has their turn. */
export async function readSeries<T>(
  context: Context,
  opened: OpenedEpisode,
  points: number,
  reader: Reader,
  show: (page: SeriesPage) => Promise<T>,
): Promise<T> {
  const { model, columns, range } = opened
  const values = Math.min(points, range.endFrame - range.startFrame) * countWidth(columns)
  if (values > maxJsonValues)
    throw invalidValue(
      ['query', 'points'],
      `that would be ${values} numbers, and an answer holds ${maxJsonValues}; request fewer points or columns, or use arrow`,
      points,
    )
  return readInTurn(reader, async () => {
    requireRoom(context.outgoing, reader.person, values * bytesOfNumber)
    // Megabytes: not while it waits.
    const collector = createSeriesCollector(columns, range, points, model.manifest.fps)
    await readEpisode(context, opened, reader.signal, async (rows) => {
      collector.take(rows)
      // The blocks of a row group come without a pause: others are answered in between.
      await setImmediate()
      return true
    })
    return show(collector.finish())
  })
}

export function openCsv(context: Context, opened: OpenedEpisode, reader: Reader): Promise<RowAnswer> {
  const { columns } = opened
  let head = renderCsvHead(columns)
  const render = (rows: EpisodeRows): Uint8Array => {
    const bytes = Buffer.from(head + renderCsvRows(columns, rows))
    head = ''
    return bytes
  }
  return openRowStream(context, opened, { render, finish: () => new Uint8Array() }, reader)
}

export function openArrow(context: Context, opened: OpenedEpisode, reader: Reader): Promise<RowAnswer> {
  const clock: ColumnFeature[] = [
    { kind: 'column', name: 'frame_index', dtype: 'int64', shape: [1], names: null },
    { kind: 'column', name: 'timestamp', dtype: 'float64', shape: [1], names: null },
  ]
  const file = new ArrowFile([...clock, ...opened.columns])
  const render = ({ startFrame, rowCount, timestamps, columns }: EpisodeRows): Uint8Array => {
    const frames = BigInt64Array.from({ length: rowCount }, (_, row) => BigInt(startFrame + row))
    file.addRows(rowCount, [frames, timestamps, ...columns])
    return file.takeBytes()
  }
  return openRowStream(context, opened, { render, finish: () => file.finish() }, reader)
}

import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { type ColumnFeature, countValues } from '@nmp/formats/feature'
import { createLimiter } from '@nmp/formats/limiter'
import { ArrowFile } from '@nmp/formats/parquet/arrow'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { findReadable } from '../../datasets/service.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { type EpisodeRows, type OpenedEpisode, pickColumns, readEpisode } from '../episode-rows.ts'
import type { MediaRevision } from '../repository.ts'
import { openModel } from '../service.ts'
import { renderCsvHead, renderCsvRows } from './csv.ts'
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
const maxArrowBytes = 256 * 1024 * 1024
/** Not for streams: a client that reads slowly would hold a place. */
const reading = createLimiter(8)

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
  if (opened.model.derivation) return opened
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

export async function readSeries(
  context: Context,
  opened: OpenedEpisode,
  points: number,
  signal: AbortSignal,
): Promise<SeriesPage> {
  const { model, columns, range } = opened
  const values = Math.min(points, range.endFrame - range.startFrame) * countWidth(columns)
  if (values > maxJsonValues)
    throw invalidValue(
      ['query', 'points'],
      `that would be ${values} numbers, and an answer holds ${maxJsonValues}; request fewer points or columns, or use arrow`,
      points,
    )
  const collector = createSeriesCollector(columns, range, points, model.manifest.fps)
  await reading.run(() => readEpisode(context, opened, signal, (rows) => collector.take(rows)))
  return collector.finish()
}

/** Streams: a row is made when the client takes it. */
export function streamCsv(context: Context, opened: OpenedEpisode, signal: AbortSignal): Readable {
  const { columns } = opened
  const stream = new PassThrough()
  stream.write(renderCsvHead(columns))
  readEpisode(context, opened, signal, async (rows) => {
    if (!stream.write(renderCsvRows(columns, rows))) await once(stream, 'drain', { signal })
  }).then(
    () => stream.end(),
    (error) => stream.destroy(error),
  )
  return stream
}

export async function readArrow(context: Context, opened: OpenedEpisode, signal: AbortSignal): Promise<Uint8Array> {
  const { columns, range } = opened
  const sizeBytes = (range.endFrame - range.startFrame) * countWidth(columns) * 8
  if (sizeBytes > maxArrowBytes)
    throw invalidValue(['query', 'columns'], 'that is more than 256 MiB; request fewer columns or frames', sizeBytes)
  const clock: ColumnFeature[] = [
    { kind: 'column', name: 'frame_index', dtype: 'int64', shape: [1], names: null },
    { kind: 'column', name: 'timestamp', dtype: 'float64', shape: [1], names: null },
  ]
  const file = new ArrowFile([...clock, ...columns])
  const take = (rows: EpisodeRows): void => {
    const frames = BigInt64Array.from({ length: rows.rowCount }, (_, row) => BigInt(rows.startFrame + row))
    file.addRows(rows.rowCount, [frames, rows.timestamps, ...rows.columns])
  }
  await reading.run(() => readEpisode(context, opened, signal, take))
  return file.finish()
}

import type { Values } from '@nmp/formats/dataset'
import { type ColumnFeature, countValues } from '@nmp/formats/feature'
import { composeKept, listKept } from '@nmp/formats/frame-ranges'
import type { JsonValue } from '@nmp/formats/json'
import type { RowChunk } from '@nmp/formats/parquet'
import { pickRows } from '@nmp/formats/steps/frame-map'
import { moveLanguageRows } from '@nmp/formats/steps/language-rows'
import type { EpisodeEntry, ReadModel } from '../datasets/read-model/model.ts'

export interface KeptRows {
  /** Rows of the stored episode that are read, without the end. */
  first: number
  end: number
  /** Of a chunk that begins with row `start` of the stored episode: the rows that the episode has, `frame` being the next of them. */
  take(values: RowChunk['columns'], timestamps: Float64Array, start: number, frame: number): TakenRows
}

interface TakenRows {
  rowCount: number
  timestamps: Float64Array
  columns: RowChunk['columns']
}

/** Rows of an episode as its model has them: all of the stored ones, or those that a recipe keeps, with times of their own. */
export function planKeptRows(
  { derivation, manifest }: ReadModel,
  { episodeIndex }: EpisodeEntry,
  { startFrame, endFrame }: { startFrame: number; endFrame: number },
  columns: readonly ColumnFeature[],
): KeptRows {
  const frames = derivation?.frames.get(episodeIndex)
  if (!frames) {
    const take: KeptRows['take'] = (values, timestamps) => ({
      rowCount: timestamps.length,
      timestamps,
      columns: values,
    })
    return { first: startFrame, end: endFrame, take }
  }
  const wanted = listKept(composeKept(frames, [[startFrame, endFrame]]))
  const { fps } = manifest
  const rates = { fps: derivation?.storedFps ?? fps, newFps: fps }
  return {
    first: wanted[0] ?? 0,
    end: (wanted.at(-1) ?? -1) + 1,
    take: (values, timestamps, start, frame) => {
      const next = wanted.subarray(frame - startFrame)
      const count = next.findIndex((row) => row >= start + timestamps.length)
      const rows = next.subarray(0, count < 0 ? next.length : count).map((row) => row - start)
      const pick = (own: RowChunk['columns'][number], place: number): RowChunk['columns'][number] => {
        const feature = columns[place] as ColumnFeature
        const picked = pickRows(own as Values, rows, Array.isArray(own) ? 1 : countValues(feature.shape))
        if (feature.dtype !== 'language') return picked as RowChunk['columns'][number]
        return (picked as JsonValue[]).map((entry) => moveLanguageRows(entry, frames, rates)) as typeof own
      }
      return {
        rowCount: rows.length,
        timestamps: Float64Array.from(rows, (_, row) => Math.fround((frame + row) / fps)),
        columns: values.map(pick),
      }
    },
  }
}

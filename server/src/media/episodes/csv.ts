import type { Values } from '@nmp/formats/dataset'
import { type ColumnFeature, countValues, labelDimensions, type NumericArray } from '@nmp/formats/feature'
import type { EpisodeRows } from '../episode-rows.ts'
import { shortenFloat } from './series.ts'

/** `frame_index,timestamp`, then a field per value: `action.x`, or `action.0.1` where a value has no name. RFC 4180. */
export function renderCsvHead(columns: readonly ColumnFeature[]): string {
  const names = columns.flatMap((column) => {
    const isScalar = isText(column) || countValues(column.shape) === 1
    return isScalar ? [column.name] : listPlaces(column).map((place) => `${column.name}.${place}`)
  })
  return `${['frame_index', 'timestamp', ...names].map(quote).join(',')}\r\n`
}

export function renderCsvRows(columns: readonly ColumnFeature[], rows: EpisodeRows): string {
  const widths = columns.map((column) => (isText(column) ? 1 : countValues(column.shape)))
  let text = ''
  for (let row = 0; row < rows.rowCount; row++) {
    const fields: (string | number)[] = [rows.startFrame + row, rows.timestamps[row] ?? '']
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 1
      const values = rows.columns[index] as Values
      for (let at = row * width; at < (row + 1) * width; at++) fields.push(renderValue(column, values, at))
    }
    text += `${fields.join(',')}\r\n`
  }
  return text
}

const isText = ({ dtype }: ColumnFeature): boolean => dtype === 'string' || dtype === 'language'

/** Names of the places of a vector; numbers by dimension where a value has several. */
function listPlaces(column: ColumnFeature): string[] {
  if (column.shape.length === 1) return labelDimensions(column)
  let places = ['']
  for (const size of column.shape)
    places = places.flatMap((place) => Array.from({ length: size }, (_, index) => `${place}${place && '.'}${index}`))
  return places
}

function renderValue({ dtype }: ColumnFeature, values: Values, index: number): string {
  if (dtype === 'string') return quote(String(values[index]))
  if (dtype === 'language') return quote(JSON.stringify(values[index]))
  if (dtype === 'bool') return (values as Uint8Array)[index] ? 'true' : 'false'
  const value = (values as NumericArray)[index] ?? ''
  if (typeof value === 'bigint' || !Number.isFinite(value)) return String(value)
  return String(dtype === 'float32' ? shortenFloat(Number(value)) : value)
}

/** Also what a spreadsheet would take for a formula is only text: names and tasks come from strangers. */
function quote(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

import { type ArrowColumn, encodeArrowSchema } from '../../containers/parquet/arrow.ts'
import { list, type ParquetField, type ParquetNode, shapedNode, value } from '../../containers/parquet/schema.ts'
import { type ColumnFeature, type Feature, isCamera, isColumn } from '../../feature.ts'
import type { JsonObject, JsonValue } from '../../json.ts'

/** The columns of a LeRobot v3 data file: Parquet types, and what `datasets` and pyarrow are told about them. */

export const bookkeepingFeatures: readonly ColumnFeature[] = [
  { kind: 'column', name: 'timestamp', dtype: 'float32', shape: [1], names: null },
  { kind: 'column', name: 'frame_index', dtype: 'int64', shape: [1], names: null },
  { kind: 'column', name: 'episode_index', dtype: 'int64', shape: [1], names: null },
  { kind: 'column', name: 'index', dtype: 'int64', shape: [1], names: null },
  { kind: 'column', name: 'task_index', dtype: 'int64', shape: [1], names: null },
]

/** lerobot's language rows; tool calls are kept as JSON text. Events stand on their own frame and have no time of their own. */
function describeLanguage(name: string): ParquetNode {
  const time = ['timestamp', value('float32')] as const
  return {
    kind: 'struct',
    fields: [
      ['role', value('string')],
      ['content', value('string')],
      ['style', value('string')],
      ...(name === 'language_events' ? [] : [time]),
      ['camera', value('string')],
      ['tool_calls', list(value('string'))],
    ],
  }
}
const image: ParquetNode = {
  kind: 'struct',
  fields: [
    ['bytes', value('binary')],
    ['path', value('string')],
  ],
}

/** Features that have a column: everything but video. */
export function listStoredFeatures(features: readonly Feature[]): Feature[] {
  return [...features.filter((feature) => isColumn(feature) || feature.storage === 'image'), ...bookkeepingFeatures]
}

export function describeFields(stored: readonly Feature[]): ParquetField[] {
  return stored.map((feature) => ({ name: feature.name, node: describeNode(feature) }))
}

/** `listType`: what `datasets` calls a list, which is `Sequence` before 4.0. */
export function describeMetadata(
  stored: readonly Feature[],
  listType: 'List' | 'Sequence' = 'List',
): [string, string][] {
  if (stored.some((feature) => isColumn(feature) && feature.dtype === 'language')) return []
  const features = Object.fromEntries(stored.map((feature) => [feature.name, describeForDatasets(feature, listType)]))
  const huggingface = JSON.stringify({ info: { features } })
  const columns = stored.map(
    (feature): ArrowColumn => (isCamera(feature) ? { name: feature.name, dtype: 'image' } : feature),
  )
  return [
    ['huggingface', huggingface],
    ['ARROW:schema', encodeArrowSchema(columns, new Map([['huggingface', huggingface]]))],
  ]
}

/** Language rows as the nested values the Parquet writer takes. */
export function toLanguageRows(rows: JsonValue): JsonValue[] {
  const text = (entry: JsonValue | undefined) => (entry === null || entry === undefined ? null : String(entry))
  return (Array.isArray(rows) ? rows : []).map((row) => {
    const fields = (row ?? {}) as JsonObject
    const calls = fields.tool_calls
    return {
      role: text(fields.role),
      content: text(fields.content),
      style: text(fields.style),
      timestamp: typeof fields.timestamp === 'number' ? fields.timestamp : null,
      camera: text(fields.camera),
      tool_calls: Array.isArray(calls)
        ? calls.map((call) => (typeof call === 'string' ? call : JSON.stringify(call)))
        : null,
    }
  })
}

function describeNode(feature: Feature): ParquetNode {
  if (isCamera(feature)) return image
  return feature.dtype === 'language' ? list(describeLanguage(feature.name)) : shapedNode(feature.dtype, feature.shape)
}

function describeForDatasets(feature: Feature, listType: 'List' | 'Sequence'): JsonObject {
  if (isCamera(feature)) return { _type: 'Image' }
  const single: JsonObject = { dtype: feature.dtype, _type: 'Value' }
  if (feature.dtype === 'string' || (feature.shape.length === 1 && feature.shape[0] === 1)) return single
  if (feature.shape.length === 1) return { feature: single, length: feature.shape[0] ?? 1, _type: listType }
  return { shape: [...feature.shape], dtype: feature.dtype, _type: `Array${feature.shape.length}D` }
}

import { encodeVarint, encodeZigzag } from '../../containers/protobuf.ts'
import type { Values } from '../../dataset.ts'
import { type ColumnFeature, countValues, isNumericDtype, labelDimensions, type NumericArray } from '../../feature.ts'
import type { JsonValue } from '../../json.ts'
import type { Topic } from './episode-file.ts'
import { describeSignal, textSchema } from './schemas.ts'

/** A column as messages, one a frame. */
export interface Signal extends Topic {
  readonly name: string
  /** The value of one row of a block, as its message holds it. */
  encode(values: Values, row: number): Uint8Array
}

/** `observation.state` is `/observation/state`, so that Foxglove groups what belongs together. */
export const nameTopic = (feature: string): string => `/${feature.replaceAll('.', '/')}`

export const taskTopic: Topic = { topic: '/task', schema: textSchema, metadata: {} }

export function describeSignalOf(column: ColumnFeature): Signal {
  const { name, dtype, shape } = column
  const metadata = { feature: name, dtype, shape: JSON.stringify(shape) }
  if (!isNumericDtype(dtype)) {
    const toText = (value: JsonValue | undefined) => (typeof value === 'string' ? value : JSON.stringify(value ?? []))
    return {
      ...{ name, topic: nameTopic(name), schema: textSchema, metadata },
      encode: (values, row) => Buffer.from(toText((values as readonly JsonValue[])[row])),
    }
  }
  const size = countValues(shape)
  return {
    name,
    topic: nameTopic(name),
    schema: describeSignal(dtype),
    metadata: { ...metadata, names: JSON.stringify(labelDimensions(column)) },
    encode: (values, row) => pack((values as NumericArray).subarray(row * size, (row + 1) * size), dtype === 'bool'),
  }
}

/** Floats and truth values lie as Protocol Buffers want them; whole numbers take as many bytes as they need. */
function pack(values: NumericArray, isTruth: boolean): Uint8Array {
  if (isTruth || values instanceof Float32Array || values instanceof Float64Array)
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const isSigned =
    values instanceof Int8Array ||
    values instanceof Int16Array ||
    values instanceof Int32Array ||
    values instanceof BigInt64Array
  const encode = isSigned ? encodeZigzag : encodeVarint
  return Buffer.concat(Array.from(values as Iterable<number | bigint>, encode))
}

import { encodeVarint, encodeZigzag } from '../../containers/protobuf.ts'
import type { Values } from '../../dataset.ts'
import { type ColumnFeature, countValues, isNumericDtype, labelDimensions, type NumericArray } from '../../feature.ts'
import type { JsonValue } from '../../json.ts'
import type { Topic } from './episode-file.ts'
import type { RecordBytes } from './record-bytes.ts'
import { describeSignal, putValue, textSchema } from './schemas.ts'

/** A column as messages, one a frame. */
export interface Signal extends Topic {
  readonly name: string
  /** Writes the value of one row of a block behind the timestamp of its message. */
  put(message: RecordBytes, values: Values, row: number): void
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
      put: (message, values, row) => putValue(message, Buffer.from(toText((values as readonly JsonValue[])[row]))),
    }
  }
  const size = countValues(shape)
  return {
    name,
    topic: nameTopic(name),
    schema: describeSignal(dtype),
    metadata: { ...metadata, names: JSON.stringify(labelDimensions(column)) },
    put: dtype === 'bool' || dtype === 'float32' || dtype === 'float64' ? createPlainPut(size) : createPackedPut(size),
  }
}

/** Floats and truth values lie as Protocol Buffers want them. */
function createPlainPut(size: number): Signal['put'] {
  let [block, bytes]: [NumericArray | undefined, Uint8Array] = [undefined, new Uint8Array()]
  return (message, values, row) => {
    if (block !== values) {
      block = values as NumericArray
      bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength)
    }
    const sizeBytes = size * block.BYTES_PER_ELEMENT
    message.putHead(2, sizeBytes)
    message.putPart(bytes, row * sizeBytes, sizeBytes)
  }
}

const createPackedPut =
  (size: number): Signal['put'] =>
  (message, values, row) =>
    putValue(message, pack((values as NumericArray).subarray(row * size, (row + 1) * size)))

/** Whole numbers take as many bytes as they need. */
function pack(values: NumericArray): Uint8Array {
  const isSigned =
    values instanceof Int8Array ||
    values instanceof Int16Array ||
    values instanceof Int32Array ||
    values instanceof BigInt64Array
  const encode = isSigned ? encodeZigzag : encodeVarint
  return Buffer.concat(Array.from(values as Iterable<number | bigint>, encode))
}

import { createRequire } from 'node:module'
import type { Data, DataType, Field, FixedSizeList, List, Schema } from 'apache-arrow'
import type { Values } from '../../dataset.ts'
import { type ColumnFeature, countValues, type NumericArray, type NumericDtype } from '../../feature.ts'

/** In its one file: 15 ms of processors at the start of every process that writes Parquet, where its 146 files take 100. */
const arrow: typeof import('apache-arrow') = createRequire(import.meta.url)('apache-arrow/Arrow.es2015.min')

/** What a LeRobot data file holds, told to pyarrow by the `ARROW:schema` entry of a Parquet footer. */
export type ArrowColumn =
  | Pick<ColumnFeature, 'name' | 'dtype' | 'shape'>
  | { readonly name: string; readonly dtype: 'image' }

const arrowTypes: Record<NumericDtype, () => DataType> = {
  float32: () => new arrow.Float32(),
  float64: () => new arrow.Float64(),
  int8: () => new arrow.Int8(),
  int16: () => new arrow.Int16(),
  int32: () => new arrow.Int32(),
  int64: () => new arrow.Int64(),
  uint8: () => new arrow.Uint8(),
  uint16: () => new arrow.Uint16(),
  uint32: () => new arrow.Uint32(),
  uint64: () => new arrow.Uint64(),
  bool: () => new arrow.Bool(),
}

const endOfStreamBytes = 8

/** base64 of an Arrow IPC stream of an empty table without its end mark: what pyarrow itself writes. */
export function encodeArrowSchema(columns: readonly ArrowColumn[], metadata: ReadonlyMap<string, string>): string {
  const schema = new arrow.Schema(columns.map(describeField), new Map(metadata))
  const stream = arrow.tableToIPC(new arrow.Table(schema), 'stream')
  return Buffer.from(stream.subarray(0, stream.length - endOfStreamBytes)).toString('base64')
}

function describeField(column: ArrowColumn): Field {
  if (column.dtype === 'image') {
    return new arrow.Field(
      column.name,
      new arrow.Struct([
        new arrow.Field('bytes', new arrow.Binary(), true),
        new arrow.Field('path', new arrow.Utf8(), true),
      ]),
      true,
    )
  }
  const { name, dtype, shape } = column
  if (dtype === 'string' || dtype === 'language') return new arrow.Field(name, new arrow.Utf8(), true)
  const type = arrowTypes[dtype]()
  if (shape.length === 1) {
    const [size = 1] = shape
    return new arrow.Field(
      name,
      size === 1 ? type : new arrow.FixedSizeList(size, new arrow.Field('item', type, true)),
      true,
    )
  }
  const nested = shape.reduce((inner: DataType) => new arrow.List(new arrow.Field('item', inner, true)), type)
  const extension = new Map([
    ['ARROW:extension:name', `datasets.features.features.Array${shape.length}DExtensionType`],
    ['ARROW:extension:metadata', JSON.stringify([shape, dtype])],
  ])
  return new arrow.Field(name, nested, true, extension)
}

/** What the writer has made and nobody has taken yet. */
class Pending extends arrow.AsyncByteQueue {
  #pieces: Uint8Array[] = []

  override write(value: Uint8Array): void {
    if (value.byteLength > 0) this.#pieces.push(value)
  }

  take(): Uint8Array {
    return Buffer.concat(this.#pieces.splice(0))
  }
}

/** Blocks of rows as an Arrow IPC file (Feather v2, uncompressed), whole or piece by piece. */
export class ArrowFile {
  readonly #columns: readonly ColumnFeature[]
  readonly #schema: Schema
  readonly #writer = new arrow.RecordBatchFileWriter()
  readonly #pending = new Pending()

  /** Numbers and text; text is kept as strings. */
  constructor(columns: readonly ColumnFeature[]) {
    this.#columns = columns
    this.#schema = new arrow.Schema(columns.map(describeField))
    this.#writer.reset(this.#pending, null)
  }

  /** `values` in the order of the columns. */
  addRows(rowCount: number, values: readonly Values[]): void {
    const children = this.#columns.map((column, index) => makeColumn(column, rowCount, values[index] as Values))
    const struct = arrow.makeData({
      type: new arrow.Struct(this.#schema.fields),
      length: rowCount,
      nullCount: 0,
      children,
    })
    this.#writer.write(new arrow.RecordBatch(this.#schema, struct))
  }

  /** What was made since the last time, in memory of its own. */
  takeBytes(): Uint8Array {
    return this.#pending.take()
  }

  /** The rest. */
  finish(): Uint8Array {
    this.#writer.finish()
    return this.#pending.take()
  }
}

function makeColumn(column: ColumnFeature, rowCount: number, values: Values): Data {
  if (column.dtype === 'string' || column.dtype === 'language') {
    const texts = (values as readonly unknown[]).map((entry) =>
      typeof entry === 'string' ? entry : JSON.stringify(entry),
    )
    return arrow.vectorFromArray(texts, new arrow.Utf8()).data[0] as Data
  }
  const numbers = column.dtype === 'bool' ? packBits(values as Uint8Array) : (values as NumericArray)
  let data: Data = arrow.makeData({
    type: arrowTypes[column.dtype](),
    length: rowCount * countValues(column.shape),
    nullCount: 0,
    data: numbers,
  } as never)
  if (column.shape.length === 1 && column.shape[0] === 1) return data
  let type = describeField({ ...column, shape: column.shape.slice(-1) }).type
  let length = data.length
  for (const size of column.shape.toReversed()) {
    length /= size
    if (column.shape.length === 1)
      return arrow.makeData({ type: type as FixedSizeList, length, nullCount: 0, child: data })
    type = new arrow.List(new arrow.Field('item', data.type, true))
    const valueOffsets = Int32Array.from({ length: length + 1 }, (_, row) => row * size)
    data = arrow.makeData({ type: type as List, length, nullCount: 0, valueOffsets, child: data })
  }
  return data
}

function packBits(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(flags.length / 8))
  for (const [index, flag] of flags.entries())
    if (flag) bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7))
  return bits
}

import {
  Binary,
  Bool,
  type DataType,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
} from 'apache-arrow'
import type { ColumnFeature, NumericDtype } from '../feature.ts'

/** What a LeRobot data file holds, told to pyarrow by the `ARROW:schema` entry of a Parquet footer. */
export type ArrowColumn =
  | Pick<ColumnFeature, 'name' | 'dtype' | 'shape'>
  | { readonly name: string; readonly dtype: 'image' }

const arrowTypes: Record<NumericDtype, () => DataType> = {
  float32: () => new Float32(),
  float64: () => new Float64(),
  int8: () => new Int8(),
  int16: () => new Int16(),
  int32: () => new Int32(),
  int64: () => new Int64(),
  uint8: () => new Uint8(),
  uint16: () => new Uint16(),
  uint32: () => new Uint32(),
  uint64: () => new Uint64(),
  bool: () => new Bool(),
}

const END_OF_STREAM_BYTES = 8

/** base64 of an Arrow IPC stream of an empty table without its end mark: what pyarrow itself writes. */
export function encodeArrowSchema(columns: readonly ArrowColumn[], metadata: ReadonlyMap<string, string>): string {
  const schema = new Schema(columns.map(describeField), new Map(metadata))
  const stream = tableToIPC(new Table(schema), 'stream')
  return Buffer.from(stream.subarray(0, stream.length - END_OF_STREAM_BYTES)).toString('base64')
}

function describeField(column: ArrowColumn): Field {
  if (column.dtype === 'image') {
    return new Field(
      column.name,
      new Struct([new Field('bytes', new Binary(), true), new Field('path', new Utf8(), true)]),
      true,
    )
  }
  const { name, dtype, shape } = column
  if (dtype === 'string' || dtype === 'language') return new Field(name, new Utf8(), true)
  const type = arrowTypes[dtype]()
  if (shape.length === 1) {
    const [size = 1] = shape
    return new Field(name, size === 1 ? type : new FixedSizeList(size, new Field('item', type, true)), true)
  }
  const nested = shape.reduce((inner: DataType) => new List(new Field('item', inner, true)), type)
  const extension = new Map([
    ['ARROW:extension:name', `datasets.features.features.Array${shape.length}DExtensionType`],
    ['ARROW:extension:metadata', JSON.stringify([shape, dtype])],
  ])
  return new Field(name, nested, true, extension)
}

import { encodeMessage, encodeNumber, encodeText } from '../../containers/protobuf.ts'
import type { NumericDtype } from '../../feature.ts'
import type { RecordBytes } from './record-bytes.ts'

/** Schemas of the channels, as the FileDescriptorSet that MCAP wants beside Protocol Buffers. */

export interface MessageSchema {
  readonly name: string
  readonly data: Uint8Array
}

/** Numbers of `FieldDescriptorProto.Type`. */
const types = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  bool: 8,
  string: 9,
  message: 11,
  bytes: 12,
  uint32: 13,
  sint32: 17,
  sint64: 18,
} as const

interface Field {
  readonly name: string
  readonly number: number
  readonly type: keyof typeof types
  readonly isRepeated?: boolean
}

const timestampFile = 'google/protobuf/timestamp.proto'
const timestampType = '.google.protobuf.Timestamp'
const timestamp: Field = { name: 'timestamp', number: 1, type: 'message' }

function describeField({ name, number, type, isRepeated = false }: Field): Uint8Array[] {
  return [
    ...encodeText(1, name),
    ...encodeNumber(3, number),
    ...encodeNumber(4, isRepeated ? 3 : 1),
    ...encodeNumber(5, types[type]),
    ...(type === 'message' ? encodeText(6, timestampType) : []),
  ]
}

function describeFile(
  path: string,
  packageName: string,
  message: string,
  fields: readonly Field[],
  needs: readonly string[] = [],
): Uint8Array[] {
  const described = [...encodeText(1, message), ...fields.flatMap((field) => encodeMessage(2, describeField(field)))]
  return [
    ...encodeText(1, path),
    ...encodeText(2, packageName),
    ...needs.flatMap((need) => encodeText(3, need)),
    ...encodeMessage(4, described),
    ...encodeText(12, 'proto3'),
  ]
}

const timestampDescriptor = describeFile(timestampFile, 'google.protobuf', 'Timestamp', [
  { name: 'seconds', number: 1, type: 'int64' },
  { name: 'nanos', number: 2, type: 'int32' },
])

function describeSchema(packageName: string, message: string, fields: readonly Field[]): MessageSchema {
  const file = describeFile(`${packageName}/${message}.proto`, packageName, message, fields, [timestampFile])
  const set = [...encodeMessage(1, timestampDescriptor), ...encodeMessage(1, file)]
  return { name: `${packageName}.${message}`, data: Buffer.concat(set) }
}

/** Foxglove knows these two by their names and the numbers of their fields. */
export const compressedVideo = describeSchema('foxglove', 'CompressedVideo', [
  timestamp,
  { name: 'frame_id', number: 2, type: 'string' },
  { name: 'data', number: 3, type: 'bytes' },
  { name: 'format', number: 4, type: 'string' },
])

export const compressedImage = describeSchema('foxglove', 'CompressedImage', [
  timestamp,
  { name: 'frame_id', number: 4, type: 'string' },
  { name: 'data', number: 2, type: 'bytes' },
  { name: 'format', number: 3, type: 'string' },
])

const valueTypes: Readonly<Record<NumericDtype, keyof typeof types>> = {
  float32: 'float',
  float64: 'double',
  int8: 'sint32',
  int16: 'sint32',
  int32: 'sint32',
  int64: 'sint64',
  uint8: 'uint32',
  uint16: 'uint32',
  uint32: 'uint32',
  uint64: 'uint64',
  bool: 'bool',
}

/** The numbers of one frame, row-major. */
export const describeSignal = (dtype: NumericDtype): MessageSchema =>
  describeSchema('nmp', `Signal_${dtype}`, [
    timestamp,
    { name: 'values', number: 2, type: valueTypes[dtype], isRepeated: true },
  ])

/** A text; rows of language as JSON. */
export const textSchema = describeSchema('nmp', 'Text', [timestamp, { name: 'value', number: 2, type: 'string' }])

/** Nanoseconds as `google.protobuf.Timestamp`, in field 1. */
export function putTimestamp(message: RecordBytes, nanoseconds: number): void {
  const [seconds, rest] = [Math.floor(nanoseconds / 1e9), nanoseconds % 1e9]
  message.putHead(1, countFieldBytes(seconds) + countFieldBytes(rest))
  if (seconds > 0) message.putVarint(1 << 3)
  if (seconds > 0) message.putVarint(seconds)
  if (rest > 0) message.putVarint(2 << 3)
  if (rest > 0) message.putVarint(rest)
}

/** None for zero, which is not written. */
function countFieldBytes(value: number): number {
  if (value === 0) return 0
  let count = 2
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) count++
  return count
}

/** Fields of a message that are the same in each: those before the picture's bytes, its number, and those behind. */
export interface PictureFields {
  readonly before: Uint8Array
  readonly field: number
  readonly behind: Uint8Array
}

export const frameVideo = (frameId: string, format: string): PictureFields => ({
  ...{ before: Buffer.concat(encodeText(2, frameId)), field: 3, behind: Buffer.concat(encodeText(4, format)) },
})

export const frameImage = (frameId: string, format: string): PictureFields => ({
  ...{
    before: new Uint8Array(),
    field: 2,
    behind: Buffer.concat([...encodeText(3, format), ...encodeText(4, frameId)]),
  },
})

/** A picture behind its timestamp; its bytes are in pieces that follow each other. */
export function putPicture(
  message: RecordBytes,
  { before, field, behind }: PictureFields,
  pieces: readonly Uint8Array[],
): void {
  let sizeBytes = 0
  for (const { length } of pieces) sizeBytes += length
  message.putBytes(before)
  message.putHead(field, sizeBytes)
  for (const piece of pieces) message.putBytes(piece)
  message.putBytes(behind)
}

/** The text or the packed numbers of a message, behind its timestamp. */
export function putValue(message: RecordBytes, bytes: Uint8Array): void {
  message.putHead(2, bytes.length)
  message.putBytes(bytes)
}

import { ServiceError } from '../../errors.ts'

/**
 * episodes.bin: magic, length of the header, header (JSON: where each column lies), columns. Each column begins at a multiple of eight
 * bytes, little-endian, so that a loaded file is used as it is: no parsing, no copy, one allocation whatever the number of episodes.
 */
export const episodesFile = 'episodes.bin'
export const manifestFile = 'manifest.json'

const magic = 'NMPEPIS1'
const preambleBytes = 16
const alignment = 8

const columnTypes = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array } as const
type ColumnType = keyof typeof columnTypes
type Column = Uint8Array | Uint32Array | Float64Array

interface ColumnPlace {
  name: string
  type: ColumnType
  start: number
  length: number
}

/** One entry per episode, unless said otherwise. Episode i of the dataset is at place i. */
export interface EpisodeColumns {
  lengthFrames: Uint32Array
  fromIndex: Float64Array
  sourceIndex: Float64Array
  /** Place in the manifest's `data_files`. */
  dataFile: Uint32Array
  /** Per camera stored as video, in the manifest's order: place in its file list, and the first frame in that file. */
  videoFile: Uint32Array[]
  videoStart: Uint32Array[]
  /** Tasks of episode i: `taskIds[taskStarts[i]]` up to `taskStarts[i + 1]`; one more entry than episodes. */
  taskStarts: Uint32Array
  taskIds: Uint32Array
  /** Text of task t: bytes `taskTextStarts[t]` up to `taskTextStarts[t + 1]` of `taskText`, UTF-8. */
  taskTextStarts: Uint32Array
  taskText: Uint8Array
  /** Places in the manifest's `split_names`, as with tasks; read models made before splits were kept have none. */
  splitStarts?: Uint32Array
  splitIds?: Uint32Array
  /** An `outcome` each; absent where no column says it, and in read models made before it was read. */
  success?: Uint8Array
  /** Episodes by length, shortest first, equal ones in their order. Duration has the same order. */
  byLength: Uint32Array
  /** Absent where there is no signal to score. */
  motion?: Float64Array
  variance?: Float64Array
  stillSeconds?: Float64Array
  /** What standing out is found by; read models made before it was have none of the three. */
  longestStillSeconds?: Float64Array
  pace?: Float64Array
  shake?: Float64Array
  /** `insights.curve_points` per episode; read models made before there were curves have none. */
  motionCurve?: Uint8Array
}

export function encodeEpisodes(columns: EpisodeColumns): Uint8Array {
  const named = listColumns(columns)
  const places: ColumnPlace[] = []
  // The header's own length moves the columns, so places count from the first column.
  let end = 0
  for (const [name, values] of named) {
    places.push({ name, type: typeOf(values), start: end, length: values.length })
    end = align(end + values.byteLength)
  }
  const header = Buffer.from(JSON.stringify({ episode_count: columns.lengthFrames.length, columns: places }))
  const base = align(preambleBytes + header.byteLength)
  const bytes = new Uint8Array(base + end)
  bytes.set(Buffer.from(magic), 0)
  new DataView(bytes.buffer).setUint32(8, header.byteLength, true)
  bytes.set(header, preambleBytes)
  for (const [index, [, values]] of named.entries()) {
    const start = base + (places[index]?.start ?? 0)
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), start)
  }
  return bytes
}

/** Views on the given bytes; refuses a file that does not hold what its header says. */
export function decodeEpisodes(bytes: ArrayBuffer, videoCount: number): EpisodeColumns {
  const { episodeCount, base, places } = readHeader(bytes)
  const find = (name: string): Column | undefined => {
    const place = places.get(name)
    if (!place) return undefined
    const Type = columnTypes[place.type]
    const start = base + place.start
    if (start + place.length * Type.BYTES_PER_ELEMENT > bytes.byteLength) throw damaged(`${name} is cut off`)
    return new Type(bytes, start, place.length)
  }
  const get = <T extends Column>(name: string, Type: abstract new (...args: never[]) => T, length?: number): T => {
    const column = find(name)
    if (!(column instanceof Type)) throw damaged(`${name} is missing`)
    if (length !== undefined && column.length !== length) throw damaged(`${name} has ${column.length} entries`)
    return column
  }
  const perVideo = (name: string) =>
    Array.from({ length: videoCount }, (_, video) => get(`${name}.${video}`, Uint32Array, episodeCount))
  const scores = places.has('motion')
    ? {
        motion: get('motion', Float64Array, episodeCount),
        variance: get('variance', Float64Array, episodeCount),
        stillSeconds: get('still_seconds', Float64Array, episodeCount),
        ...(places.has('shake')
          ? {
              longestStillSeconds: get('longest_still_seconds', Float64Array, episodeCount),
              pace: get('pace', Float64Array, episodeCount),
              shake: get('shake', Float64Array, episodeCount),
            }
          : {}),
        ...(places.has('motion_curve') ? { motionCurve: get('motion_curve', Uint8Array) } : {}),
      }
    : {}
  const splits = places.has('split_starts')
    ? { splitStarts: get('split_starts', Uint32Array, episodeCount + 1), splitIds: get('split_ids', Uint32Array) }
    : {}
  return {
    lengthFrames: get('length_frames', Uint32Array, episodeCount),
    fromIndex: get('from_index', Float64Array, episodeCount),
    sourceIndex: get('source_index', Float64Array, episodeCount),
    dataFile: get('data_file', Uint32Array, episodeCount),
    videoFile: perVideo('video_file'),
    videoStart: perVideo('video_start'),
    taskStarts: get('task_starts', Uint32Array, episodeCount + 1),
    taskIds: get('task_ids', Uint32Array),
    taskTextStarts: get('task_text_starts', Uint32Array),
    taskText: get('task_text', Uint8Array),
    byLength: get('by_length', Uint32Array, episodeCount),
    ...splits,
    ...(places.has('success') ? { success: get('success', Uint8Array, episodeCount) } : {}),
    ...scores,
  }
}

function listColumns(columns: EpisodeColumns): [string, Column][] {
  const { splitStarts, splitIds, success, motion, variance, stillSeconds, longestStillSeconds } = columns
  const { pace, shake, motionCurve } = columns
  const optional: [string, Column | undefined][] = [
    ['split_starts', splitStarts],
    ['split_ids', splitIds],
    ['success', success],
    ['motion', motion],
    ['variance', variance],
    ['still_seconds', stillSeconds],
    ['longest_still_seconds', longestStillSeconds],
    ['pace', pace],
    ['shake', shake],
    ['motion_curve', motionCurve],
  ]
  return [
    ['length_frames', columns.lengthFrames],
    ['from_index', columns.fromIndex],
    ['source_index', columns.sourceIndex],
    ['data_file', columns.dataFile],
    ...columns.videoFile.map((values, video): [string, Column] => [`video_file.${video}`, values]),
    ...columns.videoStart.map((values, video): [string, Column] => [`video_start.${video}`, values]),
    ['task_starts', columns.taskStarts],
    ['task_ids', columns.taskIds],
    ['task_text_starts', columns.taskTextStarts],
    ['task_text', columns.taskText],
    ['by_length', columns.byLength],
    ...optional.filter((column): column is [string, Column] => column[1] !== undefined),
  ]
}

function readHeader(bytes: ArrayBuffer): { episodeCount: number; base: number; places: Map<string, ColumnPlace> } {
  if (bytes.byteLength < preambleBytes) throw damaged('it is too short')
  if (Buffer.from(bytes, 0, magic.length).toString('latin1') !== magic)
    throw damaged('it does not start with the expected bytes')
  const headerBytes = new DataView(bytes).getUint32(8, true)
  if (preambleBytes + headerBytes > bytes.byteLength) throw damaged('its header is cut off')
  const header = JSON.parse(Buffer.from(bytes, preambleBytes, headerBytes).toString()) as {
    episode_count: number
    columns: ColumnPlace[]
  }
  return {
    episodeCount: header.episode_count,
    base: align(preambleBytes + headerBytes),
    places: new Map(header.columns.map((place) => [place.name, place])),
  }
}

const typeOf = (values: Column): ColumnType =>
  values instanceof Uint8Array ? 'u8' : values instanceof Uint32Array ? 'u32' : 'f64'

const align = (offset: number): number => Math.ceil(offset / alignment) * alignment

const damaged = (why: string): ServiceError =>
  new ServiceError('internal_error', `The read model's ${episodesFile} cannot be used: ${why}.`)

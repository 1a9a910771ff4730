import { repeatValue, type WrittenColumn, writeNumbers, writeParquet } from '../../formats/test/parquet-pages.ts'

/** Small LeRobot sets whose tables are written page by page; no camera unless a table has pictures. */

export type Files = Map<string, Buffer>

const frames = 10
const count = Array.from({ length: frames }, (_, row) => row)

/** The columns of a good episode, or others in their place. */
export function writeEpisode(episode: number, instead: readonly WrittenColumn[] = [], createdBy?: string): Buffer {
  const good = [
    writeNumbers('action', 'float', count),
    writeNumbers(
      'timestamp',
      'float',
      count.map((row) => row / 10),
    ),
    writeNumbers('frame_index', 'int64', count),
    writeNumbers(
      'episode_index',
      'int64',
      count.map(() => episode),
    ),
    writeNumbers(
      'index',
      'int64',
      count.map((row) => episode * frames + row),
    ),
    writeNumbers(
      'task_index',
      'int64',
      count.map(() => 0),
    ),
  ]
  const others = instead.filter(({ name }) => !good.some((column) => column.name === name))
  const columns = good.map((column) => instead.find(({ name }) => name === column.name) ?? column)
  return writeParquet([...columns, ...others], frames, createdBy)
}

/** A table of one row, as often as it says. */
export function repeatEpisode(rowCount: number): Buffer {
  const number = (name: string): WrittenColumn => repeatValue({ name, type: 'int64' }, Buffer.alloc(8), rowCount)
  const float = (name: string): WrittenColumn => repeatValue({ name, type: 'float' }, Buffer.alloc(4), rowCount)
  const numbers = ['frame_index', 'episode_index', 'index', 'task_index'].map(number)
  return writeParquet([float('action'), float('timestamp'), ...numbers], rowCount)
}

type Features = Record<string, { dtype: string; shape: number[]; names?: string[] }>

const describe = (version: string, total: number, features: Features): Buffer => {
  const number = { dtype: 'int64', shape: [1], names: [] }
  return Buffer.from(
    JSON.stringify({
      codebase_version: version,
      robot_type: 'arm',
      fps: 10,
      total_episodes: total,
      total_frames: total * frames,
      total_tasks: 1,
      chunks_size: 1000,
      features: {
        action: { dtype: 'float32', shape: [1], names: ['a'] },
        timestamp: { dtype: 'float32', shape: [1], names: [] },
        ...{ frame_index: number, episode_index: number, index: number, task_index: number },
        ...features,
      },
      ...(version === 'v2.1'
        ? { data_path: 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet' }
        : { data_path: 'data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet' }),
    }),
  )
}

/** A file for each episode: what one of them does to its reader is told of it alone. */
export function writeV2(tables: readonly Buffer[], features: Features = {}): Files {
  const line = (episode: number): string => JSON.stringify({ episode_index: episode, tasks: ['pick'], length: frames })
  return new Map([
    ['meta/info.json', describe('v2.1', tables.length, features)],
    ['meta/tasks.jsonl', Buffer.from('{"task_index": 0, "task": "pick"}\n')],
    ['meta/episodes.jsonl', Buffer.from(tables.map((_, episode) => line(episode)).join('\n'))],
    ...tables.map(
      (table, episode) => [`data/chunk-000/episode_${String(episode).padStart(6, '0')}.parquet`, table] as const,
    ),
  ])
}

const text = { name: 'task', type: 'bytes', isText: true } as const

/** One episode; `changes` are files in the place of good ones. */
export function writeV3(changes: Record<string, Buffer>, features: Features = {}): Files {
  const numbers = ['episode_index', 'data/chunk_index', 'data/file_index', 'dataset_from_index']
  const episodes = [
    ...numbers.map((name) => writeNumbers(name, 'int64', [0])),
    writeNumbers('dataset_to_index', 'int64', [frames]),
    writeNumbers('length', 'int64', [frames]),
  ]
  const tasks = [writeNumbers('task_index', 'int64', [0]), repeatValue(text, Buffer.from('\x04\0\0\0pick'), 1)]
  return new Map<string, Buffer>(
    Object.entries({
      'meta/info.json': describe('v3.0', 1, features),
      'meta/tasks.parquet': writeParquet(tasks, 1),
      'meta/episodes/chunk-000/file-000.parquet': writeParquet(episodes, 1),
      'data/chunk-000/file-000.parquet': writeEpisode(0),
      ...changes,
    }),
  )
}

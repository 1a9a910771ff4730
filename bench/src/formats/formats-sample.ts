/** Datasets for the bench, made here: rows from a formula, and one encoded episode whose packets serve for all. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFile } from '../../../formats/src/bytes.ts'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { shapedNode } from '../../../formats/src/containers/parquet/schema.ts'
import { createParquetWriter, type FieldValues } from '../../../formats/src/containers/parquet/writer.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import { createMp4Writer } from '../../../formats/src/containers/video/writer.ts'
import { listSampledFrames, presentCameraStatistics } from '../../../formats/src/statistics/camera.ts'

export const fields = [
  ...['observation.state', 'action'].map((name) => ({ name, node: shapedNode('float32', [14]) })),
  ...['timestamp', 'next.reward'].map((name) => ({ name, node: shapedNode('float32', [1]) })),
  ...['frame_index', 'episode_index', 'index', 'task_index'].map((name) => ({ name, node: shapedNode('int64', [1]) })),
]

const fps = 30

/** The rows of one episode, as the writer takes them; the arm stands still in the first ones. */
export function makeRows(episode: number, length: number, firstIndex: number, stillFrames = 0): FieldValues[] {
  const wave = (phase: number) =>
    Float32Array.from({ length: length * 14 }, (_, at) => {
      const i = Math.max(at, stillFrames * 14 + (at % 14))
      return Math.sin((i + phase) * 0.001 * (1 + (i % 14)) + episode)
    })
  const count = (start: bigint, step: bigint) => BigInt64Array.from({ length }, (_, row) => start + step * BigInt(row))
  return [
    { shape: [14], numbers: wave(0) },
    { shape: [14], numbers: wave(3) },
    { shape: [1], numbers: Float32Array.from({ length }, (_, row) => row / fps) },
    { shape: [1], numbers: Float32Array.from({ length }, (_, row) => row % 2) },
    { shape: [1], numbers: count(0n, 1n) },
    { shape: [1], numbers: count(BigInt(episode), 0n) },
    { shape: [1], numbers: count(BigInt(firstIndex), 1n) },
    { shape: [1], numbers: count(0n, 0n) },
  ]
}

/** Noise over a moving ramp: as hard to compress as a real camera. */
async function* drawFrames(width: number, height: number, count: number): AsyncGenerator<Uint8Array> {
  let seed = 1
  for (let frame = 0; frame < count; frame++) {
    const data = new Uint8Array(width * height * 3)
    for (let at = 0; at < data.length; at++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0
      data[at] = ((at >> 4) + frame * 3 + ((seed >>> 27) & 15)) & 255
    }
    yield data
  }
}

export interface SampleOptions {
  episodes: number
  length: number
  width: number
  height: number
  stillFrames?: number
}

/** A LeRobot v2.1 dataset with one H.264 camera: one Parquet file and one video per episode. */
export async function makeV21(folder: string, sample: SampleOptions): Promise<void> {
  const { episodes, length, width, height, stillFrames } = sample
  const camera = 'observation.images.front'
  for (const part of ['meta', 'data/chunk-000', `videos/chunk-000/${camera}`]) {
    await mkdir(join(folder, part), { recursive: true })
  }
  const video = join(folder, 'one.mp4')
  await encodeEpisode(video, sample)
  const pixels = await measurePixels(video, length)
  const lines: Record<string, string[]> = { episodes: [], episodes_stats: [] }
  for (let episode = 0; episode < episodes; episode++) {
    const name = `episode_${String(episode).padStart(6, '0')}`
    const writer = await createParquetWriter(join(folder, `data/chunk-000/${name}.parquet`), fields)
    await writer.writeRows(length, makeRows(episode, length, episode * length, stillFrames))
    await writer.endRowGroup()
    await writer.finish()
    await copyFile(video, join(folder, `videos/chunk-000/${camera}/${name}.mp4`))
    lines.episodes?.push(JSON.stringify({ episode_index: episode, tasks: ['stack the blocks'], length }))
    lines.episodes_stats?.push(
      JSON.stringify({ episode_index: episode, stats: { ...describeStatistics(length), [camera]: pixels } }),
    )
  }
  await writeFile(join(folder, 'meta/tasks.jsonl'), `${JSON.stringify({ task_index: 0, task: 'stack the blocks' })}\n`)
  for (const [name, rows] of Object.entries(lines)) {
    await writeFile(join(folder, `meta/${name}.jsonl`), `${rows.join('\n')}\n`)
  }
  const info = {
    codebase_version: 'v2.1',
    robot_type: 'bench',
    total_episodes: episodes,
    total_frames: episodes * length,
    total_tasks: 1,
    total_videos: episodes,
    total_chunks: 1,
    chunks_size: Math.max(1000, episodes),
    fps,
    splits: { train: `0:${episodes}` },
    data_path: 'data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet',
    video_path: 'videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4',
    features: {
      ...Object.fromEntries(fields.map(({ name }, place) => [name, describeField(place)])),
      [camera]: {
        dtype: 'video',
        shape: [height, width, 3],
        names: ['height', 'width', 'channels'],
        info: {
          'video.height': height,
          'video.width': width,
          'video.codec': 'h264',
          'video.pix_fmt': 'yuv420p',
          'video.is_depth_map': false,
          'video.fps': fps,
          'video.channels': 3,
          has_audio: false,
        },
      },
    },
  }
  await writeFile(join(folder, 'meta/info.json'), JSON.stringify(info, null, 4))
}

function describeField(place: number) {
  return { dtype: place < 4 ? 'float32' : 'int64', shape: [place < 2 ? 14 : 1], names: null }
}

/** lerobot's converter only merges these; the values of numbers do not matter to its speed. */
function describeStatistics(length: number): Record<string, unknown> {
  const make = (fill: unknown) => ({ min: fill, max: fill, mean: fill, std: fill, count: [length] })
  const columns = fields.map(({ name }, place) => [name, make(Array.from({ length: place < 2 ? 14 : 1 }, () => 0.5))])
  return Object.fromEntries(columns)
}

/** As lerobot's recorder states them: of its sample of frames, without quantiles. */
async function measurePixels(path: string, length: number): Promise<Record<string, unknown>> {
  await using codec = openCodec()
  await using source = await openFile(path)
  await using video = await openVideo(source)
  const measured = await codec.measure({ video, frames: [...new Set(listSampledFrames(length))] })
  const { min, max, mean, std, count } = presentCameraStatistics(measured)
  return { min, max, mean, std, count }
}

/** Encodes 30 frames and repeats their packets: what a camera file weighs, without an hour of encoding. */
async function encodeEpisode(path: string, { length, width, height }: SampleOptions): Promise<void> {
  const part = `${path}.seed`
  const count = Math.min(30, length)
  await using codec = openCodec()
  const frames = () => drawFrames(width, height, count)
  await codec.encode({ path: part, width, height, settings: { codec: 'h264', fps }, frames })
  await using source = await openFile(part)
  await using video = await openVideo(source)
  const writer = createMp4Writer({ path, fps })
  for (let frame = 0; frame < length; frame += count) writer.append(video, 0, Math.min(count, length - frame))
  await writer.finish()
}

import type { Block, Dataset, Episode } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { type CameraFeature, countValues, isCamera, type NumericArray } from '../../feature.ts'
import { Findings } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import { DecodedCameras, writeThenPictures } from '../decoded-cameras.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { writeEpisodes } from '../episode-loop.ts'
import { estimateFrames } from '../estimate-parts.ts'
import { listSidecarLosses } from '../sidecar-losses.ts'
import { type OptionsSchema, readTargetOptions, type TargetSettings } from '../target-options.ts'
import { openWorkbench } from '../workbench.ts'
import type { TargetEstimate, TargetFacts, WriteOptions, WriteReport, Writer, WrittenFile } from '../writer.ts'
import { type FrameArray, type FrameArrays, listArrayLosses, planArrays, shapeNumbers, taskArray } from './arrays.ts'
import { type ChunkCoder, ChunkedArray } from './chunked-array.ts'
import { createJpegXl, plain, zstd } from './coders.ts'
import { createFolderStore, createZipStore, type ZarrStore } from './stores.ts'
import { verifyReplayBuffer } from './verify.ts'

const name = 'zarr'
const rootName = 'dataset.zarr'
/** What is left of decoded video of 320x240, where no frame was tried, and of numbers. */
const shares = { zstd: 0.6, jpegxl: 0.08, numbers: 0.7 } as const
/** Of a chunk in the archive: its two heads. */
const zipEntryBytes = 220
const describedBytes = 4_096

const options: OptionsSchema = {
  container: {
    type: 'string',
    enum: ['zip', 'folder'],
    default: 'zip',
    description:
      'zip: one archive, dataset.zarr.zip, as UMI reads it. folder: dataset.zarr with a file for every chunk, as diffusion policy reads it: a file for every picture unless frames_per_chunk is larger.',
  },
  pictures: {
    type: 'string',
    enum: ['raw', 'jpegxl'],
    default: 'raw',
    description:
      "raw: pixels, which every reader of Zarr reads. jpegxl: a tenth of the size, for UMI's code and readers that have imagecodecs; depth stays raw.",
  },
  quality: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 90,
    description: 'Of jpegxl: 90 cannot be told apart by eye, 100 is lossless.',
  },
  compression: {
    type: 'string',
    enum: ['zstd', 'none'],
    default: 'zstd',
    description: 'Of everything but JPEG XL.',
  },
  frames_per_chunk: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 1,
    description: 'Pictures of a chunk, which is read whole; with jpegxl it is one.',
  },
}

/** The replay buffer of diffusion policy, in Zarr version 2: zarrita, the library on npm that writes Zarr, writes version 3 only. */
export const zarr: Writer = {
  name,
  artifactKey: name,
  title: 'Zarr',
  readers: 'diffusion policy and UMI: their ReplayBuffer, as data/* and meta/episode_ends.',
  options,
  listLosses: listArrayLosses,
  listOtherLosses: listSidecarLosses,
  estimate,
  verify: (folder, expected, signal) => verifyReplayBuffer(folder, rootName, expected, signal),
  decodes: () => 'pixels',
  write,
}

async function write(
  dataset: Dataset,
  folder: string,
  { signal, onProgress, onFile, codec, settings = readTargetOptions(zarr) }: WriteOptions = {},
): Promise<WriteReport> {
  await requireEmptyFolder(folder)
  await using workbench = await openWorkbench(folder, { ...(codec && { codec }), ...(signal && { signal }) })
  const store = await createStore(folder, workbench.workFolder, settings, onFile)
  const findings = new Findings()
  try {
    await using cameras = new DecodedCameras(workbench, { signal })
    const buffer = new ReplayBuffer(dataset, store, { cameras, settings, signal })
    const watching = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
    const counts = await writeEpisodes(dataset, folder, findings, watching, {
      write: (episode) => buffer.add(episode),
      drop: () => buffer.rewind(),
    })
    await buffer.finish()
    const files = await store.finish()
    const losses = [...listArrayLosses(dataset.features), ...listSidecarLosses(dataset)]
    return { ...counts, files, findings: [...dataset.findings, ...findings.list], losses }
  } catch (error) {
    await store.abandon()
    throw error
  }
}

const createStore = async (
  folder: string,
  workFolder: string,
  { container }: TargetSettings,
  onFile: ((file: WrittenFile) => void) | undefined,
): Promise<ZarrStore> =>
  container === 'folder'
    ? createFolderStore(folder, rootName, onFile)
    : createZipStore(folder, `${rootName}.zip`, workFolder, onFile)

interface BufferTools {
  readonly cameras: DecodedCameras
  readonly settings: TargetSettings
  readonly signal: AbortSignal | undefined
}

class ReplayBuffer {
  readonly #dataset: Dataset
  readonly #store: ZarrStore
  readonly #tools: BufferTools
  readonly #plan: FrameArrays
  readonly #arrays: ReadonlyMap<string, ChunkedArray>
  readonly #tasks = new Map<string, number>()
  readonly #splits: (readonly string[])[] = []
  readonly #ends: bigint[] = []
  #markedTasks = 0

  constructor(dataset: Dataset, store: ZarrStore, tools: BufferTools) {
    this.#dataset = dataset
    this.#store = store
    this.#tools = tools
    this.#plan = planArrays(dataset.features, countPerChunk(tools.settings), dataset.roles)
    const open = ({ name: array, shape, feature }: FrameArray) =>
      [array, new ChunkedArray(`data/${array}`, store, shape, this.#pickCoder(feature))] as const
    const tasks = new ChunkedArray(`data/${taskArray}`, store, shapeNumbers('int64', []), this.#pickCoder())
    this.#arrays = new Map([...this.#plan.columns.map(open), [taskArray, tasks], ...this.#plan.cameras.map(open)])
  }

  async add(episode: Episode): Promise<void> {
    await this.#store.mark()
    for (const array of this.#arrays.values()) array.mark()
    this.#markedTasks = this.#tasks.size
    const pictures = this.#tools.cameras.readAll(episode, this.#plan.cameras)
    await writeThenPictures(this.#addRows(episode), pictures, ({ camera, block: { pixels } }) =>
      this.#append(camera.name, new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength)),
    )
    this.#ends.push((this.#ends.at(-1) ?? 0n) + BigInt(episode.length))
    this.#splits.push(episode.splits)
  }

  async rewind(): Promise<void> {
    await this.#store.rewind()
    for (const array of this.#arrays.values()) array.rewind()
    for (const task of [...this.#tasks.keys()].slice(this.#markedTasks)) this.#tasks.delete(task)
  }

  async finish(): Promise<void> {
    for (const array of this.#arrays.values()) await array.finish()
    const ends = new ChunkedArray('meta/episode_ends', this.#store, shapeNumbers('int64', []), this.#pickCoder())
    await ends.append(new Uint8Array(BigInt64Array.from(this.#ends).buffer))
    await ends.finish()
    const group = Buffer.from(JSON.stringify({ zarr_format: 2 }, null, 4))
    for (const path of ['data/', 'meta/', '']) await this.#store.put(`${path}.zgroup`, group)
    await this.#store.put('.zattrs', Buffer.from(JSON.stringify(this.#describe(), null, 4)))
  }

  async #addRows(episode: Episode): Promise<void> {
    const { columns } = this.#plan
    const names = columns.map(({ feature }) => feature.name)
    const tasks = episode.tasks.map((task) => this.#numberTask(task))
    let rowCount = 0
    for await (const block of episode.readBlocks({ columns: names, ...this.#listening })) {
      for (const { feature, name: array } of columns) {
        const values = block.columns.get(feature.name) as NumericArray
        await this.#append(array, new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
      }
      await this.#append(taskArray, numberRows(block, tasks))
      rowCount += block.frameCount
    }
    if (rowCount !== episode.length)
      throw new FormatError('episode_unreadable', `it has ${rowCount} rows instead of ${episode.length}.`)
  }

  /** What the arrays say nothing of; readers of the replay buffer pass over it. */
  #describe(): JsonObject {
    const { fps, robotType } = this.#dataset
    const features = [...this.#plan.columns, ...this.#plan.cameras].map(({ name: array, feature }) => [
      array,
      { name: feature.name, ...(isCamera(feature) ? {} : { names: feature.names }) },
    ])
    const splits = Object.fromEntries(
      [...new Set(this.#splits.flat())].map((split) => [
        split,
        this.#splits.flatMap((names, episode) => (names.includes(split) ? [episode] : [])),
      ]),
    )
    return {
      ...{ fps, robot_type: robotType, tasks: [...this.#tasks.keys()], splits },
      features: Object.fromEntries(features),
    }
  }

  async #append(array: string, bytes: Uint8Array): Promise<void> {
    await this.#arrays.get(array)?.append(bytes)
  }

  #pickCoder(feature?: FrameArray['feature']): ChunkCoder {
    const { settings, cameras, signal } = this.#tools
    if (feature && isCompressedPicture(feature, settings))
      return createJpegXl(feature, Number(settings.quality), cameras.codec, signal)
    return settings.compression === 'none' ? plain : zstd
  }

  #numberTask(task: string): number {
    if (!this.#tasks.has(task)) this.#tasks.set(task, this.#tasks.size)
    return this.#tasks.get(task) ?? 0
  }

  get #listening() {
    const { signal } = this.#tools
    return signal ? { signal } : {}
  }
}

const isCompressedPicture = (feature: FrameArray['feature'], { pictures }: TargetSettings): feature is CameraFeature =>
  isCamera(feature) && !feature.depth && pictures === 'jpegxl'

const countPerChunk = ({ pictures, frames_per_chunk: count }: TargetSettings): number =>
  pictures === 'jpegxl' ? 1 : Number(count)

function numberRows({ frameCount, taskIndex }: Block, tasks: readonly number[]): Uint8Array {
  const numbers = BigInt64Array.from({ length: frameCount }, (_, row) => BigInt(tasks[taskIndex?.[row] ?? 0] ?? 0))
  return new Uint8Array(numbers.buffer)
}

function estimate(facts: TargetFacts, settings: TargetSettings): TargetEstimate {
  const { features, roles, frameCount } = facts
  const { columns, cameras } = planArrays(features, countPerChunk(settings), roles)
  const isZstd = settings.compression !== 'none'
  const countBytes = ({ feature, shape }: FrameArray): number => {
    const bytes = countValues(shape.rowShape) * shape.itemBytes
    // The last chunk is as long as the others.
    if (!isZstd && !(isCamera(feature) && isCompressedPicture(feature, settings)))
      return Math.ceil(frameCount / shape.rowsPerChunk) * shape.rowsPerChunk * bytes
    if (!isCamera(feature)) return frameCount * bytes * shares.numbers
    const pixels = feature.width * feature.height
    if (isCompressedPicture(feature, settings)) {
      const form = { as: 'jpegxl', quality: Number(settings.quality) } as const
      return estimateFrames(facts, feature, form, (bytes * shares.jpegxl) / pixels)
    }
    return estimateFrames(facts, feature, { as: 'zstd' }, (bytes * shares.zstd) / pixels)
  }
  const arrays = [...columns, ...cameras]
  const chunks = arrays.map(({ shape }) => Math.ceil(frameCount / shape.rowsPerChunk) + 1)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const isFolder = settings.container === 'folder'
  const entries = isFolder ? 0 : sum(chunks) * zipEntryBytes
  return {
    sizeBytes: Math.round(sum(arrays.map(countBytes)) + entries + describedBytes),
    fileCount: isFolder ? sum(chunks) + 8 : 1,
  }
}

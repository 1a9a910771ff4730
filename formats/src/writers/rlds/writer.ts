import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset, Episode, Values } from '../../dataset.ts'
import { FormatError } from '../../errors.ts'
import { Findings } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import { SplitTally } from '../../splits.ts'
import { requireEmptyFolder } from '../empty-folder.ts'
import { writeEpisodes } from '../episode-loop.ts'
import { formatJson } from '../lerobot-v3/info.ts'
import { prepareFile } from '../lerobot-v3/numbered-file.ts'
import { listSecondSplits } from '../split-losses.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import type { WriteOptions, WriteReport, WrittenFile } from '../writer.ts'
import { describeInfo, describeSteps, version } from './describe.ts'
import { SpooledExample } from './example.ts'
import { CameraPictures } from './pictures.ts'
import { SplitShards } from './shards.ts'
import { type ImageFormat, planSteps, type StepPlan } from './step-features.ts'

export interface RldsOptions extends WriteOptions {
  readonly name: string
  readonly format: ImageFormat
  readonly shardBytes: number
}

/** Of episodes that are in no split. */
const noSplit = 'rest'

/** A record per episode, shards per split, and what `tfds.builder_from_directory` reads beside them; dataset_info.json comes last. */
export async function writeRlds(dataset: Dataset, folder: string, options: RldsOptions): Promise<WriteReport> {
  await requireEmptyFolder(folder)
  await using workbench = await openWorkbench(folder, options)
  const writing = new RldsWriting(dataset, folder, options, workbench)
  try {
    return await writing.run()
  } catch (error) {
    await rm(join(folder, options.name), { recursive: true, force: true })
    throw error
  } finally {
    await writing.close()
  }
}

class RldsWriting {
  readonly #dataset: Dataset
  readonly #folder: string
  readonly #options: RldsOptions
  readonly #workFolder: string
  readonly #plan: StepPlan
  readonly #cameras: readonly CameraPictures[]
  readonly #shards = new Map<string, SplitShards>()
  /** Splits that episodes are in beside the one they are written to. */
  readonly #splits = new SplitTally()
  readonly #findings = new Findings()

  constructor(dataset: Dataset, folder: string, options: RldsOptions, { workFolder, codec, pool }: Workbench) {
    this.#dataset = dataset
    this.#folder = folder
    this.#options = options
    this.#workFolder = workFolder
    const { format, signal } = options
    this.#plan = planSteps(dataset.features, format, dataset.roles)
    this.#cameras = this.#plan.cameras.map(({ camera }) => new CameraPictures(camera, { codec, pool, format, signal }))
  }

  async run(): Promise<WriteReport> {
    const counts = await writeEpisodes(this.#dataset, this.#folder, this.#findings, this.#options, {
      write: (episode, { episodeIndex }) => this.#writeEpisode(episode, episodeIndex),
      // Nothing of an episode goes to a shard before all of it is there.
      drop: async () => {},
    })
    const files = await this.#finish()
    for (const file of files) this.#options.onFile?.(file)
    const findings = [...this.#dataset.findings, ...this.#findings.list]
    return { ...counts, files, findings, losses: listSecondSplits(this.#splits) }
  }

  async close(): Promise<void> {
    for (const camera of this.#cameras) await camera.close()
    for (const shards of this.#shards.values()) await shards.abandon()
  }

  async #writeEpisode(episode: Episode, episodeIndex: number): Promise<void> {
    const example = new SpooledExample(this.#workFolder)
    try {
      await this.#collect(example, episode, episodeIndex)
      const [split = noSplit] = episode.splits
      this.#splits.add(episodeIndex, episode.splits)
      await this.#takeShards(split).append(example.describe())
    } finally {
      await example.close()
    }
  }

  async #collect(example: SpooledExample, episode: Episode, episodeIndex: number): Promise<void> {
    await example.addList('episode_metadata/episode_index', 'int64').addIntegers([episodeIndex])
    await example.addList('episode_metadata/file_path', 'bytes').addBytes(Buffer.from(episode.sourceId))
    const cameras = this.#plan.cameras.map(({ key, kind, camera }, index) => ({
      ...{ list: example.addList(key, kind), pictures: this.#cameras[index] as CameraPictures, name: camera.name },
    }))
    const readCamera = async ({ list, pictures, name }: (typeof cameras)[number]) => {
      let count = 0
      for await (const bytes of pictures.read(await episode.openCamera(name))) {
        await list.addBytes(bytes)
        count++
      }
      if (count !== episode.length)
        throw new FormatError('episode_unreadable', `${name} has ${count} pictures for ${episode.length} rows.`)
    }
    // All are waited for, whichever fails: the lists are closed then.
    const ended = await Promise.allSettled([this.#collectRows(example, episode), ...cameras.map(readCamera)])
    for (const part of ended) if (part.status === 'rejected') throw part.reason
  }

  async #collectRows(example: SpooledExample, episode: Episode): Promise<void> {
    const { signal } = this.#options
    const { length, tasks } = episode
    const columns = this.#plan.columns.map((step) => ({ ...step, list: example.addList(step.key, step.kind) }))
    const has = (key: string) => columns.some((step) => step.key === key)
    const instruction = example.addList('steps/language_instruction', 'bytes')
    const flags = (isSet: (frame: number) => boolean) => Array.from({ length }, (_, frame) => Number(isSet(frame)))
    await example.addList('steps/discount', 'float').addFloats(new Float32Array(length).fill(1))
    await example.addList('steps/is_first', 'int64').addIntegers(flags((frame) => frame === 0))
    await example.addList('steps/is_last', 'int64').addIntegers(flags((frame) => frame === length - 1))
    if (!has('steps/is_terminal'))
      await example.addList('steps/is_terminal', 'int64').addIntegers(flags((frame) => frame === length - 1))
    if (!has('steps/reward')) await example.addList('steps/reward', 'float').addFloats(new Float32Array(length))
    let frame = 0
    for await (const block of episode.readBlocks({ ...(signal && { signal }) })) {
      for (const { column, list, add } of columns) await add(list, block.columns.get(column.name) as Values)
      for (let row = 0; row < block.frameCount; row++, frame++)
        await instruction.addBytes(Buffer.from(tasks[block.taskIndex?.[row] ?? 0] ?? ''))
    }
    if (frame !== length) throw new FormatError('episode_unreadable', `it has ${frame} rows instead of ${length}.`)
  }

  #takeShards(split: string): SplitShards {
    const name = split.replaceAll(/[^A-Za-z0-9_]/g, '_')
    const shards = this.#shards.get(name) ?? new SplitShards(name, this.#workFolder, this.#options.shardBytes)
    this.#shards.set(name, shards)
    return shards
  }

  async #finish(): Promise<WrittenFile[]> {
    const { name } = this.#options
    const folder = `${name}/${version}`
    const files: WrittenFile[] = []
    const splits: JsonObject[] = []
    for (const shards of this.#shards.values()) {
      const finished = await shards.finish(this.#folder, folder, name)
      files.push(...finished.files)
      splits.push(finished.described)
    }
    const write = async (path: string, text: string) => {
      await writeFile(await prepareFile(this.#folder, path), text, { flush: true })
      files.push({ path, sizeBytes: Buffer.byteLength(text) })
    }
    for (const [path, value] of this.#dataset.sidecars ?? []) await write(`${folder}/${path}`, formatJson(value))
    await write(`${folder}/features.json`, formatJson(describeSteps(this.#plan)))
    await write(`${folder}/dataset_info.json`, formatJson(describeInfo(name, this.#dataset, splits)))
    return files
  }
}

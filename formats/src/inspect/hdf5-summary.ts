/** The import record's `hdf5_summary`: what HDF5 files hold, bounded and safe to store as JSON. */
import { stat } from 'node:fs/promises'
import type { Hdf5Dataset, Hdf5Node } from '../containers/hdf5/hdf5.ts'
import { joinPath } from '../containers/hdf5/tree.ts'
import { describeCause, FormatError } from '../errors.ts'
import { type FileTree, openFolder } from '../file-tree.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { recognizeFamily } from '../layouts/hdf5/families/index.ts'
import { type Hdf5Files, takeHdf5Files } from '../layouts/hdf5/files.ts'
import type { FilePlan } from '../layouts/hdf5/plan.ts'
import type { Hdf5Source } from '../layouts/hdf5/source.ts'
import { pickSplit } from '../layouts/hdf5/splits.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import { addCandidates, createCandidates, type PreviewCandidates } from './hdf5-candidates.ts'

export interface Hdf5Summary {
  kind: 'hdf5_summary'
  inspected: boolean
  reason: string | null
  size_bytes: number | null
  max_bytes: number | null
  dataset_count: number | null
  group_count: number | null
  datasets: DatasetSummary[]
  groups: { path: string; attrs: JsonObject }[]
  preview_candidates: PreviewCandidates
  preview_assets: JsonObject[]
  episodes: EpisodeSummary[]
  truncated: boolean | null
  root_attrs: JsonObject
}

export interface DatasetSummary {
  path: string
  shape: number[]
  dtype: string
  ndim: number
  size: number
  compression: string | null
  chunks: number[] | null
  attrs: JsonObject
}

export interface EpisodeSummary {
  episode_index: number
  split: string | null
  trajectory_id: string | null
  frames_path: string | null
  group_path: string | null
  length_frames: number | null
  duration_sec: number | null
}

export interface InspectOptions extends OpenOptions {
  /** Larger sources are not looked into. Default 64 GiB. */
  readonly maxBytes?: number
}

const defaultMaxBytes = 64 * 1024 ** 3
const maxListed = 1000
const maxEpisodes = 2000
const maxTextLength = 1000
const maxListLength = 32
const maxAttributes = 64

/** Looks into one HDF5 file, or all of a folder; a refusal is an answer (`inspected` false and a `reason`), not an error. */
export async function inspectHdf5(path: string, options: InspectOptions = {}): Promise<Hdf5Summary> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? false
  return inspectHdf5Tree(await openFolder(path), options, isFile)
}

/** The same for files that are open as a tree; `isOne` leaves the file's name out of the paths. */
export async function inspectHdf5Tree(
  tree: FileTree,
  options: InspectOptions = {},
  isOne = false,
): Promise<Hdf5Summary> {
  const maxBytes = options.maxBytes ?? defaultMaxBytes
  await using files = await takeHdf5Files(tree, options)
  let sizeBytes = 0
  for (const file of files.paths) sizeBytes += (await tree.find(file))?.sizeBytes ?? 0
  const summary = createSummary(sizeBytes, maxBytes)
  if (files.paths.length === 0) return { ...summary, reason: 'There is no HDF5 file.' }
  if (sizeBytes > maxBytes) {
    return { ...summary, reason: `The source has ${sizeBytes} bytes; at most ${maxBytes} are inspected.` }
  }
  const builder = new SummaryBuilder(summary, files, isOne && files.paths.length === 1)
  for (const [index, file] of files.paths.entries()) {
    options.signal?.throwIfAborted()
    await builder.addFile(file)
    options.onProgress?.({ phase: 'inspect', done: index + 1, total: files.paths.length })
  }
  return summary
}

function createSummary(sizeBytes: number, maxBytes: number): Hdf5Summary {
  return {
    kind: 'hdf5_summary',
    inspected: false,
    reason: null,
    size_bytes: sizeBytes,
    max_bytes: maxBytes,
    dataset_count: null,
    group_count: null,
    datasets: [],
    groups: [],
    preview_candidates: createCandidates(),
    preview_assets: [],
    episodes: [],
    truncated: null,
    root_attrs: {},
  }
}

class SummaryBuilder {
  readonly #summary: Hdf5Summary
  readonly #files: Hdf5Files
  readonly #isOne: boolean

  constructor(summary: Hdf5Summary, files: Hdf5Files, isOne: boolean) {
    this.#summary = summary
    this.#files = files
    this.#isOne = isOne
  }

  async addFile(file: string): Promise<void> {
    const summary = this.#summary
    try {
      const source = await this.#files.openSource(file)
      const prefix = this.#isOne ? '' : file
      summary.inspected = true
      summary.truncated ??= false
      this.#addNodes(source.tree.nodes, prefix)
      const attrs = source.tree.find('/')?.attrs ?? {}
      if (prefix === '') summary.root_attrs = cutAttributes(attrs)
      else if (Object.keys(attrs).length > 0 && Object.keys(summary.root_attrs).length < maxAttributes) {
        summary.root_attrs[file] = cutAttributes(attrs)
      }
      const plan = await planQuietly(source, (reason) => this.#giveReason(reason))
      await this.#addEpisodes(source, plan, prefix)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      this.#giveReason(describeCause(error))
    }
  }

  /** The first reason counts; with others unreadable too, one sentence is enough. */
  #giveReason(reason: string): void {
    this.#summary.reason ??= reason
  }

  #addNodes(nodes: readonly Hdf5Node[], prefix: string): void {
    const summary = this.#summary
    let datasets = 0
    for (const node of nodes) {
      if (node.kind === 'dataset') datasets++
      const list: unknown[] = node.kind === 'dataset' ? summary.datasets : summary.groups
      if (list.length >= maxListed) summary.truncated = true
      else if (node.kind === 'dataset') summary.datasets.push(describeDataset(node, prefix))
      else summary.groups.push({ path: prefix + node.path, attrs: cutAttributes(node.attrs) })
    }
    summary.dataset_count = (summary.dataset_count ?? 0) + datasets
    summary.group_count = (summary.group_count ?? 0) + nodes.length - datasets
  }

  async #addEpisodes(source: Hdf5Source, plan: FilePlan | undefined, prefix: string): Promise<void> {
    const summary = this.#summary
    const fps = source.options.fps ?? plan?.fps?.value ?? null
    const first = summary.episodes.length
    for (const episode of plan?.episodes ?? []) {
      if (summary.episodes.length >= maxEpisodes) {
        summary.truncated = true
        break
      }
      const camera = episode.cameras[0]
      const framesPath = camera && camera.form !== 'video-file' ? prefix + joinPath(episode.group, camera.path) : null
      summary.episodes.push({
        episode_index: summary.episodes.length,
        split: pickSplit(episode.splits),
        trajectory_id: episode.sourceId,
        frames_path: framesPath,
        group_path: prefix + episode.group,
        length_frames: episode.length,
        duration_sec: fps === null ? null : episode.length / fps,
      })
    }
    const isWhole = await addCandidates(summary.preview_candidates, source, plan, { prefix, first, fps })
    if (!isWhole) summary.truncated = true
  }
}

/** A file whose episodes cannot be planned is still described. */
async function planQuietly(source: Hdf5Source, giveReason: (reason: string) => void): Promise<FilePlan | undefined> {
  try {
    return await recognizeFamily(source).plan(source)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    giveReason(describeCause(error))
    return undefined
  }
}

function describeDataset(dataset: Hdf5Dataset, prefix: string): DatasetSummary {
  const { shape, dtype, chunks, filters, attrs } = dataset
  const compression = filters.find(({ name }) => name !== 'shuffle' && name !== 'fletcher32')?.name ?? null
  return {
    path: prefix + dataset.path,
    shape: [...shape],
    dtype,
    ndim: shape.length,
    size: shape.reduce((product, size) => product * size, 1),
    compression,
    chunks: chunks && [...chunks],
    attrs: cutAttributes(attrs),
  }
}

function cutAttributes(attrs: Readonly<Record<string, JsonValue>>): JsonObject {
  const entries = Object.entries(attrs).slice(0, maxAttributes)
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(0, 200), cutValue(value)]))
}

function cutValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
  return Array.isArray(value) ? value.slice(0, maxListLength).map(cutValue) : value
}

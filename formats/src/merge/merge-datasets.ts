import { FilePool } from '../bytes.ts'
import { openVideo } from '../containers/video/video.ts'
import type { Dataset, Episode, MergedSource, MixtureWeights, VideoShape } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { type CameraFeature, isCamera, type VideoStream } from '../feature.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import { annotationsPath } from '../steps/annotate.ts'
import { apply as applyRate } from '../steps/rate.ts'
import { findIntact } from './intact-merge.ts'
import { mapDataset } from './map-dataset.ts'
import type { FeatureRange } from './plan-map.ts'
import { type MergePlan, planMerge } from './plan-merge.ts'
import type { SourceMap } from './source-map.ts'

/** A dataset after its own recipe, and how it becomes a part of the merged one. */
export interface MergeInput {
  readonly dataset: Dataset
  readonly title: string
  readonly said: MergedSource
  readonly map?: SourceMap | undefined
  readonly confirm?: readonly string[] | undefined
  readonly ranges?: ReadonlyMap<string, FeatureRange> | undefined
  /** Its share of the frames that a sampler draws. */
  readonly weight?: number | null | undefined
}

/** The episodes of all sources, one source after the other; nothing is read but where each camera's first video says what it is. */
export async function mergeDatasets(
  inputs: readonly MergeInput[],
  taskWeights?: ReadonlyMap<string, number>,
): Promise<Dataset> {
  const described = inputs.map(({ dataset, ...input }) => ({ ...dataset, ...input }))
  const { plan, faults } = planMerge(described)
  const [fault] = faults
  if (!plan)
    throw new FormatError('unsupported', `The datasets cannot be merged: ${fault?.sentence}${placeOf(fault?.path)}.`)
  const mixture = weigh(inputs, taskWeights)
  return { ...(await joinDatasets(inputs, plan)), ...(mixture && { mixture }) }
}

/** Weights of tasks, or of every source. */
function weigh(
  inputs: readonly MergeInput[],
  taskWeights: ReadonlyMap<string, number> | undefined,
): MixtureWeights | undefined {
  if (taskWeights) return { kind: 'tasks', weights: taskWeights }
  const weights = inputs.flatMap(({ weight }) => (typeof weight === 'number' ? [weight] : []))
  if (weights.length === 0) return undefined
  if (weights.length === inputs.length) return { kind: 'sources', weights }
  throw new FormatError('unsupported', 'Every source needs a weight where one has one.')
}

const placeOf = (path: readonly (string | number)[] = []): string =>
  path.length > 0 ? ` (sources.${path.join('.')})` : ''

async function joinDatasets(inputs: readonly MergeInput[], plan: MergePlan): Promise<Dataset> {
  const rated = inputs.map(({ dataset }) => applyRate(dataset, { fps: plan.fps }))
  const streams = await chooseStreams(rated, plan)
  const features = plan.features.map((feature) => {
    const stream = streams.get(feature.name)?.stream
    return isCamera(feature) && stream ? { ...feature, stream } : feature
  })
  const mapped = rated.map((dataset, place) =>
    mapDataset(
      dataset,
      { ...plan, features },
      plan.sources[place] as MergePlan['sources'][number],
      inputs[place]?.map?.tasks,
    ),
  )
  const starts = [0]
  for (const { episodeCount } of mapped) starts.push((starts.at(-1) as number) + episodeCount)
  const getEpisode = (position: number): Episode => {
    const place = starts.findLastIndex((start) => start <= position)
    const source = mapped[place]
    if (!source) throw new RangeError(`there is no episode at position ${position}`)
    const episode = source.getEpisode(position - (starts[place] as number))
    // What is known of the recorded pixels is not what an encoder leaves of them.
    const findCameraStatistics: Episode['findCameraStatistics'] = async (camera) =>
      streams.get(camera)?.encoded.has(place) ? undefined : episode.findCameraStatistics?.(camera)
    return { ...episode, findCameraStatistics, sourcePlace: place }
  }
  const close = async () => {
    for (const { dataset } of inputs) await dataset.close()
  }
  const sidecars = mergeSidecars(mapped, starts)
  const intact = findIntact(rated, plan, (camera) => streams.get(camera)?.encoded ?? new Set())
  return {
    origin: { layout: 'merged', version: '1', details: { sources: mapped.map(({ origin }) => origin.layout) } },
    fps: plan.fps,
    robotType: plan.robotType,
    features,
    ...(plan.roles && { roles: plan.roles }),
    episodeCount: starts.at(-1) as number,
    frameCount: mapped.reduce((sum, { frameCount }) => sum + frameCount, 0),
    ...(mapped.some(({ isCut }) => isCut) && { isCut: true }),
    ...(sidecars.size > 0 && { sidecars }),
    ...(intact && { intact }),
    sources: inputs.map(({ said }) => said),
    findings: mapped.flatMap((dataset) => dataset.findings),
    getEpisode,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** By camera: the stream of the result, and the sources whose frames have to be encoded as it. */
interface ChosenStream {
  readonly stream: VideoStream
  readonly encoded: ReadonlySet<number>
}

/** The stream that most frames have already. All others are encoded as it, so that a camera is one stream. */
async function chooseStreams(sources: readonly Dataset[], plan: MergePlan): Promise<Map<string, ChosenStream>> {
  const chosen = new Map<string, ChosenStream>()
  await using pool = new FilePool()
  for (const camera of plan.features.filter(isCamera)) {
    if (camera.depth || camera.storage !== 'video') continue
    const own: (VideoStream | undefined)[] = []
    const votes = new Map<string, { stream: VideoStream; frames: number }>()
    for (const [place, dataset] of sources.entries()) {
      const theirs = plan.sources[place]?.planned.find(({ name }) => name === camera.name)?.source ?? camera.name
      const stream = await findStream(dataset, theirs, pool)
      own.push(stream)
      if (stream)
        votes.set(nameStream(stream), {
          stream,
          frames: (votes.get(nameStream(stream))?.frames ?? 0) + dataset.frameCount,
        })
    }
    const [most] = [...votes.values()].sort((a, b) => b.frames - a.frames)
    const stream = most?.stream ?? encoded
    const others = own.flatMap((one, place) => (one && nameStream(one) === nameStream(stream) ? [] : [place]))
    chosen.set(camera.name, { stream, encoded: new Set(others) })
  }
  return chosen
}

const nameStream = ({ codec, pixelFormat }: VideoStream): string => `${codec} ${pixelFormat}`

const encoded: VideoStream = { codec: 'av1', pixelFormat: 'yuv420p' }

/** What a source's packets of the camera are; undefined where they are encoded anyway, or in a way that our encoders have not. */
async function findStream(
  dataset: Dataset,
  camera: CameraFeature['name'],
  pool: FilePool,
): Promise<VideoStream | undefined> {
  if (dataset.episodeCount === 0) return undefined
  const known = dataset.intact?.videos.get(camera)?.[0]?.facts
  if (known) return toStream(known)
  try {
    const frames = await dataset.getEpisode(0).openCamera(camera)
    if (frames.kind !== 'packets' || frames.transform) return undefined
    await using video = await openVideo(pool.createSource(frames.file), { name: frames.name ?? frames.file })
    return toStream(video.facts)
  } catch (error) {
    // The writer meets it again, and leaves the episode out by name.
    if (error instanceof FormatError) return undefined
    throw error
  }
}

const toStream = ({ codec, pixelFormat = encoded.pixelFormat }: VideoShape): VideoStream | undefined =>
  (codec === 'av1' || codec === 'h264') && pixelFormat === encoded.pixelFormat ? { codec, pixelFormat } : undefined

/** Annotations under the numbers that the episodes have now; of anything else each source's own, in their order. */
function mergeSidecars(sources: readonly Dataset[], starts: readonly number[]): Map<string, JsonValue> {
  const merged = new Map<string, JsonValue>()
  for (const path of new Set(sources.flatMap(({ sidecars }) => [...(sidecars?.keys() ?? [])]))) {
    const own = sources.map(({ sidecars }, place) => {
      const found = sidecars?.get(path) ?? null
      return path === annotationsPath ? renumber(found, starts[place] as number) : found
    })
    if (path !== annotationsPath) merged.set(path, { sources: own })
    else merged.set(path, { sources: own, episodes: own.flatMap((set, place) => listRows(set, place)) })
  }
  return merged
}

const listRows = (set: JsonValue, place: number): JsonObject[] =>
  isObject(set) && Array.isArray(set.episodes)
    ? set.episodes.filter(isObject).map((row) => ({ ...row, source_index: place }))
    : []

function renumber(set: JsonValue, start: number): JsonValue {
  if (!isObject(set)) return set
  const rows = (Array.isArray(set.episodes) ? set.episodes : []).map((row) =>
    isObject(row) ? { ...row, episode_index: Number(row.episode_index) + start } : row,
  )
  const inherited = Array.isArray(set.inherited) ? { inherited: set.inherited.map((one) => renumber(one, start)) } : {}
  return { ...set, ...inherited, episodes: rows }
}

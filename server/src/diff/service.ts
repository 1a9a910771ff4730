import { BoundedMap } from '@nmp/formats/bounded-map'
import { type DiffSide, diffEpisodes, type EpisodesDiff } from '@nmp/formats/diff/episodes'
import type { FingerprintedFeature } from '@nmp/formats/diff/fingerprints'
import { compareStatistics, type MovedDimension } from '@nmp/formats/diff/statistics'
import type { JsonObject } from '@nmp/formats/json'
import type { Caller } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { findVersion } from '../versions/service.ts'
import { compareRecipes, type DifferingKey } from './compare-recipes.ts'
import { type ComparedTasks, compareTasks } from './compare-tasks.ts'
import type { KeptFingerprints } from './kept-fingerprints.ts'
import { findSideFingerprints, type Preparation, prepareSide } from './runs.ts'
import { openSide } from './sides.ts'

export interface OpenedSide {
  seen: SeenDataset
  model: ReadModel
}

export interface Diff {
  from: OpenedSide
  to: OpenedSide
  tasks: ComparedTasks
  recipe: DifferingKey[]
  /** Undefined until the fingerprints of both are there. */
  content: ContentDiff | undefined
  preparing: (Preparation & { side: 'from' | 'to' })[]
}

export interface ContentDiff {
  episodes: EpisodesDiff
  /** Of each side, as `episodes.features` counts them. */
  features: { from: readonly FingerprintedFeature[]; to: readonly FingerprintedFeature[] }
  /** Names of features that both sides have, in the order of `episodes.features.pairs`. */
  pairs: { from: string; to: string }[]
  moved: MovedDimension[]
  /** Features whose figures one side does not know yet: pictures that an export is still to encode. */
  unknown: string[]
}

export interface DiffRequest {
  from: string
  to: string
  /** Whether a run that failed is tried once more. */
  again: boolean
}

/** From what is stored: read models, and the fingerprints of every episode. Where those are missing they are taken by a job, and said to be. */
export async function diffSides(context: Context, caller: Caller, request: DiffRequest): Promise<Diff> {
  const [from, to] = await Promise.all([
    open(context, caller, 'from', request.from),
    open(context, caller, 'to', request.to),
  ])
  const tasks = compareTasks(from.model, to.model)
  const [before, after] = await Promise.all([from, to].map(({ seen }) => findRecipe(context, seen)))
  const recipe = compareRecipes(before ?? null, after ?? null)
  const [some, others] = await Promise.all([
    findSideFingerprints(context, from.seen),
    findSideFingerprints(context, to.seen),
  ])
  if (some && others) {
    const content = await keepDiff(context, [from, to], () => compare(context, [from, to], [some, others]))
    return { from, to, tasks, recipe, content, preparing: [] }
  }
  const preparing: Diff['preparing'] = []
  if (!some) preparing.push({ side: 'from', ...(await prepareSide(context, caller, from.seen, request.again)) })
  if (!others) preparing.push({ side: 'to', ...(await prepareSide(context, caller, to.seen, request.again)) })
  return { from, to, tasks, recipe, content: undefined, preparing }
}

async function open(context: Context, caller: Caller, side: 'from' | 'to', id: string): Promise<OpenedSide> {
  const seen = await openSide(context, caller, side, id)
  return { seen, model: await getReadModel(context, seen.revision) }
}

async function findRecipe({ db }: Context, { derived, dataset }: SeenDataset): Promise<JsonObject | undefined> {
  const version = derived && (await findVersion(db, dataset.id))
  if (!version?.merge) return version?.recipe as JsonObject | undefined
  const { sources, seed, task_weights, task_samples = null } = version.merge
  // By place and not as a list, so that the key of a source that differs is named: `sources.1.recipe.fps`.
  const told = sources.map(({ source, recipe, map, weight, sample, confirm }, place) => {
    const { dataset_id, revision_id } = source
    return [place, { dataset_id, revision_id, recipe, map, weight, sample, confirm }]
  })
  return { sources: Object.fromEntries(told), seed, task_weights, task_samples } as JsonObject
}

type Both<T> = readonly [from: T, to: T]

async function compare(
  context: Context,
  sides: Both<OpenedSide>,
  [some, others]: Both<KeptFingerprints>,
): Promise<ContentDiff> {
  const [one, other] = await Promise.all(sides.map(({ seen }) => findOrigins(context, seen)))
  const isOneRoot = one !== undefined && one.rootId === other?.rootId
  const toSide = (kept: KeptFingerprints, origins: Origins | undefined): DiffSide => ({
    ...kept,
    ...(isOneRoot && origins && { origins: origins.find(kept.set.lengthFrames.length) }),
  })
  const episodes = await diffEpisodes(toSide(some, one), toSide(others, other))
  const pairs = episodes.features.pairs.map((pair) => ({
    from: some.set.features[pair.from]?.name ?? '',
    to: others.set.features[pair.to]?.name ?? '',
  }))
  const [before, after] = await Promise.all(sides.map((side) => findStatistics(context, side)))
  const moved = compareStatistics(before ?? {}, after ?? {}, pairs)
  const told = new Set(moved.map(({ feature }) => feature))
  const unknown = pairs.flatMap((pair) => (told.has(pair.to) || !isMeasured(before, after, pair) ? [] : pair.to))
  return { episodes, features: { from: some.set.features, to: others.set.features }, pairs, moved, unknown }
}

/** Text has no figures on either side; what one side lacks is not known yet. */
const isMeasured = (
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  pair: { from: string; to: string },
) => (before?.[pair.from] ?? null) !== null || (after?.[pair.to] ?? null) !== null

interface Origins {
  rootId: string
  find(count: number): ArrayLike<number>
}

/** Which stored revision a side's episodes lie in, and under which numbers. */
async function findOrigins(context: Context, { revision, derived }: SeenDataset): Promise<Origins | undefined> {
  if (!derived)
    return { rootId: revision.id, find: (count) => Uint32Array.from({ length: count }, (_, index) => index) }
  const { planned } = derived
  const { kind, id } = planned?.content?.files.owner ?? { kind: '', id: '' }
  if (!planned || kind !== 'revision') return undefined
  const { derivation } = await getReadModel(context, planned)
  return derivation && { rootId: id, find: () => derivation.storedIndex }
}

async function findStatistics(context: Context, { seen, model }: OpenedSide): Promise<JsonObject> {
  const measured = await seen.revision.content?.measureFeatures?.(context)
  return (measured as JsonObject | undefined) ?? model.manifest.feature_statistics
}

const mostKept = 4
const kept = new WeakMap<Context, BoundedMap<string, Promise<ContentDiff>>>()

/** Neither side ever changes, so the next page of the same diff is the same diff. */
function keepDiff(context: Context, sides: Both<OpenedSide>, make: () => Promise<ContentDiff>): Promise<ContentDiff> {
  const known = kept.get(context) ?? new BoundedMap<string, Promise<ContentDiff>>(mostKept)
  kept.set(context, known)
  const key = sides.map(({ seen }) => `${seen.revision.id} ${seen.derived?.planned ? 'planned' : ''}`).join()
  const found = known.get(key) ?? make()
  known.set(key, found)
  found.catch(() => known.delete(key))
  return found
}

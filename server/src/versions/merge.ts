import { createHash } from 'node:crypto'
import { type DescribedSource, type MergePlan, planMerge } from '@nmp/formats/merge/plan-merge'
import { mapTask, type SourceMap } from '@nmp/formats/merge/source-map'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { summarize } from '../datasets/read-model/build.ts'
import { getReadModel } from '../datasets/read-model/cache.ts'
import { describeLengths, orderByLength } from '../datasets/read-model/lengths.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import { findRevision } from '../datasets/service.ts'
import { invalidValue, ValidationError } from '../errors.ts'
import { deriveReadModel } from './derive-read-model.ts'
import { describeModel } from './describe-model.ts'
import { estimateBytes } from './estimate.ts'
import { keepAnnotated } from './find-annotations.ts'
import { selectEpisodes } from './plan.ts'
import { type PlannedRecipe, planSource } from './plan-source.ts'
import { hashRecipe, normalizeRecipe, type Recipe, type RecipeBody } from './recipe.ts'
import { type OpenedSource, openSource, type SourceRequest } from './source.ts'
import { describeSource } from './store-version.ts'
import type { StoredMerge, StoredSource } from './stored-merge.ts'

export interface MergeSourceRequest extends SourceRequest {
  revision_id?: string | null
  recipe?: RecipeBody
  map?: SourceMap
  weight?: number | null
  sample?: number | null
  confirm?: string[]
}

export interface MergeRequest {
  sources: MergeSourceRequest[]
  seed?: number
  task_weights?: Record<string, number>
}

/** One source, planned as a version of its own would be. */
export interface MergePart extends PlannedRecipe {
  asked: MergeSourceRequest
  source: OpenedSource
  /** What its recipe leads to. */
  derived: ReadModel
  described: DescribedSource & { tasks: readonly string[] }
}

export interface PreparedMerge {
  parts: MergePart[]
  plan: MergePlan
  counts: { episodeCount: number; frameCount: number }
  stored: StoredMerge
}

/** Plans every source and all of them together; whatever stands in the way is refused at its place. */
export async function prepareMerge(
  context: Context,
  principal: Principal,
  asked: MergeRequest,
): Promise<PreparedMerge> {
  const parts = await openParts(context, principal, asked)
  const { plan, faults } = planMerge(parts.map(({ described }) => described))
  if (!plan)
    throw new ValidationError(
      faults.slice(0, 20).map(({ path, sentence, input }) => ({
        ...{ loc: ['body', 'sources', ...path], msg: `Value error, ${sentence}`, type: 'value_error' },
        ...{ input, ctx: { error: {} } },
      })),
    )
  checkWeights(asked, parts)
  const counts = {
    episodeCount: parts.reduce((sum, part) => sum + part.plan.episodes.length, 0),
    frameCount: parts.reduce((sum, part) => sum + part.plan.frameCount, 0),
  }
  const stored = {
    seed: asked.seed ?? null,
    task_weights: asked.task_weights ?? null,
    sources: parts.map(packSource),
  }
  return { parts, plan, counts, stored }
}

/** The same without holding them against each other: what a mapping is suggested from. */
export async function openParts(context: Context, principal: Principal, asked: MergeRequest): Promise<MergePart[]> {
  const opened: OpenedSource[] = []
  for (const [place, source] of asked.sources.entries()) opened.push(await openOne(context, principal, source, place))
  const rate = Math.min(
    ...opened.map((source, place) => asked.sources[place]?.recipe?.fps ?? source.rootModel.manifest.fps),
  )
  const parts: MergePart[] = []
  for (const [place, source] of opened.entries()) {
    const request = asked.sources[place] as MergeSourceRequest
    parts.push(await atPlace(place, () => openPart(context, request, source, { rate, seed: asked.seed ?? 0, place })))
  }
  return parts
}

async function openOne(
  context: Context,
  principal: Principal,
  asked: MergeSourceRequest,
  place: number,
): Promise<OpenedSource> {
  const source = await atPlace(place, () => openSource(context, principal, asked))
  const { seen, parent } = source
  const wanted = asked.revision_id
  if (!wanted || wanted === (parent?.id ?? seen.revision.id)) return source
  const path = ['body', 'sources', place, 'revision_id']
  if (parent) throw invalidValue(path, `the source is the version ${parent.id}, which never changes`, wanted)
  const older = await findRevision(context.db, wanted)
  // What was published later says nothing of what came before.
  if (older?.datasetId !== seen.dataset.id || (seen.role === null && !older.isPublic))
    throw invalidValue(path, `the dataset ${seen.dataset.slug} has no such revision`, wanted)
  const rootModel = await getReadModel(context, older)
  return { ...source, seen: { ...seen, revision: older }, root: older, rootModel }
}

/** What is refused of one source is refused at its place among the others. */
async function atPlace<T>(place: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new ValidationError(
      error.detail.map((issue) => {
        const rest = issue.loc.slice(issue.loc[1] === 'source' ? 2 : 1)
        return { ...issue, loc: ['body', 'sources', place, ...rest] }
      }),
    )
  }
}

interface PartSettings {
  rate: number
  seed: number
  place: number
}

async function openPart(
  context: Context,
  asked: MergeSourceRequest,
  source: OpenedSource,
  { rate, seed, place }: PartSettings,
): Promise<MergePart> {
  const own = normalizeRecipe(asked.recipe ?? {})
  const isFaster = (own.fps ?? source.rootModel.manifest.fps) > rate
  const recipe = isFaster ? { ...own, fps: rate } : own
  const whole = await planSource(context, source, recipe)
  const planned = asked.sample
    ? await planSource(context, source, drawEpisodes(whole, asked.sample, seed, place))
    : whole
  const annotations = keepAnnotated(planned.link.annotations, planned.plan)
  const link = { ...planned.link, annotations }
  const derived = deriveReadModel(planned.model, link.recipe, planned.plan, annotations)
  const described = {
    ...describeModel(derived, source.rootModel),
    title: source.seen.dataset.slug,
    map: asked.map,
    confirm: asked.confirm,
  }
  return { asked, source, ...planned, link, derived, described }
}

/** The recipe with as many of its episodes as are wanted: the same ones for the same seed. */
function drawEpisodes({ model, link }: PlannedRecipe, count: number, seed: number, place: number): Recipe {
  const selected = [...selectEpisodes(model, link)]
  if (count > selected.length)
    throw invalidValue(
      ['body', 'sample'],
      `the source has ${selected.length} such episodes, fewer than ${count}`,
      count,
    )
  const rank = (episode: number) => createHash('sha256').update(`${seed} ${place} ${episode}`).digest('hex')
  const drawn = selected
    .map((episode) => ({ episode, rank: rank(episode) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ episode }) => episode)
    .sort((one, other) => one - other)
  return { ...link.recipe, first_n_episodes: null, excluded_episode_indices: null, selected_episode_indices: drawn }
}

function checkWeights({ sources, task_weights: byTask }: MergeRequest, parts: readonly MergePart[]): void {
  const weighed = sources.filter(({ weight }) => typeof weight === 'number')
  if (weighed.length > 0 && byTask)
    throw invalidValue(['body', 'task_weights'], 'weights are given by source or by task, and not by both', byTask)
  if (weighed.length > 0 && weighed.length < sources.length) {
    const place = sources.findIndex(({ weight }) => typeof weight !== 'number')
    throw invalidValue(['body', 'sources', place, 'weight'], 'every source needs a weight where one has one', null)
  }
  if (!byTask) return
  const tasks = new Set(
    parts.flatMap(({ derived, asked }) => listTasks(derived).map((task) => mapTask(task, asked.map?.tasks))),
  )
  for (const task of tasks)
    if (!Object.hasOwn(byTask, task))
      throw invalidValue(['body', 'task_weights'], `the task ${JSON.stringify(task)} has no weight`, byTask)
  for (const task of Object.keys(byTask))
    if (!tasks.has(task))
      throw invalidValue(['body', 'task_weights', task], 'no episode of the result has this task', task)
}

const listTasks = (model: ReadModel): string[] => {
  const texts = new Set<string>()
  for (let episode = 0; episode < model.episodeCount; episode++)
    for (const text of model.listTasksOf(episode)) texts.add(text)
  return [...texts]
}

function packSource({ asked, source, link, plan }: MergePart): StoredSource {
  const { ancestors, seen, root } = source
  const pinned = { ...link.recipe, annotation_set_version: link.annotations?.header.annotation_set_version ?? null }
  const own = { ...link, recipe: pinned, recipeDigest: hashRecipe(pinned) }
  const earlier = ancestors.map(({ recipe, recipeDigest, annotations, cuts, checks }) => {
    return { recipe, recipeDigest, annotations, cuts, checks }
  })
  return {
    source: describeSource(asked, source),
    source_org_id: seen.org.id,
    root_revision_id: root.id,
    recipe: pinned,
    links: [...earlier, own],
    parents: ancestors.map(({ ancestorId }) => ancestorId),
    foreign: ancestors.filter(({ orgId, sourceOrgId }) => orgId !== sourceOrgId).map(({ datasetId }) => datasetId),
    map: asked.map ?? {},
    confirm: asked.confirm ?? [],
    weight: asked.weight ?? null,
    sample: asked.sample ?? null,
    episode_count: plan.episodes.length,
    frame_count: plan.frameCount,
  }
}

/** What lists and the catalog tell of it, from those of its sources. */
export async function summarizeMerge(
  context: Context,
  { parts, plan, counts }: PreparedMerge,
): Promise<RevisionSummary> {
  const [first] = parts as [MergePart, ...MergePart[]]
  let sizeBytes = 0
  for (const { source, stored } of parts)
    sizeBytes += await estimateBytes(context, source.root, source.rootModel, stored)
  const { manifest } = first.derived
  const lengths = Uint32Array.from(parts.flatMap((part) => [...part.plan.lengths]))
  const cameras = manifest.cameras.flatMap((camera) => {
    const ours = plan.sources[0]?.planned.find(({ source }) => source === camera.key)?.name
    return ours === undefined ? [] : [{ ...camera, key: ours }]
  })
  const tasks = [
    ...new Set(
      parts.flatMap(({ derived, asked }) => derived.manifest.tasks.map((task) => mapTask(task, asked.map?.tasks))),
    ),
  ]
  return summarize({
    ...manifest,
    robot_type: plan.robotType,
    fps: plan.fps,
    total_episodes: counts.episodeCount,
    total_frames: counts.frameCount,
    total_tasks: tasks.length,
    tasks: tasks.slice(0, 100),
    cameras,
    statistics: describeLengths(lengths, orderByLength(lengths), plan.fps),
    size_bytes: sizeBytes,
  })
}

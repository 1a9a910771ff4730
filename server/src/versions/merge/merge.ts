import { setImmediate } from 'node:timers/promises'
import { drawEpisodes, type RankedEpisode } from '@nmp/formats/merge/draw'
import { planMap } from '@nmp/formats/merge/plan-map'
import { type DescribedSource, type MergePlan, planMerge } from '@nmp/formats/merge/plan-merge'
import { type MergeFault, mapTask } from '@nmp/formats/merge/source-map'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { summarize } from '../../datasets/read-model/build.ts'
import { describeLengths, orderByLength } from '../../datasets/read-model/lengths.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { RevisionSummary } from '../../datasets/revision-summary.ts'
import { invalidValue, ValidationError } from '../../errors.ts'
import { deriveReadModel } from '../derive/derive-read-model.ts'
import { estimateBytes } from '../estimate.ts'
import { keepAnnotated } from '../plan/find-annotations.ts'
import { selectEpisodes } from '../plan/plan.ts'
import { type PlannedRecipe, planSource } from '../plan/plan-source.ts'
import { hashRecipe, normalizeRecipe, type Recipe } from '../recipe/recipe.ts'
import type { OpenedSource } from '../source.ts'
import { describeSource } from '../store-version.ts'
import { describeModel } from './describe-model.ts'
import { findEncoded } from './merged-codecs.ts'
import { atPlace, type MergeEntry, type MergeSourceRequest, openEntries } from './open-entries.ts'
import type { StoredMerge, StoredSource } from './stored-merge.ts'

export interface MergeRequest {
  sources: MergeSourceRequest[]
  seed?: number
  task_weights?: Record<string, number>
  task_samples?: Record<string, number>
}

/** One source, planned as a version of its own would be. */
export interface MergePart extends PlannedRecipe, Pick<MergeEntry, 'place' | 'whole'> {
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
        ...{ loc: ['body', 'sources', ...locate(parts, path)], msg: `Value error, ${sentence}`, type: 'value_error' },
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
    task_samples: asked.task_samples ?? null,
    sources: parts.map(packSource),
  }
  return { parts, plan, counts, stored }
}

/** The same without holding them against each other: what a mapping is suggested from. */
export async function openParts(context: Context, principal: Principal, asked: MergeRequest): Promise<MergePart[]> {
  const seed = asked.seed ?? 0
  const entries = await openEntries(context, principal, asked.sources, seed)
  const rate = Math.min(...entries.map(({ request, source }) => request.recipe?.fps ?? source.rootModel.manifest.fps))
  const parts: MergePart[] = []
  for (const entry of entries) {
    parts.push(await atPlace(entry.place, () => openPart(context, entry, { rate, seed })))
    // Other requests wait for one source, not for all.
    await setImmediate()
  }
  refuseLosses(entries, parts, asked.sources)
  return asked.task_samples ? drawTasks(context, parts, asked.task_samples, seed) : parts
}

/** The same with as many episodes of a task as are wanted, whichever sources they are from. */
async function drawTasks(
  context: Context,
  parts: readonly MergePart[],
  samples: Record<string, number>,
  seed: number,
): Promise<MergePart[]> {
  const byTask = new Map<string, RankedEpisode[]>()
  const kept = parts.map(() => new Set<number>())
  for (const [place, { plan, derived, asked }] of parts.entries())
    for (const [position, episode] of plan.episodes.entries()) {
      // An episode that is cut into several is of the task of its first part.
      if (position > 0 && plan.episodes[position - 1] === episode) continue
      const task = mapTask(derived.listTasksOf(position)[0] ?? '', asked.map?.tasks)
      if (Object.hasOwn(samples, task)) byTask.set(task, [...(byTask.get(task) ?? []), { place, episode }])
      else kept[place]?.add(episode)
    }
  for (const [task, count] of Object.entries(samples)) {
    const all = byTask.get(task) ?? []
    if (count > all.length)
      throw invalidValue(
        ['body', 'task_samples', task],
        `${all.length} episodes of the result begin with this task, fewer than ${count}`,
        count,
      )
    for (const { place, episode } of drawEpisodes(all, count, seed)) kept[place]?.add(episode)
  }
  const drawn: MergePart[] = []
  for (const [place, part] of parts.entries()) {
    const selected = [...(kept[place] ?? [])].sort((one, other) => one - other)
    if (selected.length === 0)
      throw invalidValue(
        ['body', 'sources', part.place],
        'none of its episodes is drawn: leave the source out, take more of its tasks, or another seed',
        part.asked.dataset_id,
      )
    const planned = await planSource(context, part.source, selectDrawn(part, selected))
    drawn.push(finishPart(part, planned))
  }
  return drawn
}

/** A fault in the words of the request, in which a version of several sources has one place. */
const locate = (parts: readonly MergePart[], [part, ...path]: MergeFault['path']): (string | number)[] =>
  part === undefined ? [] : [parts[Number(part)]?.place ?? part, ...path]

/** What a version of several sources had not must be said of the others too, and is not left out of them unasked. */
function refuseLosses(
  entries: readonly MergeEntry[],
  parts: readonly MergePart[],
  sources: readonly MergeSourceRequest[],
): void {
  const said = new Set(sources.flatMap(({ map }) => Object.keys(map?.features ?? {})))
  for (const { place, lacking } of entries)
    for (const { place: other, described } of parts) {
      const { features } = planMap(described.features, described.map ?? {}).mapped
      const lost = place === other ? undefined : features.find(({ name }) => lacking.includes(name) && !said.has(name))
      if (lost)
        throw invalidValue(
          ['body', 'sources', place, 'map', 'features', lost.name],
          `the version has no ${lost.name}, which source ${other} (${described.title}) has: map one of its features to it, fill it with a constant, or leave it out with null`,
          null,
        )
    }
}

interface PartSettings {
  rate: number
  seed: number
}

async function openPart(
  context: Context,
  { request: asked, source, place, whole: version }: MergeEntry,
  { rate, seed }: PartSettings,
): Promise<MergePart> {
  const own = normalizeRecipe(asked.recipe ?? {})
  const isFaster = (own.fps ?? source.rootModel.manifest.fps) > rate
  const recipe = isFaster ? { ...own, fps: rate } : own
  const whole = await planSource(context, source, recipe)
  const planned = asked.sample
    ? await planSource(context, source, selectSample(whole, asked.sample, seed, place))
    : whole
  return finishPart({ place, whole: version, asked, source }, planned)
}

function finishPart(
  { place, whole, asked, source }: Pick<MergePart, 'place' | 'whole' | 'asked' | 'source'>,
  planned: PlannedRecipe,
): MergePart {
  const annotations = keepAnnotated(planned.link.annotations, planned.plan)
  const link = { ...planned.link, annotations }
  const derived = deriveReadModel(planned.model, link.recipe, planned.plan, annotations)
  const described = {
    ...describeModel(derived, source.rootModel),
    title: source.seen.dataset.slug,
    map: asked.map,
    confirm: asked.confirm,
  }
  return { place, whole, asked, source, ...planned, link, derived, described }
}

/** The recipe with as many of its episodes as are wanted. */
function selectSample(planned: PlannedRecipe, count: number, seed: number, place: number): Recipe {
  const selected = [...selectEpisodes(planned.model, planned.link)]
  if (count > selected.length)
    throw invalidValue(
      ['body', 'sample'],
      `the source has ${selected.length} such episodes, fewer than ${count}`,
      count,
    )
  const drawn = drawEpisodes(
    selected.map((episode) => ({ place, episode })),
    count,
    seed,
  )
  return selectDrawn(
    planned,
    drawn.map(({ episode }) => episode).sort((one, other) => one - other),
  )
}

const selectDrawn = ({ link }: PlannedRecipe, drawn: number[]): Recipe => ({
  ...link.recipe,
  first_n_episodes: null,
  excluded_episode_indices: null,
  selected_episode_indices: drawn,
})

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
  const encoded = findEncoded(
    parts.map(({ stored }) => stored),
    plan,
  )
  for (const [place, { source, stored }] of parts.entries()) {
    const own = { encoded: encoded[place], isFurther: place > 0 }
    sizeBytes += (await estimateBytes(context, source.root, source.rootModel, stored, own)).bytes
  }
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

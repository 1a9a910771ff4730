import { composeMaps } from '@nmp/formats/merge/compose-maps'
import { drawEpisodes } from '@nmp/formats/merge/draw'
import type { MergePlan } from '@nmp/formats/merge/plan-merge'
import type { MergeFault, SourceMap } from '@nmp/formats/merge/source-map'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { getReadModel } from '../../datasets/read-model/cache.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { findRevision } from '../../datasets/service.ts'
import { invalidValue, ServiceError, ValidationError } from '../../errors.ts'
import { findChecks } from '../plan/find-checks.ts'
import { selectEpisodes } from '../plan/plan.ts'
import { normalizeRecipe, type Recipe, type RecipeBody } from '../recipe/recipe.ts'
import { findMergedVersion, type MergedVersion, type OpenedSource, openSource, type SourceRequest } from '../source.ts'
import { composeTime, type Part, remedy } from './compose-time.ts'
import { describeModel } from './describe-model.ts'
import { deriveChain, planStoredMerge } from './merged-model.ts'
import type { StoredSource } from './stored-merge.ts'

export interface MergeSourceRequest extends SourceRequest {
  revision_id?: string | null
  recipe?: RecipeBody
  map?: SourceMap
  weight?: number | null
  sample?: number | null
  confirm?: string[]
}

/** What was asked for as one source, or one of the sources of the version that was. */
export interface MergeEntry {
  /** Of the request, among the others. */
  place: number
  request: MergeSourceRequest
  source: OpenedSource
  /** The version that it is a part of. */
  whole: SeenDataset | null
  /** What the version that it is a part of had not, whatever its own sources have. */
  lacking: readonly string[]
}

/** Every source that was asked for; one that is a version of several is what it was made of. */
export async function openEntries(
  context: Context,
  principal: Principal,
  sources: readonly MergeSourceRequest[],
  seed: number,
): Promise<MergeEntry[]> {
  const entries: MergeEntry[] = []
  for (const [place, request] of sources.entries()) {
    const merged = await atPlace(place, () => findMergedVersion(context, principal, request))
    if (merged) entries.push(...(await openMerged({ context, principal, request, place, seed }, merged)))
    else
      entries.push({
        place,
        request,
        source: await openOne(context, principal, request, place),
        whole: null,
        lacking: [],
      })
  }
  if (entries.length > mostSources)
    throw invalidValue(
      ['body', 'sources'],
      `versions among them have sources of their own, which are ${entries.length} together, and at most ${mostSources} can be merged`,
      sources.length,
    )
  return entries
}

const mostSources = 64

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
export async function atPlace<T>(place: number, work: () => Promise<T>): Promise<T> {
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

interface Asking {
  context: Context
  principal: Principal
  request: MergeSourceRequest
  place: number
  seed: number
}

/** The sources of a merged version as if they had been asked for themselves: recipes, maps and choices of episodes in a row become one. */
async function openMerged(asking: Asking, { seen, version }: MergedVersion): Promise<MergeEntry[]> {
  const { context, principal, request, place } = asking
  const at = (...path: (string | number)[]) => ['body', 'sources', place, ...path]
  if (request.revision_id && request.revision_id !== version.id)
    throw invalidValue(
      at('revision_id'),
      `the source is the version ${version.id}, which never changes`,
      request.revision_id,
    )
  const recipe = normalizeRecipe(request.recipe ?? {})
  for (const key of ofTheWhole)
    if (recipe[key] !== null) throw invalidValue(at('recipe', key), `${cannot} ${key}: ${remedy}`, recipe[key])
  const models = []
  for (const { root_revision_id: id, links } of version.merge.sources) {
    const revision = await findRevision(context.db, id)
    if (!revision)
      throw new ServiceError('conflict', 'A source of this version was deleted, so nothing can be derived from it.')
    const root = await getReadModel(context, revision)
    models.push({ root, derived: deriveChain(root, links) })
  }
  const plan = planStoredMerge(models, version.merge)
  const chosen = await chooseEpisodes(asking, seen, recipe)
  const parts = divide(version.merge.sources, models, chosen)
  const total = parts.reduce((sum, { frameCount }) => sum + frameCount, 0)
  const entries: MergeEntry[] = []
  for (const part of parts) {
    const { stored, frameCount } = part
    const second = keepCameras(plan, recipe, request.map ?? {}, at)
    const composed = composeMaps({ theirs: part.features, first: stored.map, ours: plan.features, second })
    if ('sentence' in composed) throw refuse(composed, at)
    const own: MergeSourceRequest = {
      dataset_kind: stored.source.dataset_kind,
      dataset_id: stored.source.dataset_id,
      revision_id: stored.source.revision_id,
      recipe: { ...composeRecipes(part, recipe, at), ...composeTime(part, recipe, at) },
      map: composed.map,
      weight: request.weight ? (request.weight * frameCount) / total : null,
      confirm: [...new Set([...stored.confirm, ...(request.confirm ?? [])])],
    }
    const source = await openOne(context, principal, own, place).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
      throw invalidValue(
        at('dataset_id'),
        `you may not read ${stored.source.title}, one of the sources of this version: ${remedy}`,
        request.dataset_id,
      )
    })
    entries.push({ place, request: own, source, whole: seen, lacking: composed.lacking })
  }
  return entries
}

/** What would have to be known of all sources together, or be done after their maps. */
const ofTheWhole = ['action', 'features', 'annotation_set_id'] as const
const cannot = 'this version has several sources, and a recipe of it cannot say'

const refuse = ({ path, sentence, input }: MergeFault, at: (...path: (string | number)[]) => (string | number)[]) =>
  invalidValue(at('map', ...path), sentence, input)

/** Every episode that the recipe names, and where. */
function listNamed({ selected_episode_indices, excluded_episode_indices, trim, split }: Recipe) {
  const lists = Object.entries({ selected_episode_indices, excluded_episode_indices }).flatMap(([key, episodes]) =>
    (episodes ?? []).map((episode, position) => ({ episode, path: [key, position] })),
  )
  const keyed = (path: string[], byEpisode: object | null | undefined) =>
    Object.keys(byEpisode ?? {}).map((episode) => ({ episode: Number(episode), path: [...path, episode] }))
  return [...lists, ...keyed(['trim', 'ranges'], trim?.ranges), ...keyed(['split'], split)]
}

/** In numbers of the version. */
async function chooseEpisodes(
  { context, request, place, seed }: Asking,
  seen: SeenDataset,
  recipe: Recipe,
): Promise<number[]> {
  const model = await getReadModel(context, seen.revision)
  const at = (...path: (string | number)[]) => ['body', 'sources', place, ...path]
  for (const { episode, path } of listNamed(recipe))
    if (episode >= model.episodeCount)
      throw invalidValue(
        at('recipe', ...path),
        `there is no episode ${episode}; the version has ${model.episodeCount}`,
        episode,
      )
  const checks = await findChecks(context, seen, recipe)
  const chosen = [...selectEpisodes(model, { recipe, annotations: null, checks })]
  if (chosen.length === 0) throw invalidValue(at('recipe'), 'no episode is left', null)
  if (!request.sample) return chosen
  if (request.sample > chosen.length)
    throw invalidValue(
      at('sample'),
      `the source has ${chosen.length} such episodes, fewer than ${request.sample}`,
      request.sample,
    )
  const ranked = chosen.map((episode) => ({ place, episode }))
  return drawEpisodes(ranked, request.sample, seed)
    .map(({ episode }) => episode)
    .sort((one, other) => one - other)
}

/** What is chosen of each source; sources of which nothing is are left away. */
function divide(
  sources: readonly StoredSource[],
  models: readonly { derived: ReadModel; root: ReadModel }[],
  chosen: readonly number[],
): Part[] {
  let start = 0
  return models.flatMap(({ derived, root }, place): Part[] => {
    const [first, end] = [start, start + derived.episodeCount]
    const own = chosen.filter((episode) => episode >= first && episode < end).map((episode) => episode - first)
    start = end
    if (own.length === 0) return []
    const frameCount = own.reduce((sum, episode) => sum + (derived.columns.lengthFrames[episode] as number), 0)
    const { features } = describeModel(derived, root)
    return [{ stored: sources[place] as StoredSource, root, derived, start: first, features, chosen: own, frameCount }]
  })
}

/** The map without the cameras that the recipe does not name: it speaks of them before the map does. */
function keepCameras(
  { features }: MergePlan,
  { camera_keys: keys }: Recipe,
  map: SourceMap,
  at: (...path: (string | number)[]) => (string | number)[],
): SourceMap {
  if (!keys || keys.length === 0) return map
  const cameras = features.filter(({ kind }) => kind === 'camera').map(({ name }) => name)
  for (const [place, key] of keys.entries())
    if (!cameras.includes(key))
      throw invalidValue(
        at('recipe', 'camera_keys', place),
        `there is no camera ${key}: the version has ${cameras.join(', ') || 'none'}`,
        key,
      )
  const dropped = cameras.filter((name) => !keys.includes(name)).map((name) => [name, null] as const)
  return { ...map, cameras: { ...map.cameras, ...Object.fromEntries(dropped) } }
}

/** The source's own recipe with the chosen episodes, at the lower rate, and with what is done to pictures. */
function composeRecipes(
  { stored, derived, chosen }: Part,
  recipe: Recipe,
  at: (...path: (string | number)[]) => (string | number)[],
): RecipeBody {
  const { sourceIndex } = derived.columns
  const numbers = new Set(chosen.map((episode) => sourceIndex[episode] as number))
  const whole = sourceIndex.filter((number) => numbers.has(number)).length
  if (whole !== chosen.length)
    throw invalidValue(
      at('recipe'),
      `an episode that was split when the version was made can only be taken whole: ${remedy}`,
      null,
    )
  const { recipe: own } = stored
  const changesPictures = recipe.crop !== null || recipe.resize !== null
  if (changesPictures && (own.crop !== null || own.resize !== null))
    throw invalidValue(
      at('recipe', recipe.crop ? 'crop' : 'resize'),
      `pictures of ${stored.source.title} were cropped or resized when the version was made: ${remedy}`,
      recipe.crop ?? recipe.resize,
    )
  const fps = recipe.fps === null ? own.fps : Math.min(recipe.fps, own.fps ?? recipe.fps)
  return {
    ...own,
    where: null,
    excluded_episode_indices: null,
    first_n_episodes: null,
    selected_episode_indices: [...numbers].sort((one, other) => one - other),
    fps,
    ...(changesPictures && { crop: recipe.crop, resize: recipe.resize }),
    notes: recipe.notes ?? own.notes,
  }
}

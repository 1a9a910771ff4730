import { countKept, type KeptRanges, listKept } from '@nmp/formats/frame-ranges'
import type { CutPart } from '@nmp/formats/steps/cut'
import { planParts } from '@nmp/formats/steps/plan-cuts'
import type { Context } from '../../context.ts'
import type { ReadModelPlace } from '../../datasets/read-model/cache.ts'
import { findStoredFrame } from '../../datasets/read-model/derivation.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { invalidValue, ValidationError, type ValidationIssue } from '../../errors.ts'
import { planChain } from '../chain.ts'
import { getColumn } from '../derive/source-columns.ts'
import { packPart, type StoredCuts } from '../recipe/cuts.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { asksForTime } from '../recipe/recipe-time.ts'
import { findIdle } from './find-idle.ts'
import { type PlannedLink, selectEpisodes } from './plan.ts'
import { keepTimed } from './plan-frames.ts'

/** What is stored, and the recipes that lead from there to what a recipe speaks of. */
export interface CutSource {
  place: ReadModelPlace
  root: ReadModel
  earlier: readonly PlannedLink[]
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
}

/**
 * Which frames a recipe keeps, found once: a version holds the answer, and everything that is made of it follows. Refuses at its
 * place what the dataset does not have. Null where the recipe says nothing of time.
 */
export async function resolveCuts(
  context: Context,
  source: CutSource,
  { recipe, annotations, checks }: Omit<PlannedLink, 'cuts'>,
): Promise<StoredCuts | null> {
  const isTimed = recipe.fps !== null || (recipe.action?.shift_frames ?? 0) !== 0
  if (!asksForTime(recipe) && !isTimed) return null
  const { source: model } = planChain(source.root, source.earlier, { recipe, annotations, checks, cuts: null })
  checkTime(model, recipe)
  const selected = selectEpisodes(model, { recipe, annotations, checks })
  const { trim } = recipe
  const named = trim?.ranges ?? {}
  // What a person says of an episode comes before the rule.
  const byRule = Array.from(selected).filter((index) => !Object.hasOwn(named, index))
  const moving = trim?.idle ? await findIdle(context, { ...source, model }, trim.idle, byRule) : new Map()
  const episodes: StoredCuts['episodes'] = []
  for (const index of selected) {
    const own = named[index] as KeptRanges | undefined
    const ranges: KeptRanges | undefined = own ?? moving.get(index)
    const split = recipe.split?.[index]
    if (!ranges && !split && !(isTimed && model.listTasksOf(index).length > 1)) continue
    if (ranges?.length === 0) {
      episodes.push({ episode_index: index, parts: [] })
      continue
    }
    const length = model.columns.lengthFrames[index] as number
    const inside = (own ? trim?.inside : trim?.idle?.inside) ?? 'drop'
    const parts = planParts({ length, ranges, split, inside })
    requireFrames(parts, index)
    const told = await nameTasks(context, source, model, index, { parts, recipe })
    if (told.length > 1 || countKept(told[0]?.ranges ?? []) < length || told[0]?.task || told[0]?.tasks)
      episodes.push({ episode_index: index, parts: told.map(packPart) })
  }
  if (episodes.length === selected.length && episodes.every(({ parts }) => parts.length === 0))
    throw invalidValue(
      ['body', 'recipe', 'trim', 'idle'],
      'no frame is left: by this rule the robot is still in every frame of every episode; use a lower threshold or a longer min_idle_frames',
      recipe.trim?.idle,
    )
  return episodes.length > 0 ? { episodes } : null
}

function checkTime(model: ReadModel, { trim, split }: Recipe): void {
  const issues: ValidationIssue[] = []
  const refuse = (path: (string | number)[], sentence: string, input: unknown): void => {
    if (issues.length >= maxIssues) return
    const loc = ['body', 'recipe', ...path]
    issues.push({ loc, msg: `Value error, ${sentence}`, type: 'value_error', input, ctx: { error: {} } })
  }
  const requireEpisode = (path: string[], episode: string, input: unknown): number | undefined => {
    if (model.hasEpisode(Number(episode))) return model.columns.lengthFrames[Number(episode)]
    const known = `the dataset has ${model.episodeCount}, numbered from 0`
    refuse([...path, episode], `there is no episode ${episode}: ${known}`, input)
    return undefined
  }
  for (const [episode, ranges] of Object.entries(trim?.ranges ?? {})) {
    const length = requireEpisode(['trim', 'ranges'], episode, ranges)
    for (const [place, range] of ranges.entries())
      if (length !== undefined && (range[1] as number) > length)
        refuse(['trim', 'ranges', episode, place], `episode ${episode} ends at frame ${length}`, range)
  }
  for (const [episode, { at }] of Object.entries(split ?? {})) {
    const length = requireEpisode(['split'], episode, at)
    for (const [place, cut] of at.entries())
      if (length !== undefined && cut >= length)
        refuse(
          ['split', episode, 'at', place],
          `episode ${episode} has the frames 0 to ${length - 1}, and a part begins after the first`,
          cut,
        )
  }
  if (issues.length > 0) throw new ValidationError(issues)
}

const maxIssues = 20

/** A part that is all trimmed away is a mistake in one of the two. */
function requireFrames(parts: readonly CutPart[], episode: number): void {
  const empty = parts.findIndex(({ ranges }) => ranges.length === 0)
  if (empty < 0) return
  const loc = ['body', 'recipe', 'split', String(episode)]
  const msg = `Value error, part ${empty + 1} of episode ${episode} has no frame: trim keeps none of its frames`
  throw new ValidationError([{ loc, msg, type: 'value_error', input: null, ctx: { error: {} } }])
}

/** Of an episode with several tasks, which ones the frames of each part have: the rows say so. */
async function nameTasks(
  context: Context,
  { place, root }: CutSource,
  model: ReadModel,
  episode: number,
  { parts, recipe }: { parts: readonly CutPart[]; recipe: Recipe },
): Promise<CutPart[]> {
  const { taskStarts } = model.columns
  const taskCount = (taskStarts[episode + 1] as number) - (taskStarts[episode] as number)
  if (taskCount <= 1) return [...parts]
  const feature = { name: 'task_index', dtype: 'int64', shape: [1], names: null } as const
  const rows = await getColumn(context, place, root, { ...feature, shape: [1] })
  const stored = model.derivation?.storedIndex[episode] ?? episode
  const start = root.columns.fromIndex[stored] as number
  return parts.map((part) => {
    if (typeof part.task === 'string') return part
    const used = new Set<string>()
    for (const frame of listKept(keepTimed(part.ranges, model.manifest.fps, recipe)))
      used.add(root.getTask(Number(rows[start + findStoredFrame(model.derivation, episode, frame)])))
    return used.size > 0 && used.size < taskCount ? { ...part, tasks: [...used] } : part
  })
}

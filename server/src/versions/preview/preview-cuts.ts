import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { invalidValue } from '../../errors.ts'
import { planChain } from '../chain.ts'
import { countResult } from '../plan/count-result.ts'
import { findAnnotations } from '../plan/find-annotations.ts'
import { findChecks } from '../plan/find-checks.ts'
import { findRests } from '../plan/find-idle.ts'
import { selectEpisodes } from '../plan/plan.ts'
import { resolveCuts } from '../plan/resolve-cuts.ts'
import type { StoredCuts } from '../recipe/cuts.ts'
import { normalizeRecipe } from '../recipe/recipe.ts'
import { openSource } from '../source.ts'
import type { PreviewRequest } from './preview.ts'

type CutsRequest = Pick<PreviewRequest, 'source' | 'recipe' | 'episode_index'>

/** Which frames a recipe keeps, and nothing that has to be measured on them: fast enough to follow a slider. */
export async function previewCuts(context: Context, principal: Principal, asked: CutsRequest, signal: AbortSignal) {
  const { seen, ancestors, root, rootModel } = await openSource(context, principal, asked.source)
  const recipe = normalizeRecipe(asked.recipe)
  const annotations = await findAnnotations(context, seen, recipe)
  const asking = { recipe, annotations, checks: await findChecks(context, seen, recipe) }
  const source = { place: root, root: rootModel, earlier: ancestors, signal }
  const cuts = await resolveCuts(context, source, asking)
  const { source: model, plan } = planChain(rootModel, ancestors, { ...asking, cuts })
  const selected = selectEpisodes(model, asking)
  const counts = countResult(model, plan, selected)
  const index = asked.episode_index
  if (index === null || index === undefined) return { ...counts, episode: null }
  if (!model.hasEpisode(index))
    throw invalidValue(
      ['body', 'episode_index'],
      `there is no episode ${index}: the dataset has ${model.episodeCount}, numbered from 0`,
      index,
    )
  const length = model.columns.lengthFrames[index] as number
  const isSelected = selected.includes(index)
  const rests = recipe.trim?.idle && (await findRests(context, { ...source, model }, recipe.trim.idle, index))
  return {
    ...counts,
    episode: {
      episode_index: index,
      length_frames: length,
      is_selected: isSelected,
      parts: isSelected ? listParts(cuts, index, length) : [],
      rests: rests ? { ranges: rests.runs.map(([from, to]) => [from, to]), threshold: rests.threshold } : null,
    },
  }
}

function listParts(cuts: StoredCuts | null, index: number, length: number) {
  const stored = cuts?.episodes.find(({ episode_index }) => episode_index === index)
  if (!stored) return [{ ranges: [[0, length]], task: null }]
  return stored.parts.map(({ ranges, task }) => ({
    ranges: ranges.map(([from, to]) => [from, to]),
    task: task ?? null,
  }))
}

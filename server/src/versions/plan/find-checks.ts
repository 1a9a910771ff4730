import type { RuleFacts } from '@nmp/formats/checks/rule'
import { findRule, viewRule } from '../../checks/report-view.ts'
import { openChecks, partOf } from '../../checks/service.ts'
import { subjectOf } from '../../checks/subject.ts'
import type { Context } from '../../context.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { invalidValue } from '../../errors.ts'
import type { Recipe } from '../recipe/recipe.ts'
import type { StoredChecks } from '../recipe/stored-checks.ts'

/** Refuses at its place a rule that cannot be asked for, and one that has no results. Null where the recipe does not ask. */
export async function findChecks(context: Context, seen: SeenDataset, recipe: Recipe): Promise<StoredChecks | null> {
  const asked = Object.entries(recipe.where?.checks ?? {})
  if (asked.length === 0) return null
  const opened = await openChecks(context, seen)
  const results: StoredChecks['results'] = {}
  let episodes = Array.from({ length: seen.revision.summary.total_episodes }, (_, index) => index)
  for (const [id, wanted] of asked) {
    const refuse = (sentence: string) => invalidValue(['body', 'recipe', 'where', 'checks', id], sentence, wanted)
    const rule = requireRule(id, refuse)
    const part = partOf(id)
    const report = opened.reports[part]
    if (!report)
      throw refuse(
        `there are no results of ${id}: run the checks ${part === 'pictures' ? 'with pictures ' : ''}first, and wait for their end`,
      )
    const { episodes: found, cutOff, needsRun, failed } = viewRule(report, rule, opened.settings.cutOffs[id])
    if (failed !== null) throw refuse(`the rule gave no result: ${failed}`)
    if (needsRun)
      throw refuse(`the results of ${id} are of another cut-off than ${cutOff}, which is set: run the checks again`)
    const isFound = new Set(found)
    episodes = episodes.filter((index) => isFound.has(index) === (wanted === 'present'))
    results[id] = { rule_set_version: report.ruleSetVersion, cut_off: cutOff }
  }
  return { subject_id: subjectOf(seen).id, results, episodes }
}

function requireRule(id: string, refuse: (sentence: string) => Error): RuleFacts {
  const rule = findRule(id)
  if (!rule) throw refuse(`there is no rule ${id}: GET /api/v1/checks/rules lists them`)
  if (rule.kind === 'ranking') throw refuse(`${id} is a ranking, which finds nothing by itself`)
  if (rule.isOfSet) throw refuse(`${id} tells of the whole set and not of its episodes`)
  return rule
}

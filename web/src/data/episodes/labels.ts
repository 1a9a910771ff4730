import { queryOptions } from '@tanstack/react-query'
import { curationOf } from '../curation.ts'
import type { Manifest } from '../dataset.ts'
import { noCondition, type Recipe } from '../recipe/recipe-draft.ts'

type Where = NonNullable<Recipe['where']>
export type Label = { name: string; count: number }

/** What an annotation set says, and of how many episodes: the labels that a recipe can select by. */
export const labelsQuery = (dataset: Manifest, setId: string | null, version: number | null) =>
  queryOptions({
    queryKey: ['annotation-labels', setId, version],
    queryFn: async ({ signal }) => {
      const { item } = await curationOf(dataset).getWholeSet(setId ?? '', version, { signal })
      const [tags, tasks] = [new Map<string, number>(), new Map<string, number>()]
      const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
      let [successes, failures] = [0, 0]
      for (const { success, tags: own, task } of item.episodes) {
        if (success === true) successes++
        if (success === false) failures++
        for (const tag of own) count(tags, tag)
        if (task) count(tasks, task)
      }
      return { successes, failures, tags: listCounts(tags), tasks: listCounts(tasks) }
    },
    enabled: setId !== null,
    staleTime: 60_000,
  })

/** Most frequent first. */
const listCounts = (counts: Map<string, number>): Label[] =>
  [...counts].map(([name, count]) => ({ name, count })).sort((one, other) => other.count - one.count)

/** A condition that asks for nothing is left out of the recipe. */
export function changeWhere(where: Recipe['where'], change: Partial<Where>): Recipe['where'] {
  const next = { ...noCondition, ...where, ...change }
  for (const key of ['tags_any', 'tasks_any', 'splits_any'] as const) if (next[key]?.length === 0) next[key] = null
  if (next.checks && Object.keys(next.checks).length === 0) next.checks = null
  return Object.values(next).some((asked) => asked !== null) ? next : null
}

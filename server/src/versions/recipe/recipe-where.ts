import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '../../http/schemas.ts'
import type { StoredAnnotations } from './annotations.ts'

const maybe = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))
const words = (maxLength: number, description: string) =>
  maybe(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: 1000, description }))

/** A further condition on the episodes of a recipe: by their splits, and by what its annotation set says of them. */
export const whereBody = Type.Object(
  {
    success: maybe(
      Type.Boolean({
        description: 'Only episodes that the annotation set calls a success, or only those it does not.',
      }),
    ),
    tags_any: words(200, 'Only episodes to which the annotation set gives one of these tags; all if empty.'),
    tasks_any: words(10_000, 'Only episodes to which the annotation set gives one of these task texts; all if empty.'),
    splits_any: maybe(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        description: 'Only episodes in one of these splits; all if empty.',
      }),
    ),
    checks: maybe(
      Type.Record(Type.String({ maxLength: 100 }), oneOf(['present', 'absent']), {
        description:
          'By rule of the checks: only episodes in which it found something (`present`), or nothing (`absent`), by the results stored when the version is made.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'A further condition on selected episodes: all keys must hold. Labels are those of `annotation_set_id` at `annotation_set_version`.',
  },
)

const texts = nullable(Type.Array(Type.String()))
export const whereRecord = Type.Object({
  success: nullable(Type.Boolean()),
  tags_any: texts,
  tasks_any: texts,
  splits_any: texts,
  checks: nullable(Type.Record(Type.String(), oneOf(['present', 'absent']))),
})
export type WhereRecipe = Static<typeof whereRecord>

export const normalizeWhere = (asked: Static<typeof whereBody> | null | undefined): WhereRecipe | null =>
  asked
    ? {
        success: asked.success ?? null,
        tags_any: asked.tags_any ?? null,
        tasks_any: asked.tasks_any ?? null,
        splits_any: asked.splits_any ?? null,
        checks: asked.checks ?? null,
      }
    : null

const lists = ['tags_any', 'tasks_any', 'splits_any'] as const

/** For the digest of a recipe: nothing where nothing is asked for, lists as sets. */
export function listWhereMeaning(asked: WhereRecipe | null): { where?: object } {
  const meaning = Object.fromEntries([
    ...(asked && asked.success !== null ? [['success', asked.success] as const] : []),
    ...(asked?.checks && Object.keys(asked.checks).length > 0
      ? [['checks', Object.entries(asked.checks).sort()] as const]
      : []),
    ...lists.flatMap((key) => (asked?.[key]?.length ? [[key, [...new Set(asked[key])].sort()] as const] : [])),
  ])
  return Object.keys(meaning).length > 0 ? { where: meaning } : {}
}

/** Keys that an annotation set is needed for. */
export const listLabelKeys = (asked: Static<typeof whereBody> | null | undefined) => [
  ...(typeof asked?.success === 'boolean' ? (['success'] as const) : []),
  ...(['tags_any', 'tasks_any'] as const).filter((key) => asked?.[key]?.length),
]

/** The episodes that have the labels asked for; undefined where none are. */
export function listLabelled(asked: WhereRecipe | null, annotations: StoredAnnotations | null): number[] | undefined {
  if (listLabelKeys(asked).length === 0) return undefined
  const { success = null, tags_any: tags, tasks_any: tasks } = asked ?? {}
  return (annotations?.episodes ?? []).flatMap(({ episode_index: index, task, rest }) => {
    const own = Array.isArray(rest.tags) ? rest.tags : []
    const isWanted =
      (success === null || rest.success === success) &&
      (!tags?.length || tags.some((tag) => own.includes(tag))) &&
      (!tasks?.length || (task !== null && tasks.includes(task)))
    return isWanted ? [index] : []
  })
}

/** Words that no episode of the whole set has: a mistyped one would silently leave out what was meant. */
export function findUnknownLabels(
  asked: WhereRecipe | null,
  { episodes }: StoredAnnotations,
): { key: 'tags_any' | 'tasks_any'; place: number; word: string; sentence: string }[] {
  const tags = new Set(episodes.flatMap(({ rest }) => (Array.isArray(rest.tags) ? rest.tags : [])))
  const tasks = new Set(episodes.map(({ task }) => task))
  const find = (key: 'tags_any' | 'tasks_any', known: ReadonlySet<unknown>, what: string) =>
    (asked?.[key] ?? []).flatMap((word, place) =>
      known.has(word)
        ? []
        : [{ key, place, word, sentence: `no episode of the annotation set has the ${what} ${word}` }],
    )
  return [...find('tags_any', tags, 'tag'), ...find('tasks_any', tasks, 'task')]
}

import { isObject, type JsonObject, type JsonValue } from '@nmp/formats/json'
import { writeCanonicalJson } from '../canonical-json.ts'

export interface DifferingKey {
  /** As in `trim.idle.threshold`. */
  key: string
  from: JsonValue
  to: JsonValue
}

const mostEntries = 50
/** As `sources.1.map.features.action.unit` lies. */
const deepest = 5

/** Keys of recipes whose values differ, and those that only one has; null stands for a dataset, which has no recipe. Notes say nothing. */
export function compareRecipes(from: JsonObject | null, to: JsonObject | null): DifferingKey[] {
  const [before, after] = [flatten(from ?? {}), flatten(to ?? {})]
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((key) => {
    const [one, other] = [before.get(key) ?? null, after.get(key) ?? null]
    if (key === 'notes' || writeCanonicalJson(one) === writeCanonicalJson(other)) return []
    return [{ key, from: shorten(one), to: shorten(other) }]
  })
}

/** Empty lists, objects and nulls say what a missing key says. */
function flatten(value: JsonObject, prefix = '', depth = 0): Map<string, JsonValue> {
  const found = new Map<string, JsonValue>()
  for (const [name, inner] of Object.entries(value)) {
    const key = prefix + name
    const isEmpty = inner === null || (Array.isArray(inner) && inner.length === 0)
    if (isEmpty || inner === undefined) continue
    if (isObject(inner) && depth < deepest && Object.keys(inner).length <= mostEntries)
      for (const [path, leaf] of flatten(inner, `${key}.`, depth + 1)) found.set(path, leaf)
    else found.set(key, inner)
  }
  return found
}

/** A list of a hundred thousand numbers is told by its length. */
function shorten(value: JsonValue): JsonValue {
  if (Array.isArray(value) && value.length > mostEntries) return { count: value.length }
  if (isObject(value) && Object.keys(value).length > mostEntries) return { count: Object.keys(value).length }
  return value
}

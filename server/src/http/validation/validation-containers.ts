import { type Check, checkAt, invalid, isEnough, plural, report, type Trail } from './validation-issues.ts'
import { checkStorableText } from './validation-scalars.ts'

type JsonObject = Record<string, unknown>

const isObject = (input: unknown): input is JsonObject =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

export const compileList = (checkElement: Check, minItems = 0, maxItems = Infinity): Check => {
  return (input, trail) => {
    if (!Array.isArray(input)) return report(trail, 'list_type', 'Input should be a valid list', input)
    const actual = input.length
    if (actual > maxItems) {
      const msg = `List should have at most ${plural(maxItems, 'item')} after validation, not ${actual}`
      return report(trail, 'too_long', msg, input, { field_type: 'List', max_length: maxItems, actual_length: actual })
    }
    const before = trail.issues.length
    const values: unknown[] = []
    for (const [index, element] of input.entries()) {
      if (isEnough(trail)) return invalid
      values.push(checkAt(checkElement, index, element, trail))
    }
    if (trail.issues.length > before) return invalid
    if (actual < minItems) {
      const msg = `List should have at least ${plural(minItems, 'item')} after validation, not ${actual}`
      return report(trail, 'too_short', msg, input, { field_type: 'List', min_length: minItems, actual_length: actual })
    }
    return values
  }
}

export interface Field {
  name: string
  check: Check
  required: boolean
  /** Makes the value of an absent field; none: the field stays absent. */
  makeDefault: (() => unknown) | undefined
}

/** What becomes of keys that no field names: left out, refused, or checked and kept. */
export type Extras = 'ignore' | 'forbid' | Check

/** Reads one field of a model or of a part of the request into `target`. */
export const readField = (field: Field, raw: unknown, whole: unknown, target: JsonObject, trail: Trail): void => {
  if (raw === undefined) {
    if (field.makeDefault) target[field.name] = field.makeDefault()
    else if (field.required) {
      trail.loc.push(field.name)
      report(trail, 'missing', 'Field required', whole)
      trail.loc.pop()
    }
    return
  }
  const value = checkAt(field.check, field.name, raw, trail)
  if (value !== invalid) target[field.name] = value
}

export const compileModel = (fields: readonly Field[], extras: Extras): Check => {
  const names = new Set(fields.map((field) => field.name))
  const readExtra = typeof extras === 'function' ? createEntryReader(checkStorableKey, extras) : undefined
  return (input, trail) => {
    if (!isObject(input)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from'
      return report(trail, 'model_attributes_type', msg, input)
    }
    const before = trail.issues.length
    const target: JsonObject = {}
    for (const field of fields) {
      readField(field, Object.hasOwn(input, field.name) ? input[field.name] : undefined, input, target, trail)
    }
    if (extras !== 'ignore') {
      for (const key of Object.keys(input)) {
        if (isEnough(trail)) return invalid
        if (names.has(key) || key === '__proto__') continue
        if (extras === 'forbid') {
          checkAt(
            (value) => report(trail, 'extra_forbidden', 'Extra inputs are not permitted', value),
            key,
            input[key],
            trail,
          )
        } else readExtra?.(key, input, target, trail)
      }
    }
    return trail.issues.length > before ? invalid : target
  }
}

const checkStorableKey: Check = (key, trail) => checkStorableText(key as string, trail)

const createEntryReader =
  (checkKey: Check, check: Check) =>
  (key: string, input: JsonObject, target: JsonObject, trail: Trail): void => {
    const before = trail.issues.length
    trail.loc.push(key)
    checkAt(checkKey, '[key]', key, trail)
    const value = check(input[key], trail)
    trail.loc.pop()
    if (trail.issues.length === before) target[key] = value
  }

/** A map from free keys to values. `__proto__` is left out: set on an object it would change the object's own nature. */
export const compileDict = (
  checkKey: Check | undefined,
  check: Check,
  minProperties = 0,
  maxProperties = Infinity,
): Check => {
  const readEntry = createEntryReader(checkKey ?? checkStorableKey, check)
  return (input, trail) => {
    if (!isObject(input)) return report(trail, 'dict_type', 'Input should be a valid dictionary', input)
    const before = trail.issues.length
    const target: JsonObject = {}
    for (const key of Object.keys(input)) {
      if (isEnough(trail)) return invalid
      if (key !== '__proto__') readEntry(key, input, target, trail)
    }
    if (trail.issues.length > before) return invalid
    const actual = Object.keys(target).length
    if (actual < minProperties) {
      const msg = `Dictionary should have at least ${plural(minProperties, 'item')} after validation, not ${actual}`
      const ctx = { field_type: 'Dictionary', min_length: minProperties, actual_length: actual }
      return report(trail, 'too_short', msg, input, ctx)
    }
    if (actual > maxProperties) {
      const msg = `Dictionary should have at most ${plural(maxProperties, 'item')} after validation, not more`
      const ctx = { field_type: 'Dictionary', max_length: maxProperties, actual_length: null }
      return report(trail, 'too_long', msg, input, ctx)
    }
    return target
  }
}

/** Any JSON, copied into fresh objects, as long as PostgreSQL can store it. Depth is bounded by `parseJsonBody`. */
export const checkAnything: Check = (input, trail) => {
  if (typeof input === 'string') return checkStorableText(input, trail)
  if (typeof input === 'number' && !Number.isFinite(input)) {
    return report(trail, 'finite_number', 'Input should be a finite number', input)
  }
  if (Array.isArray(input)) return checkAnyList(input, trail)
  return isObject(input) ? checkAnyDict(input, trail) : input
}

const checkAnyList = compileList(checkAnything)
const checkAnyDict = compileDict(undefined, checkAnything)

export const compileNullable =
  (check: Check): Check =>
  (input, trail) =>
    input === null ? null : check(input, trail)

export interface Member {
  /** Stands in `loc` between the field and the error, as pydantic names the member. */
  name: string
  check: Check
}

/** A value that needed no coercion wins; among objects the one that used the most fields; else the first. */
const rankOf = (input: unknown, value: unknown): number => {
  if (value === input) return Infinity
  return isObject(value) ? Object.keys(value).length : 0
}

export const compileUnion =
  (members: readonly Member[]): Check =>
  (input, trail) => {
    const issues: Trail['issues'] = []
    let best: unknown = invalid
    let bestRank = -1
    for (const { name, check } of members) {
      const attempt: Trail = { loc: [...trail.loc, name], issues: [] }
      const value = check(input, attempt)
      if (value === invalid) issues.push(...attempt.issues)
      else if (rankOf(input, value) > bestRank) {
        best = value
        bestRank = rankOf(input, value)
      }
    }
    if (best === invalid) {
      for (const issue of issues) trail.issues.push(issue)
    }
    return best
  }

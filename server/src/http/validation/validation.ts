import type { Static, TSchema } from 'typebox'
import type { ValidationIssue } from '../../errors.ts'
import { readField } from './validation-containers.ts'
import { boundInputs, type Check, invalid, report, type Trail } from './validation-issues.ts'
import { compileCheck, compileDefault, compileFields, isNullable, isOptional, takesList } from './validation-schema.ts'

/** The schemas of one route. `params`, `query` and `headers` are objects whose properties are the parameters. */
export interface RequestSchemas {
  params?: TSchema | undefined
  query?: TSchema | undefined
  headers?: TSchema | undefined
  body?: TSchema | undefined
}

export interface RawRequest {
  params: Readonly<Record<string, string | undefined>>
  /** The text after `?`, or its decoded pairs. Of a repeated key the last value counts, all of them for a list. */
  query: string | Iterable<readonly [string, string]>
  /** Names in lower case, as Node gives them. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** What `parseJsonBody` gave. */
  body: unknown
  /** Tells an absent body from the JSON `null`. */
  bodyPresent: boolean
}

type StaticOr<S, Fallback> = S extends TSchema ? Static<S> : Fallback

export interface ValidRequest<S extends RequestSchemas> {
  ok: true
  params: StaticOr<S['params'], Record<string, never>>
  query: StaticOr<S['query'], Record<string, never>>
  headers: StaticOr<S['headers'], Record<string, never>>
  body: StaticOr<S['body'], undefined>
}

export type RequestResult<S extends RequestSchemas> = ValidRequest<S> | { ok: false; detail: ValidationIssue[] }

type Values = Record<string, unknown>
type ReadPart<Raw> = (raw: Raw, trail: Trail) => Values

/** Finds the raw value of one parameter: `undefined` when it was not sent. */
type Find<Raw> = (raw: Raw, name: string, isList: boolean) => unknown

const compilePart = <Raw>(schema: TSchema | undefined, part: string, find: Find<Raw>): ReadPart<Raw> => {
  if (schema === undefined) return () => ({})
  const properties = (schema as { properties?: Record<string, TSchema> }).properties ?? {}
  const fields = compileFields(schema, part).map((field) => ({
    field,
    isList: takesList(properties[field.name] ?? {}),
  }))
  return (raw, trail) => {
    const target: Values = {}
    trail.loc.push(part)
    for (const { field, isList } of fields) readField(field, find(raw, field.name, isList), null, target, trail)
    trail.loc.pop()
    return target
  }
}

const findParam: Find<RawRequest['params']> = (params, name) => (Object.hasOwn(params, name) ? params[name] : undefined)

const findQuery: Find<ReadonlyMap<string, string[]>> = (query, name, isList) => {
  const values = query.get(name)
  return isList ? values : values?.at(-1)
}

const findHeader: Find<RawRequest['headers']> = (headers, name, isList) => {
  const key = name.toLowerCase()
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined
  if (value === undefined) return undefined
  const values = Array.isArray(value) ? value : [value]
  return isList ? values : values[0]
}

const groupQuery = (query: RawRequest['query']): Map<string, string[]> => {
  const grouped = new Map<string, string[]>()
  if (query === '') return grouped
  for (const [key, value] of typeof query === 'string' ? new URLSearchParams(query) : query) {
    const values = grouped.get(key)
    if (values) values.push(value)
    else grouped.set(key, [value])
  }
  return grouped
}

const compileBody = (schema: TSchema | undefined): ((raw: RawRequest, trail: Trail) => unknown) => {
  if (schema === undefined) return () => undefined
  const check: Check = compileCheck(schema, 'body')
  const makeDefault = compileDefault(schema) ?? (isNullable(schema) ? () => null : undefined)
  const mayBeAbsent = isOptional(schema)
  return (raw, trail) => {
    trail.loc.push('body')
    let value: unknown
    if (raw.bodyPresent) value = check(raw.body, trail)
    else if (makeDefault) value = makeDefault()
    else if (!mayBeAbsent) value = report(trail, 'missing', 'Field required', null)
    trail.loc.pop()
    return value === invalid ? undefined : value
  }
}

/**
 * Makes the check of a route's requests: every error of path, query, headers and body together, in FastAPI's order and words
 * (pydantic v2, lax), and on success fresh values that hold nothing the schemas do not name.
 *
 * A walk over the schema and not Ajv: pydantic's coercions depend on the value ("5" is an integer in a body too, null never is),
 * so Ajv would need a coercing walk before it and a translation after it. Measured on Node 24 without that translation: a query
 * of five parameters 1.7 us (here 1.9), a recipe with 200 indices 11 us (here 5, since Ajv writes into what it reads and needs a
 * copy), compiling the fifteen golden routes 76 ms (here 1.3).
 */
export const compileRequestSchemas = <const S extends RequestSchemas>(
  schemas: S,
): ((raw: RawRequest) => RequestResult<S>) => {
  const readParams = compilePart(schemas.params, 'path', findParam)
  const readQuery = compilePart(schemas.query, 'query', findQuery)
  const readHeaders = compilePart(schemas.headers, 'header', findHeader)
  const readBody = compileBody(schemas.body)
  const noQuery: ReadonlyMap<string, string[]> = new Map()
  return (raw) => {
    const trail: Trail = { loc: [], issues: [] }
    const params = readParams(raw.params, trail)
    const query = readQuery(schemas.query === undefined ? noQuery : groupQuery(raw.query), trail)
    const headers = readHeaders(raw.headers, trail)
    const body = readBody(raw, trail)
    if (trail.issues.length > 0) return { ok: false, detail: boundInputs(trail.issues) }
    return { ok: true, params, query, headers, body } as unknown as ValidRequest<S>
  }
}

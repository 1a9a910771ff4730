/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: (string | number | boolean | null)[]
  const?: string | number | boolean | null
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  'x-always-present'?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  description?: string
  default?: unknown
}

interface RawParameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface RawOperation {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  security?: unknown[]
  'x-session-only'?: boolean
  'x-pat-scopes'?: string[]
  parameters?: RawParameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

export interface OpenApi {
  paths: Record<string, Record<string, RawOperation>>
  components: { schemas: Record<string, Schema> }
}

export interface Parameter {
  name: string
  required: boolean
  description: string | undefined
  schema: Schema
}

export interface Operation {
  id: string
  /** Where the method stands in the client: `client.imports`. */
  group: string
  /** Begins the names of its types; the id, unless two operations share it. */
  typeName: string
  method: string
  path: string
  summary: string
  description: string | undefined
  access: string
  pathNames: string[]
  query: Parameter[]
  headers: Parameter[]
  body: Schema | undefined
  /** The JSON of a success, or bytes. */
  answer: Schema | 'bytes'
  paging: 'cursor' | 'offset' | undefined
  /** What a page is a list of. */
  pagedItem: Schema | undefined
  /** Whether repeating the call does nothing more than calling it once. */
  repeatable: boolean
  /** A key in this place makes the call repeatable. */
  keyPlace: 'body' | undefined
}

/** Nouns that share a tag with others, by what stands in the path; first match wins. */
const groupsByPath: [RegExp, string][] = [
  [/\/(export-jobs|artifacts)(\/|$)/, 'exports'],
  [/\/(flags|annotation-sets|reviews|robots|robot-choices)(\/|$)/, 'curation'],
  [/\/(derived-dataset-versions|recipe-drafts)(\/|$)/, 'versions'],
  [/\/notifications(\/|$)/, 'notifications'],
  [/\/api\/v1\/uploads(\/|$)/, 'uploads'],
  [/\/api\/v1\/events(\/|$)/, 'events'],
  [/\/api\/v1\/media(\/|$)/, 'media'],
]
const groupsByTag: Record<string, string> = {
  'Users and tokens': 'users',
  'Project datasets': 'datasets',
}

/** Headers that belong to HTTP rather than to an operation; a call's options may carry them. */
const plainHttp = /^(authorization|range|if-range|if-none-match|if-match|if-modified-since|last-event-id)$/i

/** A PUT that makes a new version each time. */
const newVersionPuts = /\/(annotation-sets|recipe-drafts)\/\{\w+\}$/
/** POST routes that answer the same again: reads with a body, and changes to a state that may hold already. */
const repeatablePosts = /\/(cancel|lookup|preview|check|read|restore|sign-out|export-jobs)$/

/** What the contract leaves optional and our answers always hold is required for those who read them. */
export const readContract = (text: string): OpenApi =>
  JSON.parse(text, (_, value) =>
    Array.isArray(value?.['x-always-present'])
      ? { ...value, required: [...(value.required ?? []), ...value['x-always-present']] }
      : value,
  )

export const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export function listOperations(api: OpenApi): Operation[] {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => readOperation(api, method.toUpperCase(), path, raw)),
  )
  for (const [index, operation] of operations.entries()) {
    const first = operations.findIndex(({ id }) => id === operation.id)
    if (first === index) continue
    process.stderr.write(
      `openapi.json: ${operation.id} names both ${operations[first]?.path} and ${operation.path}; give one another id.\n`,
    )
    operation.typeName = upperFirst(operation.group) + upperFirst(operation.id)
  }
  return operations
}

function readOperation(api: OpenApi, method: string, path: string, raw: RawOperation): Operation {
  const parameters = (place: string): Parameter[] =>
    (raw.parameters ?? [])
      .filter((parameter) => parameter.in === place && !plainHttp.test(parameter.name))
      .map(({ name, required = false, description, schema = {} }) => ({ name, required, description, schema }))
  const body = raw.requestBody?.content['application/json']?.schema
  const success = Object.entries(raw.responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = success?.content?.['application/json']?.schema ?? 'bytes'
  const query = parameters('query')
  const keyPlace = 'idempotency_key' in propertiesOf(api, body) && !path.endsWith('/lookup') ? 'body' : undefined
  return {
    id: raw.operationId,
    group: findGroup(path, raw.tags?.[0] ?? 'platform'),
    typeName: upperFirst(raw.operationId),
    method,
    path,
    summary: raw.summary ?? raw.operationId,
    description: raw.description,
    access: describeAccess(raw),
    pathNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
    query,
    headers: parameters('header'),
    body,
    answer,
    ...(answer === 'bytes' ? { paging: undefined, pagedItem: undefined } : findPaging(api, query, answer)),
    repeatable: isRepeatable(method, path),
    keyPlace,
  }
}

function isRepeatable(method: string, path: string): boolean {
  if (method === 'POST') return repeatablePosts.test(path)
  if (method === 'PUT') return !newVersionPuts.test(path)
  return method !== 'PATCH'
}

const findGroup = (path: string, tag: string): string =>
  groupsByPath.find(([pattern]) => pattern.test(path))?.[1] ??
  groupsByTag[tag] ??
  tag.toLowerCase().replaceAll(' ', '_')

function describeAccess(raw: RawOperation): string {
  if (raw['x-session-only']) return 'session only'
  const scopes = raw['x-pat-scopes']
  return scopes && (raw.security?.length ?? 0) > 0
    ? `session, or token with ${scopes.join(' and ')}`
    : 'no credential needed'
}

function resolve(api: OpenApi, schema: Schema | undefined): Schema {
  if (!schema?.$ref) return schema ?? {}
  const name = schema.$ref.split('/').at(-1) ?? ''
  const found = api.components.schemas[name]
  if (!found) throw new Error(`openapi.json: ${schema.$ref} is named and not there.`)
  return resolve(api, found)
}

/** The properties of an object, those of all members of a union or intersection together. */
function propertiesOf(api: OpenApi, schema: Schema | undefined): Record<string, Schema> {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = resolve(api, schema)
  return Object.assign({}, properties, ...[...anyOf, ...oneOf, ...allOf].map((member) => propertiesOf(api, member)))
}

function findPaging(api: OpenApi, query: Parameter[], answer: Schema): Pick<Operation, 'paging' | 'pagedItem'> {
  const names = query.map(({ name }) => name)
  const fields = propertiesOf(api, answer)
  if (names.includes('cursor') && fields.items && fields.next_cursor)
    return { paging: 'cursor', pagedItem: fields.items.items }
  const page = propertiesOf(api, fields.item)
  if (names.includes('offset') && page.items && page.total) return { paging: 'offset', pagedItem: page.items.items }
  return { paging: undefined, pagedItem: undefined }
}

/** `listImports` pages, `iterateImports` walks over all pages. */
export const iteratorName = (id: string): string => `iterate${id.replace(/^(list|browse|get)/, '')}`

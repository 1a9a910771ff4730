import type { TSchema } from 'typebox'
import { type ErrorCode, statusOf } from '../../errors.ts'
import { type AnyRoute, needsCredential, tagDescriptions, tags } from '../route.ts'

type Json = Record<string, unknown>

const reasons: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Queued',
  206: 'The requested range',
  304: 'Not modified',
  400: 'The request is malformed',
  401: 'No credential, or an invalid one',
  403: 'The credential or role does not allow this',
  404: 'Not found, or in an organization you do not belong to',
  409: 'It conflicts with the present state',
  412: 'A precondition failed',
  413: 'The body is too large',
  415: 'The body is not JSON',
  416: 'The range is outside the object',
  422: 'The request fails validation',
  429: 'Too many requests; see Retry-After',
  431: 'The address and headers together are larger than 16 KiB',
  503: 'Not ready; try again',
}

const errorBody: Json = {
  type: 'object',
  required: ['detail', 'code', 'request_id'],
  properties: {
    detail: { type: 'string', description: 'A sentence that says what is wrong and what to do.' },
    code: { type: 'string', description: 'A stable code for programs.' },
    request_id: { type: 'string' },
  },
}

const validationBody: Json = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
          msg: { type: 'string' },
          type: { type: 'string' },
          input: {},
          ctx: { type: 'object' },
        },
      },
    },
  },
}

/** The contract as OpenAPI 3.1, made from the routes alone. TypeBox schemas are JSON Schema already, so nothing is translated. */
export function describeApi(routes: readonly AnyRoute[], version: string): Json {
  const components = new Map<string, Json>()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    paths[route.path] = { ...operations, [route.method.toLowerCase()]: describeOperation(route, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'nmp',
      version,
      summary: 'The robot-data platform',
      description:
        'Import robot demonstrations, look at them, derive curated versions and export them as LeRobot v3 datasets. Bodies are JSON: a single object is `{item}`, a list `{items}`; a field without a value is null; times are RFC 3339 in UTC.',
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The installation that serves this document' }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      schemas: {
        Error: errorBody,
        HTTPValidationError: validationBody,
        ...Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A session JWT of the identity provider, or a personal access token (`nmp_…`) with the scopes named in `x-pat-scopes`.',
        },
      },
    },
  }
}

function describeOperation(route: AnyRoute, components: Map<string, Json>): Json {
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...describeSecurity(route),
    parameters: [
      ...describeParameters('path', route.params, components),
      ...describeParameters('query', route.query, components),
      ...describeParameters('header', route.headers, components),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !('default' in route.body),
            content: { 'application/json': { schema: refer(route.body, components) } },
          },
        }
      : {}),
    responses: describeResponses(route, components),
  }
}

function describeSecurity({ credentials }: AnyRoute): Json {
  if (credentials === 'none') return { security: [] }
  if (credentials === 'optional') return { security: [{}, { bearer: [] }] }
  if (credentials === 'session') return { security: [{ bearer: [] }], 'x-session-only': true }
  return { security: [{ bearer: [] }], 'x-pat-scopes': credentials }
}

function describeParameters(place: string, schema: TSchema | undefined, components: Map<string, Json>): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    const isRequired = place === 'path' || (required.includes(name) && !('default' in property))
    return {
      name,
      in: place,
      required: isRequired,
      ...(description ? { description } : {}),
      schema: refer(rest, components),
    }
  })
}

function describeResponses(route: AnyRoute, components: Map<string, Json>): Json {
  const status = route.status ?? 200
  const success =
    route.response === 'bytes'
      ? { description: 'The bytes', content: { '*/*': { schema: {} } } }
      : {
          description: reasons[status],
          content: {
            'application/json': { schema: refer(route.response, components) },
            ...Object.fromEntries((route.otherTypes ?? []).map((type) => [type, { schema: {} }])),
          },
        }
  const refusals = Object.fromEntries(
    listRefusals(route).map((code) => [
      code,
      {
        description: reasons[code] ?? 'Refused',
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${code === 422 ? 'HTTPValidationError' : 'Error'}` },
          },
        },
      },
    ]),
  )
  return { [status]: success, ...describeOthers(route, success), ...refusals }
}

/** What else is no refusal: a part, nothing new, and what an earlier request under the same key has made. */
function describeOthers({ headers, status }: AnyRoute, success: Json): Json {
  const { properties: sent = {} } = (headers ?? {}) as { properties?: Record<string, unknown> }
  return {
    ...('range' in sent ? { 206: { ...success, description: reasons[206] } } : {}),
    ...('if-none-match' in sent || 'if-modified-since' in sent ? { 304: { description: reasons[304] } } : {}),
    ...('idempotency-key' in sent && (status ?? 200) !== 200 ? { 200: { ...success, description: reasons[200] } } : {}),
  }
}

/** Every status a route may refuse with: what its credentials, access rule and body imply, and what it names itself. */
export function listRefusals(route: AnyRoute): number[] {
  const codes: ErrorCode[] = ['validation_failed', 'too_many_requests', ...(route.errors ?? [])]
  if (needsCredential(route)) codes.push('unauthenticated', 'session_required')
  if (route.access.kind === 'org' || route.access.kind === 'project')
    codes.push('not_found', 'insufficient_role', 'two_step_required')
  if (route.body) codes.push('body_too_large', 'unsupported_media_type')
  // A long query is a long first line, which counts with the headers.
  if (route.query) codes.push('headers_too_large')
  return [...new Set(codes.map(statusOf))].sort((a, b) => a - b)
}

/** A schema with an `$id` becomes a component, once; inside it the same holds for its parts. */
function refer(schema: unknown, components: Map<string, Json>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => refer(part, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, contractRequires, ...rest } = schema as Json
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, refer(value, components)]))
  // A field with a default may be left out, whatever TypeBox's static type says.
  if (Array.isArray(inner.required) && inner.properties)
    Object.assign(
      inner,
      Array.isArray(contractRequires)
        ? {
            required: contractRequires,
            'x-always-present': inner.required.filter((name) => !contractRequires.includes(name)),
          }
        : {
            required: inner.required.filter(
              (name) => !('default' in ((rest.properties as Record<string, Json>)[name] ?? {})),
            ),
          },
    )
  if (typeof $id !== 'string') return inner
  components.set($id, inner)
  return { $ref: `#/components/schemas/${$id}` }
}

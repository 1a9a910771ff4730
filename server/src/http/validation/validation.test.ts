import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { schemas } from '../../../test/golden/validation/schemas.ts'
import { ValidationError, type ValidationIssue } from '../../errors.ts'
import { parseJsonBody } from '../bodies/json-body.ts'
import { compileRequestSchemas, type RawRequest } from './validation.ts'

interface GoldenCase {
  schema: string
  request: { params: Record<string, string>; query: string; headers: Record<string, string>; body: string | null }
  status: 200 | 422
  body: unknown
}

const casesFile = new URL('../../../test/golden/validation/cases.json', import.meta.url)
const cases: GoldenCase[] = JSON.parse(readFileSync(casesFile, 'utf8'))
const validators = new Map(Object.entries(schemas).map(([name, parts]) => [name, compileRequestSchemas(parts)]))

const answer = (schema: string, request: GoldenCase['request']): { status: number; body: unknown } => {
  const validate = validators.get(schema)
  if (!validate) throw new Error(`schemas.ts has no counterpart of ${schema}`)
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  try {
    const body = request.body === null ? undefined : parseJsonBody(Buffer.from(request.body))
    const result = validate({ ...request, headers, body, bodyPresent: request.body !== null })
    if (!result.ok) return { status: 422, body: { detail: result.detail } }
    const { params, query, body: value } = result
    return { status: 200, body: { params, query, headers: result.headers, body: value ?? null } }
  } catch (error) {
    if (error instanceof ValidationError) return { status: 422, body: { detail: error.detail } }
    throw error
  }
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('answers as FastAPI does', () => {
  for (const schema of Object.keys(schemas)) {
    test(schema, () => {
      const wanted = cases.filter((golden) => golden.schema === schema)
      expect(wanted.length).toBeGreaterThan(0)
      for (const { request, status, body } of wanted) {
        expect(throughJson({ request, ...answer(schema, request) })).toStrictEqual({ request, status, body })
      }
    })
  }
})

const issuesOf = (schema: string, body: string | Uint8Array): readonly ValidationIssue[] => {
  try {
    const validate = validators.get(schema)
    const raw = { params: {}, query: '', headers: {}, body: parseJsonBody(Buffer.from(body)), bodyPresent: true }
    const result = validate?.(raw)
    return result?.ok === false ? result.detail : []
  } catch (error) {
    if (error instanceof ValidationError) return error.detail
    throw error
  }
}

const shape = (name: string, json: string) => issuesOf('shapes', `{"required_nullable":1,"${name}":${json}}`)

describe('refuses what FastAPI lets through or stumbles over', () => {
  test('a lone surrogate, wherever a string may stand', () => {
    for (const name of ['str', 'int', 'float', 'bool', 'single', 'color', 'anything']) {
      expect(shape(name, '"\\ud800"')).toMatchObject([{ loc: ['body', name], type: 'string_unicode' }])
    }
    expect(shape('free', '{"\\udc00":1}')).toMatchObject([
      { loc: ['body', 'free', '\udc00', '[key]'], type: 'string_unicode' },
    ])
  })

  test('NUL deep inside free-form values and in their keys', () => {
    const msg = 'Value error, NUL characters are not allowed'
    expect(shape('anything', '{"a":[{"b":"\\u0000"}]}')).toMatchObject([
      { loc: ['body', 'anything', 'a', 0, 'b'], type: 'value_error', msg, ctx: { error: {} } },
    ])
    expect(shape('counts', '{"\\u0000":1}')).toMatchObject([{ type: 'value_error', input: '\0' }])
  })

  test('numbers that JavaScript cannot hold', () => {
    expect(shape('int', '9007199254740993')).toMatchObject([{ type: 'int_parsing_size', loc: ['body', 'int'] }])
    expect(shape('int', '"9007199254740993"')).toMatchObject([{ type: 'int_parsing_size', input: '9007199254740993' }])
    expect(shape('int', '1e400')).toMatchObject([{ type: 'finite_number' }])
    expect(shape('float', '-1e400')).toMatchObject([{ type: 'finite_number' }])
    expect(shape('anything', '[1e400]')).toMatchObject([{ type: 'finite_number', loc: ['body', 'anything', 0] }])
  })

  test('bodies that are not UTF-8, not JSON for everyone, or too deep', () => {
    const invalid = (position: number, error: string) => [
      { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', input: {}, ctx: { error } },
    ]
    expect(issuesOf('shapes', Buffer.from([0x22, 0xff, 0x22]))).toEqual(invalid(0, 'Body is not valid UTF-8'))
    expect(issuesOf('shapes', '{"a":NaN}')).toEqual(invalid(5, 'Expecting value'))
    expect(issuesOf('shapes', '[-Infinity]')).toEqual(invalid(1, 'Expecting value'))
    expect(issuesOf('shapes', '['.repeat(1 << 20))).toEqual(invalid(64, 'Nesting deeper than 64 levels'))
    expect(issuesOf('shapes', `{"é[[":"\\"[[",${'"a":['.repeat(64)}`)).toEqual(
      invalid(333, 'Nesting deeper than 64 levels'),
    )
    expect(shape('anything', `${'['.repeat(63)}${']'.repeat(63)}`)).toEqual([])
  })
})

test('a key __proto__ changes no object and reaches no handler', () => {
  const evil = '{"__proto__":{"admin":true}}'
  const text = `{"required_nullable":1,"__proto__":{"admin":true},"free":${evil},"anything":[${evil}],"open":{"a":1,"__proto__":{"admin":true}}}`
  const result = validators.get('shapes')?.({
    params: {},
    query: '__proto__=1',
    headers: {},
    body: parseJsonBody(Buffer.from(text)),
    bodyPresent: true,
  })
  expect(result).toEqual({
    ok: true,
    params: {},
    query: {},
    headers: {},
    body: { required_nullable: 1, bounded: 1, free: {}, anything: [{}], open: { a: 1 } },
  })
  expect(Object.hasOwn((result as unknown as { body: { free: object } }).body.free, '__proto__')).toBe(false)
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('the answer to a large wrong body is bounded', () => {
  const wrong = JSON.stringify({ models: Array(100_000).fill('x'), padding: 'p'.repeat(200_000) })
  const detail = issuesOf('shapes', wrong)
  expect(detail).toHaveLength(1000)
  expect(JSON.stringify(detail).length).toBeLessThan(1 << 20)
})

test('a default is made anew for each request', () => {
  const validate = compileRequestSchemas({
    body: Type.Object({ keys: Type.Optional(Type.Array(Type.String(), { default: [] })) }),
  })
  const raw: RawRequest = { params: {}, query: '', headers: {}, body: {}, bodyPresent: true }
  const first = validate(raw)
  if (first.ok) first.body.keys?.push('left behind')
  expect(validate(raw)).toMatchObject({ ok: true, body: { keys: [] } })
})

test('a schema with a keyword that requests are not checked for is refused when the route is made', () => {
  const body = Type.Object({ a: Type.Array(Type.String({ format: 'uri' })) })
  expect(() => compileRequestSchemas({ body })).toThrow('The request schema at body.a[] uses format')
})

describe('any request is answered', () => {
  const text = fc.string({ unit: 'binary' })
  const request = (body: fc.Arbitrary<unknown>) =>
    fc.record({
      params: fc.dictionary(fc.constantFrom('episode_index', 'dataset_id', 'org_slug', '__proto__'), text),
      query: fc.oneof(text, fc.webQueryParameters()),
      headers: fc.dictionary(fc.constantFrom('authorization', 'x-count', '__proto__'), fc.oneof(text, fc.array(text))),
      body,
      bodyPresent: fc.boolean(),
    })

  const names = [...new Set(JSON.stringify(schemas).match(/(?<=")[a-z_]+(?=":\{)/g))]
  const key = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names, '__proto__') }, text)
  const { tree: json } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('1', 'true', '1e999')),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 6 }),
    ),
  }))

  test('with values, or with issues that have a place, a sentence and a type', () => {
    fc.assert(
      fc.property(request(json), (raw) => {
        for (const validate of validators.values()) {
          const result = validate(raw)
          if (result.ok) continue
          expect(result.detail.length).toBeGreaterThan(0)
          for (const { loc, msg, type } of JSON.parse(JSON.stringify(result.detail))) {
            expect(['path', 'query', 'header', 'body']).toContain(loc[0])
            expect(msg).toMatch(/^[A-Z]/)
            expect(type).toMatch(/^[a-z_]+$/)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test('and a body is read as JSON.parse reads it, or refused with a position inside it', () => {
    const mangled = fc
      .tuple(json, fc.nat(), fc.constantFrom('', '"', ',', '}', ']', '\\', ':', '\ud800', 'x', '\n'))
      .map(([value, at, piece]) => {
        const whole = JSON.stringify(value) ?? ''
        const cut = at % (whole.length + 1)
        return whole.slice(0, cut) + piece + whole.slice(cut + 1)
      })
    fc.assert(
      fc.property(fc.oneof(mangled, text), (body) => {
        fc.pre(body.length > 0)
        const bytes = Buffer.from(body)
        try {
          expect(parseJsonBody(bytes)).toEqual(JSON.parse(bytes.toString().replace(/^\ufeff/, '')))
        } catch (error) {
          if (!(error instanceof ValidationError)) throw error
          const [, position] = error.detail[0]?.loc ?? []
          expect(position).toBeGreaterThanOrEqual(0)
          expect(position).toBeLessThanOrEqual(bytes.length)
          expect(() => JSON.parse(bytes.toString().replace(/^\ufeff/, ''))).toThrow()
        }
      }),
      { numRuns: 2000 },
    )
  })
})

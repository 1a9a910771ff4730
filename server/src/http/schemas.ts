import { type TSchema, Type } from 'typebox'

/** The conventions of every answer: `{item}`, `{items}`, null instead of a missing value, one form of timestamp. */
export const item = <S extends TSchema>(schema: S) => Type.Object({ item: schema })
export const items = <S extends TSchema>(schema: S) => Type.Object({ items: Type.Array(schema) })
export const page = <S extends TSchema>(schema: S) =>
  Type.Object({ items: Type.Array(schema), next_cursor: nullable(Type.String()) })

/** A truth value of a JSON body: `true` or `false`, and not the 0 or "yes" that a query may say. */
export const truth = (options: { description?: string; default?: boolean } = {}) =>
  Type.Boolean({ ...options, 'x-strict': true })

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/**
 * The contract promises these fields of an answer and leaves the others optional. Our answers hold every field, and tests check that;
 * OpenAPI lists the promise under `required` and the rest under `x-always-present`.
 */
export const contractRequires = (names: readonly string[]) => ({ contractRequires: names })

/** RFC 3339, UTC, milliseconds. */
export const timestamp = Type.String({ format: 'date-time', examples: ['2026-11-15T08:00:00.000Z'] })

export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const slug = Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' })
/** One address, no display name, no header tricks; whether it exists is for the mail to find out. */
export const email = Type.String({
  minLength: 3,
  maxLength: 320,
  pattern: '^[^\\s@<>,;:"()\\[\\]\\\\]+@[^\\s@<>,;:"()\\[\\]\\\\]+$',
})
export const orgParams = Type.Object({ org_slug: Type.String() })
export const projectParams = Type.Object({ org_slug: Type.String(), project_slug: Type.String() })

const cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'The `next_cursor` of the previous page.' }),
)

export const pageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 200 }),
  cursor,
})

/** Of lists that the spec gives no parameter: nothing sent is everything. */
export const listQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      description: 'Page size; without it and without a cursor, everything is returned.',
    }),
  ),
  cursor,
})

export const idempotencyKey = Type.String({ minLength: 1, maxLength: 200 })
export const idempotencyFingerprint = Type.String({ minLength: 64, maxLength: 64, pattern: '^[0-9a-f]{64}$' })

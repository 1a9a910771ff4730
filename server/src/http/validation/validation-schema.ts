import type { TSchema } from 'typebox'
import {
  checkAnything,
  compileDict,
  compileList,
  compileModel,
  compileNullable,
  compileUnion,
  type Extras,
  type Field,
} from './validation-containers.ts'
import type { Check } from './validation-issues.ts'
import {
  checkBoolean,
  checkStrictBoolean,
  compileFloat,
  compileInteger,
  compileLiteral,
  compileString,
  formatLiteral,
  type LiteralValue,
  type NumberBounds,
  type StringBounds,
} from './validation-scalars.ts'

/** The part of JSON Schema 2020-12 that request schemas may use. Anything else stops the program when the route is compiled. */
interface Schema extends NumberBounds, StringBounds {
  type?: string | string[]
  'x-strict'?: boolean
  enum?: LiteralValue[]
  const?: LiteralValue
  anyOf?: Schema[]
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  minProperties?: number
  maxProperties?: number
  title?: string
  default?: unknown
}

const annotations = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$id',
  '$comment',
]
const objectKeywords = [
  'properties',
  'required',
  'patternProperties',
  'additionalProperties',
  'minProperties',
  'maxProperties',
]
const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'x-place']
const keywordsByType: Record<string, readonly string[]> = {
  string: ['minLength', 'maxLength', 'pattern'],
  integer: numberKeywords,
  number: numberKeywords,
  boolean: ['x-strict'],
  null: [],
  array: ['items', 'minItems', 'maxItems'],
  object: objectKeywords,
}

const refuseUnknownKeywords = (schema: Schema, known: readonly string[], place: string): void => {
  const unknown = Object.keys(schema).filter(
    (key) => !known.includes(key) && !annotations.includes(key) && key !== 'type',
  )
  if (unknown.length > 0) {
    throw new Error(`The request schema at ${place} uses ${unknown.join(', ')}, which requests are not checked for.`)
  }
}

const isNull = (schema: Schema): boolean => schema.type === 'null' || schema.const === null

const membersOf = (schema: Schema): Schema[] | undefined => {
  if (schema.anyOf) return schema.anyOf
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }))
  return undefined
}

export const isNullable = (schema: TSchema): boolean => isNull(schema) || (membersOf(schema)?.some(isNull) ?? false)

/** TypeBox's mark of `Type.Optional`, which JSON Schema writes in the parent's `required` only. */
export const isOptional = (schema: TSchema): boolean => '~optional' in schema

/** Whether all values of a repeated query key or header belong to the parameter. */
export const takesList = (schema: TSchema): boolean =>
  (membersOf(schema) ?? [schema as Schema]).some((member) => member.type === 'array')

export const compileDefault = (schema: TSchema): (() => unknown) | undefined => {
  const value = (schema as Schema).default
  if (value === undefined) return undefined
  if (typeof value !== 'object') return () => value
  const text = JSON.stringify(value)
  return () => JSON.parse(text)
}

const compileMembers = (members: Schema[], place: string): Check => {
  const others = members.filter((member) => !isNull(member))
  const [only] = others
  const compileOthers = () => {
    if (only === undefined) return compileLiteral([null], 'literal_error')
    if (others.length === 1) return compileSchema(only, place)
    const values = others.flatMap((member) => (member.const === undefined ? [] : [member.const]))
    if (values.length === others.length) return compileLiteral(values, 'literal_error')
    return compileUnion(others.map((member) => ({ name: nameMember(member), check: compileSchema(member, place) })))
  }
  return others.length < members.length ? compileNullable(compileOthers()) : compileOthers()
}

/** pydantic's names for the members of a union. */
const nameMember = (schema: Schema): string => {
  const constrain = (name: string) =>
    (keywordsByType[String(schema.type)] ?? []).some((key) => key in schema) ? `constrained-${name}` : name
  if (schema.const !== undefined) return `literal[${formatLiteral(schema.const)}]`
  if (schema.enum) return `literal[${schema.enum.map(formatLiteral).join(',')}]`
  if (schema.type === 'string') return constrain('str')
  if (schema.type === 'integer') return constrain('int')
  if (schema.type === 'number') return constrain('float')
  if (schema.type === 'boolean') return 'bool'
  if (schema.type === 'array') return `list[${nameMember(schema.items ?? {})}]`
  if (schema.type !== 'object') return 'any'
  const values = valuesOf(schema)
  return values ? `dict[str,${nameMember(values)}]` : (schema.title ?? 'object')
}

/** The schema of the values of an object that names no properties of its own. */
const valuesOf = (schema: Schema): Schema | undefined => {
  if (schema.properties) return undefined
  const [pattern] = Object.values(schema.patternProperties ?? {})
  return pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})
}

export const compileFields = (schema: TSchema, place: string): Field[] => {
  const { properties = {}, required = [] } = schema as Schema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    check: compileSchema(property, `${place}.${name}`),
    required: required.includes(name),
    makeDefault: compileDefault(property),
  }))
}

const anyKey = ['^.*$', '^(.*)$', '.*']

const compileObject = (schema: Schema, place: string): Check => {
  const values = valuesOf(schema)
  if (values) {
    const [pattern] = Object.keys(schema.patternProperties ?? {})
    const checkKey = pattern === undefined || anyKey.includes(pattern) ? undefined : compileString({ pattern })
    return compileDict(checkKey, compileSchema(values, `${place}.*`), schema.minProperties, schema.maxProperties)
  }
  const { additionalProperties: additional } = schema
  const compileExtras = (): Extras => {
    if (additional === undefined) return 'ignore'
    if (typeof additional === 'object') return compileSchema(additional, `${place}.*`)
    return additional ? checkAnything : 'forbid'
  }
  return compileModel(compileFields(schema, place), compileExtras())
}

const compileSchema = (schema: Schema, place: string): Check => {
  const members = membersOf(schema)
  if (members) {
    if (schema.anyOf) refuseUnknownKeywords(schema, ['anyOf'], place)
    return compileMembers(members, place)
  }
  if (schema.const !== undefined) return compileLiteral([schema.const], 'literal_error')
  // FastAPI writes a `Literal` as type and enum; TypeBox's `Type.Enum` has no type and stands for a Python `Enum`.
  if (schema.enum) return compileLiteral(schema.enum, schema.type === undefined ? 'enum' : 'literal_error')
  const type = schema.type as string | undefined
  refuseUnknownKeywords(schema, type === undefined ? [] : (keywordsByType[type] ?? []), place)
  switch (type) {
    case 'string':
      return compileString(schema)
    case 'integer':
      return compileInteger(schema)
    case 'number':
      return compileFloat(schema)
    case 'boolean':
      return schema['x-strict'] ? checkStrictBoolean : checkBoolean
    case 'array':
      return compileList(compileSchema(schema.items ?? {}, `${place}[]`), schema.minItems, schema.maxItems)
    case 'object':
      return compileObject(schema, place)
    case 'null':
      return compileMembers([schema], place)
    case undefined:
      return checkAnything
    default:
      throw new Error(`The request schema at ${place} has the unknown type ${type}.`)
  }
}

/** Compiles once, when the route is made; `place` names the schema in the errors of a schema that cannot be compiled. */
export const compileCheck = (schema: TSchema, place: string): Check => compileSchema(schema, place)

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'

// Each check runs a few times: to optimize its code takes longer than all of them.
const code = { optimize: false }
const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false, allowUnionTypes: true, code })
addFormats.default(ajv)

/** The schema with every object closed that does not say otherwise: a field nobody declared is how a secret column gets out. */
const closeObjects = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closeObjects)
  if (typeof schema !== 'object' || schema === null) return schema
  const closed = Object.fromEntries(
    // An $id names a component of OpenAPI; Ajv would take the second use of one for a clash.
    Object.entries(schema)
      .filter(([key]) => key !== '$id' && key !== 'contractRequires')
      .map(([key, value]) => [key, key === 'allOf' || isData(key) ? value : closeObjects(value)]),
  )
  const namesFields = closed.type === 'object' && closed.properties !== undefined
  return namesFields ? { additionalProperties: false, ...closed } : closed
}

/** Keywords whose values are not schemas. */
const isData = (key: string): boolean => ['const', 'default', 'enum', 'examples', 'required'].includes(key)

const describe = ({ instancePath, message, params, data }: ErrorObject): string => {
  const shown = JSON.stringify(data) ?? 'undefined'
  const field = params.additionalProperty === undefined ? '' : ` (${params.additionalProperty})`
  return `${instancePath || '/'} ${message}${field}, got ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`
}

/** By the schema as JSON: a test starts many programs, all with the same routes, and compiling those was most of a start. */
const compiled = new Map<string, ValidateFunction>()

const compile = (schema: TSchema): ValidateFunction => {
  const key = JSON.stringify(schema)
  const validate = compiled.get(key) ?? ajv.compile(closeObjects(schema) as object)
  compiled.set(key, validate)
  return validate
}

/**
 * Makes a check of a route's answers, for tests and development: it costs more than the answer itself. What is checked is the
 * JSON as the client reads it. `place` names the route in the error. The schema is compiled at the first answer.
 */
export const checkResponse = (schema: TSchema): ((payload: unknown, place: string) => void) => {
  let validate: ValidateFunction | undefined
  return (payload, place) => {
    validate ??= compile(schema)
    if (validate(JSON.parse(JSON.stringify(payload) ?? 'null'))) return
    const faults = (validate.errors ?? []).slice(0, 10).map(describe)
    throw new Error(`${place} does not answer what its schema says: ${faults.join('; ')}`)
  }
}

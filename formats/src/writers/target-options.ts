import { FormatError } from '../errors.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { nameAction, nameState, type SignalRoles } from '../signal-roles.ts'

/** One option of a target, as a piece of JSON Schema. */
export type OptionSchema = { readonly description: string } & (
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number; readonly default: number }
  | { readonly type: 'boolean'; readonly default: boolean }
  | {
      readonly type: 'string'
      readonly enum?: readonly string[]
      readonly maxLength?: number
      readonly default: string
      /** A feature: without a choice the one that the dataset has for it. */
      readonly role?: 'state' | 'action'
    }
  | {
      readonly type: 'array'
      readonly items: { readonly type: readonly ['boolean', 'integer'] }
      readonly maxItems: number
      readonly default: readonly (boolean | number)[]
    }
)

export type OptionsSchema = Readonly<Record<string, OptionSchema>>

/** Every option of a target with its value. */
export type TargetSettings = Readonly<Record<string, boolean | number | string | readonly (boolean | number)[]>>

const maxText = 200

/** What was chosen, and the default of everything else; a sentence where an option or its value is none. */
export function readTargetOptions(
  target: { readonly name: string; readonly options: OptionsSchema },
  given: JsonObject = {},
  roles?: SignalRoles,
): TargetSettings {
  const known = Object.keys(target.options)
  const unknown = Object.keys(given).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    const remedy = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`
    throw new FormatError('unsupported', `${target.name} has no option "${unknown}"; ${remedy}.`)
  }
  return Object.fromEntries(
    Object.entries(target.options).map(([key, schema]) => {
      const value = given[key]
      return [
        key,
        value === undefined ? findDefault(schema, roles) : readOption(`${key} of ${target.name}`, schema, value),
      ]
    }),
  )
}

function findDefault(schema: OptionSchema, roles: SignalRoles | undefined): OptionSchema['default'] {
  if (schema.type !== 'string' || !schema.role) return schema.default
  return schema.role === 'state' ? nameState({ roles }) : nameAction({ roles })
}

function readOption(name: string, schema: OptionSchema, value: JsonValue): TargetSettings[string] {
  const refuse = (wished: string): never => {
    throw new FormatError('unsupported', `The option ${name} must be ${wished}.`)
  }
  switch (schema.type) {
    case 'integer': {
      const { minimum, maximum } = schema
      const isIn = typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum
      return isIn ? value : refuse(`a whole number from ${minimum} to ${maximum}`)
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse('true or false')
    case 'string': {
      const { enum: choices, maxLength = maxText } = schema
      // A name may look like a number or a truth value.
      const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
      if (typeof text !== 'string' || text.length > maxLength) return refuse(`a text of at most ${maxLength} letters`)
      return !choices || choices.includes(text) ? text : refuse(`one of ${choices.join(', ')}`)
    }
    case 'array': {
      const entries = Array.isArray(value) ? value : [value]
      const isEntry = (entry: JsonValue) => typeof entry === 'boolean' || Number.isSafeInteger(entry)
      const isList = entries.length <= schema.maxItems && entries.every(isEntry)
      return isList
        ? (entries as (boolean | number)[])
        : refuse(`a list of at most ${schema.maxItems} truth values or whole numbers`)
    }
  }
}

/** `--set horizon=50 --set delta_mask=6,-1`: JSON where the text is some, several of it between commas, else the text itself. */
export function parseSettings(texts: readonly string[]): JsonObject {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw new FormatError('unsupported', `--set takes KEY=VALUE, not "${text}".`)
      const value = text.slice(at + 1)
      return [text.slice(0, at), parseValue(value) ?? parseValue(`[${value}]`) ?? value]
    }),
  )
}

function parseValue(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What `options` takes, as a JSON Schema; of a dataset with the defaults that it has there. */
export const describeOptions = (options: OptionsSchema, roles?: SignalRoles): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(options).map(([key, schema]) => {
      const { role: _, ...described } = { role: undefined, ...schema, default: findDefault(schema, roles) }
      return [key, JSON.parse(JSON.stringify(described))]
    }),
  ),
})

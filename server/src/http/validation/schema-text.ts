interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
  default?: unknown
  description?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
  minItems?: number
  maxItems?: number
}

/** A schema as a person would write it down: names, types, bounds. */
export const renderSchema = (schema: unknown): string => render(schema as Schema, '')

function render(schema: Schema, indent: string): string {
  if (schema.anyOf) return schema.anyOf.map((part) => render(part, indent)).join(' | ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `[${schema.items ? render(schema.items, indent) : 'any'}]${bounds(schema)}`
  if (schema.type === 'object') return renderObject(schema, indent)
  return `${schema.type ?? 'any'}${bounds(schema)}`
}

function renderObject(schema: Schema, indent: string): string {
  const fields = Object.entries(schema.properties ?? {})
  const values = Object.values(schema.patternProperties ?? {})[0]
  if (fields.length === 0) return values ? `{[name]: ${render(values, indent)}}` : '{…}'
  const deeper = `${indent}  `
  const lines = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) && field.default === undefined ? '' : '?'
    const fallback = field.default === undefined ? '' : ` = ${JSON.stringify(field.default)}`
    const about = field.description ? `  — ${field.description}` : ''
    return `${deeper}${name}${optional}: ${render(field, deeper)}${fallback}${about}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function bounds(schema: Schema): string {
  const parts = [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, 'items'),
    schema.format,
    schema.pattern && `/${schema.pattern}/`,
  ].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined
  if (least === undefined) return `at most ${most} ${unit}`.trim()
  if (most === undefined) return `at least ${least} ${unit}`.trim()
  return `${least} to ${most} ${unit}`.trim()
}

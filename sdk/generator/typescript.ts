import { iteratorName, type OpenApi, type Operation, type Parameter, type Schema, upperFirst } from './contract.ts'

const isName = /^[A-Za-z_$][\w$]*$/
const key = (name: string): string => (isName.test(name) ? name : `'${name}'`)
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)

const remark = (text: string | undefined, indent: string): string[] => {
  if (!text) return []
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line ? ` ${line}` : ''}`), `${indent} */`]
}

/** `Error` and the like would hide what the language itself calls so. */
const taken = /^(Error|Response|Request|Event|File|Blob|Map|Set|Date|Object|Function|Record)$/
const recordName = (name: string): string => (taken.test(name) ? `${name}Body` : upperFirst(name))

/** A schema as a TypeScript type; `refs` collects the records that it names. */
function renderType(schema: Schema, indent: string, refs: Set<string>): string {
  if (schema.$ref) {
    const name = recordName(schema.$ref.split('/').at(-1) ?? '')
    refs.add(name)
    return name
  }
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const members = schema.anyOf ?? schema.oneOf
  if (members) return unite(members.map((member) => renderType(member, indent, refs)))
  if (schema.allOf) return schema.allOf.map((member) => `(${renderType(member, indent, refs)})`).join(' & ')
  if (Array.isArray(schema.type)) {
    return unite(schema.type.map((type) => renderType({ ...schema, type }, indent, refs)))
  }
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array': {
      const item = renderType(schema.items ?? {}, indent, refs)
      return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return renderObject(schema, indent, refs)
    default:
      return schema.properties ? renderObject(schema, indent, refs) : 'unknown'
  }
}

const unite = (types: string[]): string => {
  const distinct = [...new Set(types)]
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ')
}

function renderObject(schema: Schema, indent: string, refs: Set<string>): string {
  if (!schema.properties) {
    const [pattern] = Object.values(schema.patternProperties ?? {})
    const values = pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})
    return `Record<string, ${renderType(values, indent, refs)}>`
  }
  return ['{', ...renderFields(schema, indent, refs), `${indent}}`].join('\n')
}

function renderFields(schema: Schema, indent: string, refs: Set<string>): string[] {
  const inner = `${indent}  `
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const type = renderType(property, inner, refs)
    const isRequired = schema.required?.includes(name) ?? false
    return [
      ...remark(property.description, inner),
      `${inner}${key(name)}${isRequired ? `: ${type}` : `?: ${type} | undefined`}`,
    ]
  })
  return schema.additionalProperties ? [...fields, `${inner}[name: string]: unknown`] : fields
}

const head = '// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.'

export function renderRecords(api: OpenApi): string {
  const refs = new Set<string>()
  const records = Object.entries(api.components.schemas).map(([name, schema]) => {
    const plain = schema.type === 'object' && schema.properties
    const begin = plain ? `export interface ${recordName(name)} ` : `export type ${recordName(name)} = `
    return [...remark(schema.description, ''), begin + renderType(schema, '', refs)].join('\n')
  })
  return `${[head, ...records].join('\n\n')}\n`
}

/** The types of a group's operations, its interface, and the table that the transport works from. */
export function renderGroup(group: string, operations: Operation[]): string {
  const refs = new Set<string>()
  const types = operations.flatMap((operation) => renderOperationTypes(operation, refs))
  const name = upperFirst(group)
  const methods = operations.flatMap(renderMethods)
  const table = operations.map((operation) => `  ${operation.id}: ${renderDescriptor(operation)},`)
  return `${[
    head,
    `import type { CallOptions, OperationTable } from '../operation.ts'`,
    ...(refs.size > 0 ? [`import type { ${[...refs].sort().join(', ')} } from './records.ts'`] : []),
    '',
    types.join('\n\n'),
    '',
    `export interface ${name}Operations {`,
    ...methods,
    '}',
    '',
    `export const ${group}Operations: OperationTable = {`,
    ...table,
    '}',
  ].join('\n')}\n`
}

function renderOperationTypes(operation: Operation, refs: Set<string>): string[] {
  const fields = [
    ...operation.pathNames.map(
      (name) => `  ${key(name)}: string${name.endsWith('_index') || name === 'number' ? ' | number' : ''}`,
    ),
    ...[...operation.query, ...operation.headers].flatMap((parameter) => renderParameter(parameter, refs)),
    ...(operation.body ? [`  body: ${renderType(operation.body, '  ', refs)}`] : []),
  ]
  const answer = operation.answer === 'bytes' ? 'Response' : renderType(operation.answer, '', refs)
  return [
    ...(fields.length > 0 ? [`export interface ${operation.typeName}Input {\n${fields.join('\n')}\n}`] : []),
    `export type ${operation.typeName}Answer = ${answer}`,
  ]
}

function renderParameter({ name, required, description, schema }: Parameter, refs: Set<string>): string[] {
  const type = renderType(schema, '  ', refs)
  return [...remark(description, '  '), `  ${key(name)}${required ? `: ${type}` : `?: ${type} | undefined`}`]
}

function renderMethods(operation: Operation): string[] {
  const { typeName, method, path, access, summary, description, paging, id } = operation
  const about = `${summary}.${description ? `\n\n${description}` : ''}\n\n\`${method} ${path}\` · ${access}`
  const input = renderInput(operation)
  const walk =
    paging &&
    `  ${iteratorName(id)}(${input}, options?: CallOptions): AsyncGenerator<${typeName}Answer${paging === 'offset' ? "['item']" : ''}['items'][number]>`
  return [
    ...remark(about, '  '),
    `  ${id}(${input}, options?: CallOptions): Promise<${typeName}Answer>`,
    ...(walk ? [`  /** Every item of every page of \`${id}\`. */`, walk] : []),
  ]
}

/** An operation whose every input may be left out is called with none. */
function renderInput({ pathNames, query, headers, body, typeName }: Operation): string {
  const needed = pathNames.length > 0 || body !== undefined || [...query, ...headers].some(({ required }) => required)
  if (needed) return `input: ${typeName}Input`
  return query.length + headers.length > 0 ? `input?: ${typeName}Input` : 'input?: Record<string, never>'
}

function renderDescriptor({
  method,
  path,
  query,
  headers,
  body,
  answer,
  paging,
  repeatable,
  keyPlace,
}: Operation): string {
  const list = (parameters: Parameter[]) => `[${parameters.map(({ name }) => `'${name}'`).join(', ')}]`
  return `{ ${[
    `method: '${method}'`,
    `path: '${path}'`,
    ...(query.length > 0 ? [`query: ${list(query)}`] : []),
    ...(headers.length > 0 ? [`headers: ${list(headers)}`] : []),
    ...(body ? ['hasBody: true'] : []),
    ...(answer === 'bytes' ? ['answersBytes: true'] : []),
    ...(paging ? [`paging: '${paging}'`] : []),
    ...(repeatable ? ['repeatable: true'] : []),
    ...(keyPlace ? [`keyPlace: '${keyPlace}'`] : []),
  ].join(', ')} }`
}

export function renderGroups(groups: string[]): string {
  const imports = groups.map(
    (group) => `import { type ${upperFirst(group)}Operations, ${group}Operations } from './${group}.ts'`,
  )
  return `${[
    head,
    `import type { OperationTable } from '../operation.ts'`,
    ...imports,
    '',
    '/** One property per group of the API; a method is named by its operation id. */',
    'export interface Groups {',
    ...groups.map((group) => `  ${group}: ${upperFirst(group)}Operations`),
    '}',
    '',
    'export const groupTables: Record<keyof Groups, OperationTable> = {',
    ...groups.map((group) => `  ${group}: ${group}Operations,`),
    '}',
  ].join('\n')}\n`
}

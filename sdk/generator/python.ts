import { iteratorName, type OpenApi, type Operation, type Parameter, type Schema, upperFirst } from './contract.ts'

const head = '# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.'
const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self'.split(
    ' ',
  ),
)

const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()

const argumentName = (name: string): string => (keywords.has(snakeCase(name)) ? `${snakeCase(name)}_` : snakeCase(name))
const className = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(upperFirst)
    .join('')

const literal = (value: unknown): string =>
  value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)

/** Collects the classes that types inside types need; Python has no anonymous ones. */
interface Classes {
  lines: string[]
  names: Set<string>
}

/** A schema as a Python annotation; an object with named fields becomes a `TypedDict` called `name`. */
function renderType(schema: Schema, name: string, classes: Classes): string {
  if (schema.$ref) return className(schema.$ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return schema.const === null ? 'None' : `Literal[${literal(schema.const)}]`
  if (schema.enum) return renderEnum(schema.enum)
  const members = schema.anyOf ?? schema.oneOf
  if (members) return unite(members.map((member) => renderType(member, name, classes)))
  if (schema.allOf) return 'dict[str, Any]'
  if (Array.isArray(schema.type))
    return unite(schema.type.map((type) => renderType({ ...schema, type }, name, classes)))
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'array':
      return `list[${renderType(schema.items ?? {}, `${name}Item`, classes)}]`
    case 'object':
      return renderObject(schema, name, classes)
    default:
      return schema.properties ? renderObject(schema, name, classes) : 'Any'
  }
}

const renderEnum = (values: unknown[]): string => {
  const known = values.filter((value) => value !== null)
  return [`Literal[${known.map(literal).join(', ')}]`, ...(known.length < values.length ? ['None'] : [])].join(' | ')
}

const unite = (types: string[]): string => {
  const distinct = [...new Set(types)]
  return distinct.includes('Any') ? 'Any' : distinct.join(' | ')
}

function renderObject(schema: Schema, name: string, classes: Classes): string {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) {
    const [pattern] = Object.values(schema.patternProperties ?? {})
    const values = pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})
    return `dict[str, ${renderType(values, `${name}Value`, classes)}]`
  }
  const isNameable = properties.every(([field]) => /^[A-Za-z_]\w*$/.test(field) && !keywords.has(field))
  return isNameable ? declareClass(schema, name, classes) : declareByCall(schema, name, classes)
}

/** A field called `from` has no place in a class; its types are evaluated at run time, so they are texts. */
function declareByCall(schema: Schema, name: string, classes: Classes): string {
  classes.names.add(name)
  const properties = Object.entries(schema.properties ?? {})
  const isRequired = (field: string): boolean => schema.required?.includes(field) ?? false
  const declare = (own: string, required: boolean): void => {
    const fields = properties
      .filter(([field]) => isRequired(field) === required)
      .flatMap(([field, property]) => {
        const type = renderType(property, name + className(field), classes)
        return [...remark(property.description, '        '), `        "${field}": '${type}',`]
      })
    const total = required ? [] : ['    total=False,']
    classes.lines.push('', '', `${own} = TypedDict(`, `    "${own}",`, '    {', ...fields, '    },', ...total, ')')
  }
  const kinds = new Set(properties.map(([field]) => isRequired(field)))
  if (kinds.size === 1) declare(name, kinds.has(true))
  else {
    declare(`_${name}Required`, true)
    declare(`_${name}Optional`, false)
    const about = schema.description ?? 'Fields of both.'
    classes.lines.push('', '', `class ${name}(_${name}Required, _${name}Optional):`, `    ${quoteDoc(about)}`)
  }
  return name
}

/** Python 3.10 knows no `NotRequired`, so what may be absent is a class of its own. */
function declareClass(schema: Schema, name: string, classes: Classes): string {
  classes.names.add(name)
  const fields = (required: boolean): string[] =>
    Object.entries(schema.properties ?? {})
      .filter(([field]) => (schema.required?.includes(field) ?? false) === required)
      .flatMap(([field, property]) => [
        ...remark(property.description, '    '),
        `    ${field}: ${renderType(property, name + className(field), classes)}`,
      ])
  const [required, optional] = [fields(true), fields(false)]
  const about = schema.description ? [`    ${quoteDoc(schema.description)}`] : []
  if (optional.length === 0) classes.lines.push('', '', `class ${name}(TypedDict):`, ...about, ...required)
  else if (required.length === 0)
    classes.lines.push('', '', `class ${name}(TypedDict, total=False):`, ...about, ...optional)
  else {
    classes.lines.push('', '', `class _${name}Required(TypedDict):`, ...required)
    classes.lines.push('', '', `class ${name}(_${name}Required, total=False):`, ...about, ...optional)
  }
  return name
}

const remark = (text: string | undefined, indent: string): string[] =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => `${indent}# ${line}`)

const quoteDoc = (text: string): string => `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}"""`

const imports = ['from __future__ import annotations', '']

/** Every record and every answer as a `TypedDict`: what the API sends, with types and without a cost. */
export function renderPythonRecords(api: OpenApi, operations: Operation[]): string {
  const classes: Classes = { lines: [], names: new Set() }
  const aliases: string[] = []
  const declare = (schema: Schema, name: string): void => {
    const type = renderType(schema, name, classes)
    if (type !== name) aliases.push(`${name} = ${quoteAlias(type)}`)
  }
  for (const [name, schema] of Object.entries(api.components.schemas)) declare(schema, className(name))
  for (const { typeName, body, answer } of operations) {
    if (body && !body.$ref) declare(body, `${typeName}Body`)
    if (answer !== 'bytes') declare(answer, `${typeName}Answer`)
  }
  const lines = [head, ...imports, 'from typing import Any, Literal, TypedDict', ...classes.lines, '', '', ...aliases]
  return `${lines.join('\n').trimEnd()}\n`
}

/** Evaluated at run time, unlike annotations; no alias of the contract is more than a name. */
const quoteAlias = (type: string): string => (/^\w+$/.test(type) ? type : `"${type.replaceAll('"', "'")}"`)

const annotate = (schema: Schema): string => renderType(schema, 'dict', { lines: [], names: new Set() })

/** The two classes of a group: methods that wait, and methods that are awaited. */
export function renderPythonGroup(group: string, operations: Operation[]): string {
  const table = operations.map(
    (operation) => `_${snakeCase(operation.id).toUpperCase()} = ${renderDescriptor(operation)}`,
  )
  const names = new Set<string>()
  const methods = (kind: 'sync' | 'async'): string[] =>
    operations.flatMap((operation) => renderMethods(operation, kind, names))
  const body = [
    ...table,
    '',
    '',
    `class ${className(group)}:`,
    '    def __init__(self, driver: SyncDriver) -> None:',
    '        self._driver = driver',
    ...methods('sync'),
    '',
    '',
    `class Async${className(group)}:`,
    '    def __init__(self, driver: AsyncDriver) -> None:',
    '        self._driver = driver',
    ...methods('async'),
  ].join('\n')
  const used = [...names].sort()
  const typing = ['Any', 'AsyncIterator', 'Iterator', 'Literal', 'cast'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body),
  )
  return `${[
    head,
    ...imports,
    `from typing import ${typing.join(', ')}`,
    '',
    ...(body.includes('httpx.') ? ['import httpx', ''] : []),
    'from ..drivers import AsyncDriver, SyncDriver',
    'from ..operation import Operation',
    ...(body.includes('paging.') ? ['from .. import paging'] : []),
    ...(used.length > 0
      ? [`from .records import ${used.length > 3 ? `(\n    ${used.join(',\n    ')},\n)` : used.join(', ')}`]
      : []),
    '',
    body,
  ].join('\n')}\n`
}

function renderMethods(operation: Operation, kind: 'sync' | 'async', names: Set<string>): string[] {
  const { id, typeName, paging } = operation
  const list = listArguments(operation, names)
  const signature = list.length > 0 ? `self, *, ${list.map(({ text }) => text).join(', ')}` : 'self'
  const answer = operation.answer === 'bytes' ? 'httpx.Response' : `${typeName}Answer`
  if (operation.answer !== 'bytes') names.add(answer)
  const values = `{${list
    .filter(({ name }) => name !== 'body')
    .map(({ name, wire }) => `"${wire}": ${name}`)
    .join(', ')}}`
  const given = operation.body ? `${values}, body` : values
  const constant = `_${snakeCase(id).toUpperCase()}`
  const about = `${operation.summary}.${operation.description ? ` ${operation.description}` : ''} (${operation.access})`
  const wait = kind === 'async' ? 'await ' : ''
  const lines = [
    '',
    `    ${kind === 'async' ? 'async ' : ''}def ${snakeCase(id)}(${signature}) -> ${answer}:`,
    `        ${quoteDoc(about)}`,
    `        return cast("${answer}", ${wait}self._driver.run(${constant}.call(${given})))`,
  ]
  if (!paging) return lines
  const item = findItemType(operation, names)
  const iterator = kind === 'async' ? 'AsyncIterator' : 'Iterator'
  return [
    ...lines,
    '',
    `    def ${snakeCase(iteratorName(id))}(${signature}) -> ${iterator}[${item}]:`,
    `        """Every item of every page of \`${snakeCase(id)}\`."""`,
    `        return cast("${iterator}[${item}]", paging.iterate${kind === 'async' ? '_async' : ''}(self._driver, ${constant}, ${values}))`,
  ]
}

const findItemType = ({ pagedItem }: Operation, names: Set<string>): string => {
  if (!pagedItem?.$ref) return 'dict[str, Any]'
  const type = annotate(pagedItem)
  names.add(type)
  return type
}

function listArguments({ pathNames, query, headers, body, typeName }: Operation, names: Set<string>) {
  const path = pathNames.map((wire) => {
    const type = wire.endsWith('_index') || wire === 'number' ? 'int | str' : 'str'
    return { name: argumentName(wire), wire, text: `${argumentName(wire)}: ${type}`, required: true }
  })
  const others = [...query, ...headers].map((parameter) => renderArgument(parameter))
  const content = body ? [renderBody(body, typeName, names)] : []
  return [...path, ...content, ...others].sort((a, b) => Number(b.required) - Number(a.required))
}

function renderBody(body: Schema, typeName: string, names: Set<string>) {
  const type = body.$ref ? annotate(body) : `${typeName}Body`
  names.add(type)
  return { name: 'body', wire: 'body', text: `body: ${type}`, required: true }
}

function renderArgument({ name: wire, required, schema }: Parameter) {
  const name = argumentName(wire)
  const type = annotate(schema)
  return {
    name,
    wire,
    required,
    text: required ? `${name}: ${type}` : `${name}: ${type.includes('None') ? type : `${type} | None`} = None`,
  }
}

function renderDescriptor({
  id,
  method,
  path,
  query,
  headers,
  answer,
  paging,
  repeatable,
  keyPlace,
}: Operation): string {
  const list = (parameters: Parameter[]) =>
    `(${parameters
      .map(({ name }) => `"${name}", `)
      .join('')
      .trimEnd()})`
  return `Operation(${[
    `"${id}"`,
    `"${method}"`,
    `"${path}"`,
    ...(query.length > 0 ? [`query=${list(query)}`] : []),
    ...(headers.length > 0 ? [`headers=${list(headers)}`] : []),
    ...(answer === 'bytes' ? ['answers_bytes=True'] : []),
    ...(paging ? [`paging="${paging}"`] : []),
    ...(repeatable ? ['repeatable=True'] : []),
    ...(keyPlace ? ['takes_key=True'] : []),
  ].join(', ')})`
}

export function renderPythonGroups(groups: string[]): string {
  const classesOf = (prefix: string, driver: string): string[] => [
    '',
    '',
    `class ${prefix}Groups:`,
    '    """One attribute per group of the API; a method is named by its operation id."""',
    '',
    `    def __init__(self, driver: ${driver}) -> None:`,
    ...groups.map((group) => `        self.${group} = ${group}.${prefix}${className(group)}(driver)`),
  ]
  return `${[
    head,
    ...imports,
    'from ..drivers import AsyncDriver, SyncDriver',
    `from . import ${groups.join(', ')}`,
    ...classesOf('', 'SyncDriver'),
    ...classesOf('Async', 'AsyncDriver'),
  ].join('\n')}\n`
}

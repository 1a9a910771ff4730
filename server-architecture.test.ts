import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { imports, sources, textOf } from './import-graph.ts'

/** Rules of the server's sources: what is written in one place only, and how rows leave their repositories. */

test('jobs are written by the statements of the protocol only', () => {
  const write =
    /\b(insert\s+into|update|delete\s+from|merge\s+into)\s+jobs\b|(insertInto|updateTable|deleteFrom|mergeInto)\('jobs\b/i
  const writers = sources.filter((file) => file.startsWith('server/') && write.test(textOf(file)))
  expect(writers.length).toBeGreaterThan(5)
  expect(writers.filter((file) => !file.startsWith('server/src/jobs/statements/'))).toEqual([])
})

test('what /metrics says is written in one place', () => {
  const writers = sources.filter((file) => file.startsWith('server/src/') && textOf(file).includes('# TYPE '))
  expect(writers).toEqual(['server/src/metrics.ts'])
})

test('SQL stands in repositories, in db/ and in the statements of jobs', () => {
  const query = /\bsql(<[^`\n]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/
  const homesOfSql = /^server\/src\/(db\/|jobs\/|admin\/backup|(.*\/)?repository\.ts$)/
  const places = sources.filter((file) => file.startsWith('server/src/') && query.test(textOf(file)))
  expect(places.filter((file) => !homesOfSql.test(file))).toEqual([])
})

interface Declared {
  id?: { name: string }
  init?: { type: string; returnType?: unknown } | null
  type: string
  returnType?: unknown
  declarations?: Declared[]
}

/** Exported functions that do not say what they answer. */
const listUntyped = (text: string): string[] => {
  const exported = parseAst(text, { lang: 'ts' }).body.flatMap((node) =>
    node.type === 'ExportNamedDeclaration' && node.declaration ? [node.declaration as unknown as Declared] : [],
  )
  const named = exported.flatMap((declared) => declared.declarations ?? [declared])
  const isUntyped = ({ type, returnType }: { type: string; returnType?: unknown }) =>
    /Function/.test(type) && !returnType
  return named.filter((one) => isUntyped(one.init ?? one)).map(({ id }) => id?.name ?? '')
}

test('rows leave their repository in camelCase', () => {
  const handsOn = (text: string): boolean => {
    const types = [...text.matchAll(/^export (?:interface \w+[^\n]*\{\n[\s\S]*?^\}|type \w+ = [\s\S]*?\n\n)/gm)]
    const isStored = (type: string) => /^ +[a-z]+_\w+\??:/m.test(type) || /= (?!CamelCased)[^\n]*Selectable</.test(type)
    return types.some(([type]) => isStored(type)) || /\bPromise<[^\n]*\b[a-z]+_\w+\??:/.test(text)
  }
  const repositories = sources.filter((file) => /^server\/src\/.*repository\.ts$/.test(file))
  expect(repositories.length).toBeGreaterThan(20)
  expect(repositories.filter((file) => handsOn(textOf(file)))).toEqual([])
  // A type that nobody wrote down is not seen above.
  expect(repositories.flatMap((file) => listUntyped(textOf(file)).map((name) => `${file}: ${name}`))).toEqual([])
})

test('what a service hands on of its repository is a function of its own', () => {
  const handed = /^export const (\{[^}]*\}|\w+) = repository\b(\.\w+)?$|^export \{[^}]*\} from '[^']*repository\.ts'/m
  const namesIn = (text: string, list: RegExp): string[] =>
    [...text.matchAll(list)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
  const handsOn = (text: string): boolean => {
    const imported = new Set(namesIn(text, /^import \{([^}]*)\} from '[^']*repository\.ts'/gm))
    return handed.test(text) || namesIn(text, /^export \{([^}]*)\}$/gm).some((name) => name && imported.has(name))
  }
  const services = sources.filter((file) => file.startsWith('server/src/') && handsOn(textOf(file)))
  expect(services).toEqual([])
})

test('the process that prepares an import loads no client of the database', () => {
  const reached = new Set(['server/src/imports/prepare/prepare-entry.ts'])
  for (const file of reached)
    for (const { target } of imports.filter((one) => one.file === file && !one.isTypeOnly)) reached.add(target)
  expect(reached).toContain('server/src/checks/import-numbers.ts')
  expect([...reached].filter((target) => /^(kysely|pg)$/.test(target))).toEqual([])
})

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Schema = Record<string, unknown>

interface ObjectKind {
  group: string
  version: string
  kind: string
}

interface Crd {
  spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Schema } }[] }
}

/** Of those that KEDA adds, what the chart uses; `.ci/kubernetes-tools` brings their definitions. */
export const kedaKinds = ['scaledobjects', 'triggerauthentications']

/** One file for each kind, named as kubeconform asks for it; unknown fields are refused. */
export async function writeSchemas(tools: string, folder: string): Promise<void> {
  const { definitions } = JSON.parse(await readFile(join(tools, 'swagger.json'), 'utf8')) as {
    definitions: Record<string, Schema>
  }
  const strict = Object.fromEntries(Object.entries(definitions).map(([name, one]) => [name, refine(name, one)]))
  for (const [name, definition] of Object.entries(definitions))
    for (const kind of (definition['x-kubernetes-group-version-kind'] ?? []) as ObjectKind[]) {
      // Options of requests, which every group has.
      if (kind.kind.endsWith('Options') || kind.kind === 'WatchEvent') continue
      await writeFile(
        join(folder, fileOf(kind)),
        JSON.stringify({ $ref: `#/definitions/${name}`, definitions: pickNeeded(strict, name) }),
      )
    }
  for (const name of kedaKinds) {
    const { spec } = JSON.parse(await readFile(join(tools, `${name}.json`), 'utf8')) as Crd
    for (const { name: version, schema } of spec.versions)
      await writeFile(
        join(folder, fileOf({ group: spec.group, version, kind: spec.names.kind })),
        JSON.stringify(close(schema.openAPIV3Schema)),
      )
  }
}

const fileOf = ({ group, version, kind }: ObjectKind): string =>
  `${kind.toLowerCase()}${group ? `-${group.split('.')[0]}` : ''}-${version}.json`

/** Numbers and words where Kubernetes takes both, and nothing that a definition does not name. */
function refine(name: string, definition: Schema): Schema {
  if (name.endsWith('.IntOrString') || name.endsWith('.Quantity')) return { type: ['string', 'number'] }
  return close(definition)
}

function close(schema: Schema): Schema {
  const { properties } = schema as { properties?: Record<string, Schema> }
  if (!properties) return schema
  const inner = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, close(one)]))
  const isOpen = 'additionalProperties' in schema || schema['x-kubernetes-preserve-unknown-fields'] === true
  return { ...schema, properties: inner, ...(isOpen ? {} : { additionalProperties: false }) }
}

/** A definition with those that it leads to. */
function pickNeeded(all: Record<string, Schema>, name: string): Record<string, Schema> {
  const needed: Record<string, Schema> = {}
  const add = (one: string): void => {
    const definition = all[one]
    if (!definition || needed[one]) return
    needed[one] = definition
    for (const [, next = ''] of JSON.stringify(definition).matchAll(/"#\/definitions\/([^"]+)"/g)) add(next)
  }
  add(name)
  return needed
}

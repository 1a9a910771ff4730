import type { NumericArray } from '../../feature.ts'
import { toBigInts } from '../../statistics/doubles.ts'
import type { LeafValues } from './page.ts'
import { type LeafSchema, listLeaves, type ParquetField, type ParquetNode } from './schema.ts'

/** Repetition and definition levels: how nested values become flat columns. */

export type NestedValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Float64Array
  | readonly NestedValue[]
  | { readonly [key: string]: NestedValue }

/** Numbers of a fixed shape without empty values: the levels follow from the shape, the values are used as they lie. */
export function levelFixedShape(
  leaf: LeafSchema,
  shape: readonly number[],
  rowCount: number,
  values: NumericArray,
): LeafValues {
  return {
    entryCount: values.length,
    emptyCount: 0,
    repetition: leaf.maxRepetition === 0 ? undefined : packRepetition(shape, rowCount),
    definition: encodeRuns([[leaf.maxDefinition, values.length]]),
    values,
  }
}

/** Any nested values, one per row; one result per leaf of the field. */
export function levelNested(field: ParquetField, rows: readonly NestedValue[]): LeafValues[] {
  const leaves = listLeaves(field).map((leaf) => ({
    leaf,
    repetition: [] as number[],
    definition: [] as number[],
    values: [] as unknown[],
  }))
  let at = 0
  const visit = (
    node: ParquetNode,
    entry: NestedValue | undefined,
    repetition: number,
    definition: number,
    depth: number,
  ): void => {
    const present = entry !== null && entry !== undefined
    if (node.kind === 'value') {
      const out = leaves[at++]
      out?.repetition.push(repetition)
      out?.definition.push(definition + (present ? 1 : 0))
      if (present) out?.values.push(entry)
    } else if (node.kind === 'struct') {
      const members = present ? (entry as { readonly [key: string]: NestedValue }) : undefined
      for (const [name, child] of node.fields)
        visit(child, members?.[name], repetition, definition + (present ? 1 : 0), depth)
    } else {
      const items = present ? (entry as readonly NestedValue[] | Float64Array) : []
      const firstLeaf = at
      if (items.length === 0) visit(node.item, undefined, repetition, definition + (present ? 1 : 0), depth + 1)
      for (let index = 0; index < items.length; index++) {
        at = firstLeaf
        visit(node.item, items[index], index === 0 ? repetition : depth + 1, definition + 2, depth + 1)
      }
    }
  }
  for (const row of rows) {
    at = 0
    visit(field.node, row, 0, 0, 0)
  }
  return leaves.map(({ leaf, repetition, definition, values }) => ({
    entryCount: definition.length,
    emptyCount: definition.length - values.length,
    repetition: leaf.maxRepetition === 0 ? undefined : encodeRuns(collectRuns(repetition)),
    definition: encodeRuns(collectRuns(definition)),
    values: toLeafArray(leaf, values),
  }))
}

function toLeafArray(leaf: LeafSchema, values: readonly unknown[]): LeafValues['values'] {
  switch (leaf.dtype) {
    case 'string':
    case 'binary':
      return values as readonly (string | Uint8Array)[]
    case 'int64':
      return toInt64(values as (number | bigint)[])
    case 'uint64':
      return BigUint64Array.from(values as (number | bigint)[], BigInt)
    case 'float32':
      return Float32Array.from(values as number[])
    case 'float64':
      return Float64Array.from(values as number[])
    case 'bool':
      return Uint8Array.from(values as boolean[], Number)
    default:
      return Int32Array.from(values as number[])
  }
}

/** Numbers by halves: a bigint each would be an object each. */
function toInt64(values: readonly (number | bigint)[]): BigInt64Array {
  const areSmall = values.every((value) => typeof value === 'number' && value >= 0 && Number.isSafeInteger(value))
  return areSmall
    ? toBigInts(values.length, (place) => values[place] as number)
    : BigInt64Array.from(values as (number | bigint)[], BigInt)
}

function collectRuns(levels: readonly number[]): [level: number, length: number][] {
  const runs: [number, number][] = []
  for (const level of levels) {
    const last = runs.at(-1)
    if (last && last[0] === level) last[1]++
    else runs.push([level, 1])
  }
  return runs
}

/** RLE runs; levels here never exceed 255, so a run's value is one byte. */
export function encodeRuns(runs: readonly (readonly [level: number, length: number])[]): Uint8Array {
  const bytes: number[] = []
  for (const [level, length] of runs) {
    if (length === 0) continue
    pushVarint(bytes, length * 2)
    bytes.push(level)
  }
  return Uint8Array.from(bytes)
}

/** One bit-packed run: within a row, an entry's level says at which depth its list begins anew. */
function packRepetition(shape: readonly number[], rowCount: number): Uint8Array {
  const depth = shape.length
  const bitWidth = 32 - Math.clz32(depth)
  const perRow = shape.reduce((product, size) => product * size, 1)
  const pattern = new Uint8Array(perRow)
  for (let entry = 0; entry < perRow; entry++) {
    let level = depth
    for (let span = shape[depth - 1] ?? 1; level > 0 && entry % span === 0; span *= shape[level - 1] ?? 1) level--
    pattern[entry] = level
  }
  const entryCount = perRow * rowCount
  const groupCount = Math.ceil(entryCount / 8)
  const head: number[] = []
  pushVarint(head, groupCount * 2 + 1)
  const bytes = new Uint8Array(head.length + groupCount * bitWidth)
  bytes.set(head)
  for (let entry = 0, bit = head.length * 8, place = 0; entry < entryCount; entry++, bit += bitWidth) {
    const level = pattern[place] as number
    if (++place === perRow) place = 0
    if (level === 0) continue
    const shifted = level << (bit & 7)
    bytes[bit >> 3] = (bytes[bit >> 3] as number) | (shifted & 0xff)
    if (shifted > 0xff) bytes[(bit >> 3) + 1] = (bytes[(bit >> 3) + 1] as number) | (shifted >> 8)
  }
  return bytes
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
}

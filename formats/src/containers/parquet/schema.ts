import type { NumericDtype } from '../../feature.ts'
import type { ThriftFields } from './thrift.ts'

/** What a column holds. Everything is optional, as pyarrow writes it, so that readers see the types they know. */
export type ParquetNode =
  | { readonly kind: 'value'; readonly dtype: NumericDtype | 'string' | 'binary' }
  | { readonly kind: 'list'; readonly item: ParquetNode }
  | { readonly kind: 'struct'; readonly fields: readonly (readonly [name: string, node: ParquetNode])[] }

export interface ParquetField {
  readonly name: string
  readonly node: ParquetNode
}

export type LeafDtype = NumericDtype | 'string' | 'binary'

export interface LeafSchema {
  readonly path: readonly string[]
  readonly dtype: LeafDtype
  readonly maxDefinition: number
  readonly maxRepetition: number
}

export const physicalTypes: Record<LeafDtype, number> = {
  bool: 0,
  int8: 1,
  int16: 1,
  int32: 1,
  uint8: 1,
  uint16: 1,
  uint32: 1,
  int64: 2,
  uint64: 2,
  float32: 4,
  float64: 5,
  string: 6,
  binary: 6,
}

/** pyarrow refuses the newer INTEGER logical type as some writers spell it; the converted type is read by all. */
const convertedTypes: Partial<Record<LeafDtype, number>> = {
  string: 0,
  uint8: 11,
  uint16: 12,
  uint32: 13,
  uint64: 14,
  int8: 15,
  int16: 16,
}

const convertedList = 3
const optional = 1
const repeated = 2

export function value(dtype: LeafDtype): ParquetNode {
  return { kind: 'value', dtype }
}

export function list(item: ParquetNode): ParquetNode {
  return { kind: 'list', item }
}

/** A feature's column: a scalar for [1], else lists in lists. */
export function shapedNode(dtype: LeafDtype, shape: readonly number[]): ParquetNode {
  if (shape.length === 1 && shape[0] === 1) return value(dtype)
  return shape.reduce((node: ParquetNode) => list(node), value(dtype))
}

/** The leaves of one field in file order. */
export function listLeaves(field: ParquetField): LeafSchema[] {
  const leaves: LeafSchema[] = []
  const visit = (node: ParquetNode, path: string[], definition: number, repetition: number): void => {
    if (node.kind === 'value') {
      leaves.push({ path, dtype: node.dtype, maxDefinition: definition + 1, maxRepetition: repetition })
    } else if (node.kind === 'list') {
      visit(node.item, [...path, 'list', 'element'], definition + 2, repetition + 1)
    } else {
      for (const [name, child] of node.fields) visit(child, [...path, name], definition + 1, repetition)
    }
  }
  visit(field.node, [field.name], 0, 0)
  return leaves
}

/** The footer's flat schema: the root, then each field depth first. */
export function encodeSchema(fields: readonly ParquetField[]): ThriftFields[] {
  const elements: ThriftFields[] = [
    [
      [4, { text: 'schema' }],
      [5, { i32: fields.length }],
    ],
  ]
  const visit = (name: string, node: ParquetNode): void => {
    if (node.kind === 'value') {
      const converted = convertedTypes[node.dtype]
      elements.push([
        [1, { i32: physicalTypes[node.dtype] }],
        [3, { i32: optional }],
        [4, { text: name }],
        [6, converted === undefined ? undefined : { i32: converted }],
      ])
    } else if (node.kind === 'list') {
      elements.push(group(name, optional, 1, convertedList), group('list', repeated, 1))
      visit('element', node.item)
    } else {
      elements.push(group(name, optional, node.fields.length))
      for (const [child, childNode] of node.fields) visit(child, childNode)
    }
  }
  for (const field of fields) visit(field.name, field.node)
  return elements
}

function group(name: string, repetition: number, childCount: number, converted?: number): ThriftFields {
  return [
    [3, { i32: repetition }],
    [4, { text: name }],
    [5, { i32: childCount }],
    [6, converted === undefined ? undefined : { i32: converted }],
  ]
}

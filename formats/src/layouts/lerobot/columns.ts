import type { ParquetColumn } from '../../containers/parquet/footer.ts'
import { physicalTypes } from '../../containers/parquet/schema.ts'
import { isColumn } from '../../feature.ts'
import type { Findings } from '../../finding.ts'
import { bookkeeping, type SourceFeature } from './info.ts'

/** Holds the declared features against the columns of the first data file; what the file lacks is dropped. */
export function matchColumns(
  features: readonly SourceFeature[],
  columns: readonly ParquetColumn[],
  findings: Findings,
): SourceFeature[] {
  const declared = new Set<string>([...bookkeeping, ...features.map(({ sourceName }) => sourceName)])
  for (const { name } of columns) {
    if (!declared.has(name)) findings.add('feature-undeclared', `Column ${name} is not declared in info.json; dropped.`)
  }
  return features.filter((source) => {
    if (!isStoredInRows(source)) return true
    const column = columns.find(({ name }) => name === source.sourceName)
    if (!column) {
      findings.add(
        'feature-absent',
        `Feature ${source.sourceName} is declared, but the data files do not have it; dropped.`,
      )
      return false
    }
    if (!hasDeclaredType(source, column)) {
      findings.add(
        'feature-dtype-differs',
        `Column ${source.sourceName} is stored in a different type than declared; converted.`,
      )
    }
    return true
  })
}

/** Why a file cannot serve these features, or undefined when it can. */
export function findMisfit(features: readonly SourceFeature[], columns: readonly ParquetColumn[]): string | undefined {
  for (const { feature, sourceName } of features.filter(isStoredInRows)) {
    const column = columns.find(({ name }) => name === sourceName)
    if (!column) return `column ${sourceName} is missing`
    const depth =
      isColumn(feature) && feature.dtype !== 'language' && !(feature.shape.length === 1 && feature.shape[0] === 1)
        ? feature.shape.length
        : undefined
    if (depth !== undefined && column.listDepth !== depth)
      return `column ${sourceName} has ${column.listDepth} dimensions instead of ${depth}`
  }
  return undefined
}

/** Whether a writer would give the file exactly these columns and types. */
export function fitsExactly(features: readonly SourceFeature[], columns: readonly ParquetColumn[]): boolean {
  const stored = features.filter(isStoredInRows)
  const names = [...stored.map(({ sourceName }) => sourceName), ...bookkeeping]
  return (
    columns.length === names.length &&
    names.every((name) => columns.some((column) => column.name === name)) &&
    stored.every((source) => {
      const column = columns.find(({ name }) => name === source.sourceName)
      return (
        column !== undefined &&
        source.feature.name === source.sourceName &&
        hasDeclaredType(source, column) &&
        hasDeclaredDepth(source, column)
      )
    })
  )
}

function isStoredInRows({ feature }: SourceFeature): boolean {
  return isColumn(feature) || feature.storage === 'image'
}

function hasDeclaredType({ feature }: SourceFeature, column: ParquetColumn): boolean {
  if (!isColumn(feature) || feature.dtype === 'language') return true
  return column.leaves.length === 1 && column.leaves[0]?.physicalType === physicalTypes[feature.dtype]
}

function hasDeclaredDepth({ feature }: SourceFeature, column: ParquetColumn): boolean {
  if (!isColumn(feature) || feature.dtype === 'language') return true
  return column.listDepth === (feature.shape.length === 1 && feature.shape[0] === 1 ? 0 : feature.shape.length)
}

import type { Episode, Values } from '../dataset.ts'
import { arrayTypes, type ColumnFeature, countValues, type Feature, isColumn, isNumericDtype } from '../feature.ts'
import { storeAs } from '../steps/action.ts'
import type { FeatureMap } from './source-map.ts'

export type Fill = NonNullable<FeatureMap['fill']>

/** Why a constant cannot stand in rows of the feature. */
export function findFillFault(feature: Feature, fill: Fill): string | undefined {
  if (!isColumn(feature)) return `${feature.name} is a camera, which cannot be filled: leave it out with null`
  const { name, dtype, shape } = feature
  if (dtype === 'language') return `${name} holds language rows, which cannot be filled: leave it out with null`
  if (dtype === 'string')
    return typeof fill === 'string' ? undefined : `${name} holds texts, so the constant is one too`
  if (typeof fill === 'string') return `${name} holds numbers, so the constant is one too`
  if (!Array.isArray(fill)) return undefined
  const width = countValues(shape)
  return fill.length === width ? undefined : `${name} has ${width} numbers a row, and the constant ${fill.length}`
}

/** The episode with constants in the place of the features that it lacks. */
export function fillColumns(episode: Episode, features: readonly Feature[], fills: ReadonlyMap<string, Fill>): Episode {
  const filled = features.filter(isColumn).filter(({ name }) => fills.has(name))
  if (filled.length === 0) return episode
  const readBlocks: Episode['readBlocks'] = async function* (request = {}) {
    const wanted = filled.filter(({ name }) => request.columns?.includes(name) ?? true)
    for await (const block of episode.readBlocks(request)) {
      const constants = wanted.map((feature): [string, Values] => [
        feature.name,
        fillRows(feature, fills.get(feature.name) ?? 0, block.frameCount),
      ])
      yield { ...block, columns: new Map([...block.columns, ...constants]) }
    }
  }
  return { ...episode, readBlocks }
}

/** Rows of the constant. */
export function fillRows({ dtype, shape }: ColumnFeature, fill: Fill, rowCount: number): Values {
  if (dtype === 'string') return new Array<string>(rowCount).fill(String(fill))
  const width = countValues(shape)
  const row = Array.isArray(fill) ? (fill as readonly number[]) : new Array<number>(width).fill(Number(fill))
  const values = Float64Array.from({ length: rowCount * width }, (_, at) => row[at % width] as number)
  if (dtype === 'bool') return arrayTypes.bool.from(values, (value) => (value === 0 ? 0 : 1))
  return isNumericDtype(dtype) ? storeAs({ dtype }, values) : []
}

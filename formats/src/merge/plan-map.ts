import { type ColumnFeature, type Feature, isCamera, isColumn, isPlainName } from '../feature.ts'
import type { JsonValue } from '../json.ts'
import { findDimensionFaults, type PlannedFeature, reserved } from '../steps/feature-plan.ts'
import { changeFeatures, listLabels } from '../steps/features.ts'
import { type FeatureMap, findFactor, type MergeFault, type SourceMap } from './source-map.ts'

/** The least and the greatest number of each dimension. */
export interface FeatureRange {
  readonly min: readonly number[]
  readonly max: readonly number[]
}

/** One source as its map makes it. */
export interface MappedSource {
  readonly planned: readonly PlannedFeature[]
  /** What the planned features are, in the same order. */
  readonly features: readonly Feature[]
  /** Features that the source has not and gets as constants. */
  readonly fills: ReadonlyMap<string, NonNullable<FeatureMap['fill']>>
  /** Our names that the result is not to have. */
  readonly leftOut: ReadonlySet<string>
}

/** Faults are at their places in the map. */
export function planMap(features: readonly Feature[], map: SourceMap): { mapped: MappedSource; faults: MergeFault[] } {
  const faults: MergeFault[] = []
  const refuse = (path: MergeFault['path'], sentence: string, input: unknown): void => {
    faults.push({ path, sentence, input: (input ?? null) as JsonValue })
  }
  const cameras = new Map(Object.entries(map.cameras ?? {}))
  const known = features.filter(isCamera).map(({ name }) => name)
  for (const [theirs, ours] of cameras)
    if (!known.includes(theirs))
      refuse(['cameras', theirs], `there is no camera ${theirs}: the source has ${known.join(', ') || 'none'}`, ours)
  const fills = new Map<string, NonNullable<FeatureMap['fill']>>()
  const leftOut = new Set<string>()
  const taken = new Map<string, PlannedFeature[]>()
  for (const [ours, entry] of Object.entries(map.features ?? {})) {
    const path = ['features', ours]
    if (entry === null) leftOut.add(ours)
    else if (entry.fill !== undefined) {
      if (features.some(({ name }) => name === ours))
        refuse(path, `the source has ${ours}: there is nothing to fill`, entry)
      fills.set(ours, entry.fill)
    } else {
      const planned = planFeature(features, ours, entry, (at, sentence) => refuse([...path, ...at], sentence, entry))
      if (planned) taken.set(planned.source, [...(taken.get(planned.source) ?? []), planned])
    }
  }
  const planned = features.flatMap((feature): PlannedFeature[] => {
    const { name } = feature
    if (isCamera(feature)) {
      const ours = cameras.get(name)
      return ours === null ? [] : [{ source: name, name: ours ?? name }]
    }
    return taken.get(name) ?? (leftOut.has(name) ? [] : [{ source: name, name }])
  })
  const names = [...planned.map(({ name }) => name), ...fills.keys()]
  for (const [place, name] of names.entries()) {
    const at = [known.includes(planned[place]?.source ?? '') ? 'cameras' : 'features', planned[place]?.source ?? name]
    if (name !== planned[place]?.source && !isPlainName(name))
      refuse(at, 'a feature is named without slashes, backslashes and control characters, in 255 bytes at most', name)
    else if (reserved.includes(name)) refuse(at, `the name ${name} is taken: LeRobot's loaders use it themselves`, name)
    else if (names.indexOf(name) !== place)
      refuse(at, `two features of the source would be called ${name}: rename one of them or leave it out`, name)
  }
  if (faults.length > 0) return { mapped: { planned: [], features: [], fills, leftOut }, faults }
  return { mapped: { planned, features: changeFeatures(features, planned), fills, leftOut }, faults }
}

function planFeature(
  features: readonly Feature[],
  ours: string,
  { from = ours, dimensions, names, unit }: FeatureMap,
  refuse: (at: (string | number)[], sentence: string) => void,
): PlannedFeature | undefined {
  const feature = features.find(({ name }) => name === from)
  if (!feature || !isColumn(feature)) {
    const columns = features.filter(isColumn).map(({ name }) => name)
    refuse(
      ['from'],
      feature
        ? `${from} is a camera: map it under cameras`
        : `there is no feature ${from}: the source has ${columns.join(', ') || 'none'}`,
    )
    return undefined
  }
  const labels = listLabels(feature)
  if ((dimensions || names || unit) && !labels) {
    refuse(['from'], `${from} is not a vector of numbers, so it has no dimensions or units`)
    return undefined
  }
  const own = labels ?? []
  if (dimensions) {
    const wrong = findDimensionFaults(from, own, dimensions)
    for (const { path, sentence } of wrong) refuse(['dimensions', ...path.slice(2)], sentence)
    if (wrong.length > 0) return undefined
  }
  const picked = dimensions?.map((label) => own.indexOf(label))
  const isWhole = !picked || (picked.length === own.length && picked.every((place, at) => place === at))
  const width = picked?.length ?? own.length
  if (names && (names.length !== width || new Set(names).size !== width)) {
    refuse(['names'], `${ours} has ${width} dimensions, so it needs as many names, each once`)
    return undefined
  }
  const factors = unit && findFactors(names ?? dimensions ?? own, unit, ours, refuse)
  return {
    ...{ source: from, name: ours },
    ...(!isWhole && picked && { dimensions: picked }),
    ...(names && { names }),
    ...(factors?.some((factor) => factor !== 1) && { factors }),
  }
}

function findFactors(
  names: readonly string[],
  unit: NonNullable<FeatureMap['unit']>,
  ours: string,
  refuse: (at: (string | number)[], sentence: string) => void,
): number[] {
  const isForAll = (change: typeof unit): change is readonly [string, string] => Array.isArray(change)
  const changes = isForAll(unit) ? new Map(names.map((name) => [name, unit])) : new Map(Object.entries(unit))
  for (const name of changes.keys())
    if (!names.includes(name)) refuse(['unit', name], `${ours} has no dimension ${name}: it has ${names.join(', ')}`)
  return names.map((name) => {
    const change = changes.get(name)
    const factor = change ? findFactor(change) : 1
    if (typeof factor === 'number') return factor
    refuse(isForAll(unit) ? ['unit'] : ['unit', name], factor)
    return 1
  })
}

/** What the numbers of a planned feature lie between, from those of the source. */
export function mapRange(
  range: FeatureRange,
  feature: ColumnFeature,
  { dimensions, factors }: PlannedFeature,
): FeatureRange {
  const places = dimensions ?? Array.from({ length: feature.shape[0] ?? 1 }, (_, place) => place)
  const take = (side: readonly number[]) =>
    places.map((place, at) => (side[place] ?? Number.NaN) * (factors?.[at] ?? 1))
  return { min: take(range.min), max: take(range.max) }
}

import { type ColumnFeature, type Feature, isCamera, isColumn } from '../feature.ts'
import type { PlannedFeature } from '../steps/feature-plan.ts'
import { listLabels } from '../steps/features.ts'
import type { Fill } from './fill.ts'
import { type MappedSource, planMap } from './plan-map.ts'
import { type FeatureMap, type MergeFault, mapTask, type SourceMap, type UnitChange } from './source-map.ts'

/** A source of a merged dataset whose features go through a second map: one map for both. */
export interface MapsInRow {
  readonly theirs: readonly Feature[]
  readonly first: SourceMap
  /** What the merged dataset has. */
  readonly ours: readonly Feature[]
  readonly second: SourceMap
}

export interface ComposedMap {
  readonly map: SourceMap
  /** Names that the merged dataset had not, though `second` does not say so: no other source may lose them by this map. */
  readonly lacking: readonly string[]
}

/** Or why no one map says the same, at a place of the second. */
export function composeMaps(maps: MapsInRow): ComposedMap | MergeFault {
  const { theirs, first, ours, second } = maps
  const { mapped: before } = planMap(theirs, first)
  const { mapped: after, faults } = planMap(ours, second)
  const [wrong] = faults
  if (wrong) return wrong
  const cameras = composeCameras(theirs, before, ours, after)
  const features: Record<string, FeatureMap | null> = {}
  for (const [name, fill] of after.fills) features[name] = { fill }
  const kept = new Set<string>()
  for (const planned of after.planned) {
    const feature = ours.find(({ name }) => name === planned.source)
    if (!feature || !isColumn(feature)) continue
    const fill = before.fills.get(planned.source)
    if (fill !== undefined) {
      features[planned.name] = { fill: composeFill(fill, planned) }
      continue
    }
    const entry = composeFeature(maps, before, planned)
    if ('sentence' in entry) return entry
    const { from, ...changes } = entry
    kept.add(from)
    if (from !== planned.name) features[planned.name] = entry
    else if (Object.keys(changes).length > 0) features[planned.name] = changes
  }
  const names = new Set([...after.planned.map(({ name }) => name), ...after.fills.keys()])
  const unused = theirs.filter((feature) => isColumn(feature) && !kept.has(feature.name)).map(({ name }) => name)
  const gone = new Set([...before.leftOut, ...after.leftOut, ...unused].filter((name) => !names.has(name)))
  for (const name of gone) features[name] = null
  const tasks = composeTasks(first.tasks, second.tasks)
  const robot = second.robot_type === undefined ? first.robot_type : second.robot_type
  const map: SourceMap = {
    ...(Object.keys(cameras).length > 0 && { cameras }),
    ...(Object.keys(features).length > 0 && { features }),
    ...(tasks && { tasks }),
    ...(robot !== undefined && { robot_type: robot }),
  }
  const [fault] = planMap(theirs, map).faults
  if (fault) return { path: [], sentence: `both maps in a row cannot be said as one: ${fault.sentence}`, input: null }
  return { map, lacking: [...gone].filter((name) => !after.leftOut.has(name)) }
}

function composeCameras(
  theirs: readonly Feature[],
  before: MappedSource,
  ours: readonly Feature[],
  after: MappedSource,
): Record<string, string | null> {
  const cameras: Record<string, string | null> = {}
  for (const { name } of theirs.filter(isCamera)) {
    const between = before.planned.find(({ source }) => source === name)?.name
    const isThere = ours.some((feature) => feature.name === between)
    const last = isThere ? after.planned.find(({ source }) => source === between)?.name : undefined
    if (last !== name) cameras[name] = last ?? null
  }
  return cameras
}

function composeFill(fill: Fill, { dimensions, factors }: PlannedFeature): Fill {
  if ((!dimensions && !factors) || typeof fill === 'string') return fill
  const width = dimensions?.length ?? factors?.length ?? 0
  return Array.from({ length: width }, (_, at) => {
    const own = Array.isArray(fill) ? (fill as readonly number[])[dimensions?.[at] ?? at] : fill
    return Number(own) * (factors?.[at] ?? 1)
  })
}

type ComposedFeature = FeatureMap & { readonly from: string }

function composeFeature(
  { theirs, first, second }: MapsInRow,
  before: MappedSource,
  after: PlannedFeature,
): ComposedFeature | MergeFault {
  const earlier = before.planned.find(({ name }) => name === after.source)
  const feature = theirs.find(({ name }) => name === earlier?.source) as ColumnFeature | undefined
  const path = ['features', after.name]
  if (!earlier || !feature) return { path, sentence: `the version has no ${after.source}`, input: null }
  const labels = listLabels(feature)
  if (!labels) return { from: feature.name }
  const places = earlier.dimensions ?? labels.map((_, place) => place)
  const between = earlier.names ?? places.map((place) => labels[place] as string)
  const picked = after.dimensions ?? between.map((_, place) => place)
  const last = after.names ?? picked.map((place) => between[place] as string)
  const own = picked.map((place) => labels[places[place] as number] as string)
  const units: Record<string, UnitChange> = {}
  for (const [at, name] of last.entries()) {
    const one = findUnit(first.features?.[after.source]?.unit, between[picked[at] as number] as string)
    const other = findUnit(second.features?.[after.name]?.unit, name)
    if (one && other && one[1] !== other[0])
      return {
        path: [...path, 'unit'],
        sentence: `${name} was brought to ${one[1]} when the version was made, so it cannot be taken for ${other[0]}`,
        input: null,
      }
    const unit: UnitChange | undefined = one && other ? [one[0], other[1]] : (one ?? other)
    if (unit && unit[0] !== unit[1]) units[name] = unit
  }
  const isWhole = own.length === labels.length && own.every((label, at) => label === labels[at])
  return {
    from: feature.name,
    ...(!isWhole && { dimensions: own }),
    ...(last.some((name, at) => name !== own[at]) && { names: last }),
    ...(Object.keys(units).length > 0 && { unit: units }),
  }
}

const findUnit = (unit: FeatureMap['unit'], name: string): UnitChange | undefined =>
  Array.isArray(unit) ? (unit as unknown as UnitChange) : (unit as Readonly<Record<string, UnitChange>>)?.[name]

function composeTasks(first: SourceMap['tasks'] = {}, second: SourceMap['tasks'] = {}): SourceMap['tasks'] {
  // What the first gives any other text, no text of the second is left for.
  const later = '*' in first ? {} : second
  const tasks = Object.fromEntries([
    ...Object.entries(later),
    ...Object.entries(first).map(([theirs, text]) => [theirs, mapTask(text, second)] as const),
  ])
  return Object.keys(tasks).length > 0 ? tasks : undefined
}

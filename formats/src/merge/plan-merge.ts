import {
  type CameraFeature,
  type ColumnFeature,
  type Feature,
  isCamera,
  isColumn,
  isNumericDtype,
  labelDimensions,
} from '../feature.ts'
import type { JsonValue } from '../json.ts'
import { nameAction, nameState, type SignalRoles, toRoles } from '../signal-roles.ts'
import type { PlannedFeature } from '../steps/feature-plan.ts'
import { findFillFault } from './fill.ts'
import { type FeatureRange, type MappedSource, mapRange, planMap } from './plan-map.ts'
import type { MergeFault, SourceMap } from './source-map.ts'

/** What is known of a source without reading it. */
export interface DescribedSource {
  /** What sentences call it. */
  readonly title: string
  readonly fps: number
  readonly robotType: string | null
  readonly features: readonly Feature[]
  readonly roles?: SignalRoles | undefined
  /** By feature; what is not known is not compared. */
  readonly ranges?: ReadonlyMap<string, FeatureRange> | undefined
  readonly map?: SourceMap | undefined
  /** `units`: that ranges which do not overlap are of one unit all the same. */
  readonly confirm?: readonly string[] | undefined
}

export interface MergePlan {
  /** The lowest of the sources' rates: frames in between were not recorded. */
  readonly fps: number
  readonly robotType: string | null
  /** In the order of the first source. */
  readonly features: readonly Feature[]
  /** Where the sources agree on what is state or action, under a name that does not say so. */
  readonly roles?: SignalRoles | undefined
  readonly sources: readonly PlannedSource[]
}

export interface PlannedSource {
  /** In the order of the result's features, without those that are filled. */
  readonly planned: readonly PlannedFeature[]
  readonly fills: MappedSource['fills']
}

/** How several sources become one dataset, or everything that stands in the way, each at its place below `sources`. */
export function planMerge(sources: readonly DescribedSource[]): { plan: MergePlan | undefined; faults: MergeFault[] } {
  const faults: MergeFault[] = []
  const mapped = sources.map(({ features, map = {} }, place) => {
    const found = planMap(features, map)
    for (const { path, ...fault } of found.faults) faults.push({ path: [place, 'map', ...path], ...fault })
    return found.mapped
  })
  if (faults.length > 0) return { plan: undefined, faults }
  const leftOut = new Set(mapped.flatMap((one) => [...one.leftOut]))
  const merging = new Merging(sources, mapped, faults)
  const names = new Set(mapped.flatMap(({ features }) => features.map(({ name }) => name)))
  const features = [...names].filter((name) => !leftOut.has(name)).flatMap((name) => merging.join(name))
  const robotType = joinRobotTypes(sources, faults)
  for (const [place, { fills }] of mapped.entries())
    for (const name of fills.keys())
      if (!names.has(name))
        faults.push({
          path: [place, 'map', 'features', name],
          sentence: `no source has ${name}, so its shape is not known`,
          input: null,
        })
  if (features.length === 0 && faults.length === 0)
    faults.push({ path: [], sentence: 'no feature is left: the sources have none in common', input: null })
  if (faults.length > 0) return { plan: undefined, faults }
  const roles = joinRoles(sources, mapped, features)
  const plan = {
    ...(roles && { roles }),
    fps: Math.min(...sources.map(({ fps }) => fps)),
    robotType,
    features,
    sources: mapped.map(({ planned, fills }) => ({ planned: orderPlanned(planned, features), fills })),
  }
  return { plan, faults }
}

/** In the order of the result, and in its types. */
const orderPlanned = (planned: readonly PlannedFeature[], features: readonly Feature[]): PlannedFeature[] =>
  features.flatMap((feature) => {
    const own = planned.find(({ name }) => name === feature.name)
    if (!own) return []
    return [isColumn(feature) && feature.dtype === 'float64' ? { ...own, dtype: 'float64' as const } : own]
  })

function joinRoles(
  sources: readonly DescribedSource[],
  mapped: readonly MappedSource[],
  features: readonly Feature[],
): SignalRoles | undefined {
  const join = (
    role: 'state' | 'action',
    nameOf: (source: DescribedSource) => string,
    usual: string,
  ): string | undefined => {
    const names = sources.map((source, place) => {
      const own = nameOf(source)
      return mapped[place]?.planned.find((feature) => feature.source === own)?.name
    })
    const [first] = names
    const isCommon = names.every((name) => name === first) && features.some(({ name }) => name === first)
    // Found by name in every source, it is found by name in what they become, if there is one.
    const isTaken =
      sources.every(({ roles }) => roles?.[role] === undefined) && features.some(({ name }) => name === usual)
    return isCommon && first !== usual && !isTaken ? first : undefined
  }
  return toRoles(join('state', nameState, 'observation.state'), join('action', nameAction, 'action'))
}

function joinRobotTypes(sources: readonly DescribedSource[], faults: MergeFault[]): string | null {
  const types = sources.map(({ robotType, map }) => (map?.robot_type === undefined ? robotType : map.robot_type))
  const other = types.findIndex((type) => type !== types[0])
  if (other === -1) return types[0] ?? null
  const called = (place: number) => `${nameSource(sources, place)} is ${types[place] ?? 'of no stated type'}`
  const sentence = `the robots differ: ${called(0)}, ${called(other)}; say with robot_type what the result is`
  faults.push({ path: [other, 'map', 'robot_type'], sentence, input: types[other] ?? null })
  return null
}

const nameSource = (sources: readonly DescribedSource[], place: number): string =>
  `source ${place} (${sources[place]?.title})`

class Merging {
  readonly #sources: readonly DescribedSource[]
  readonly #mapped: readonly MappedSource[]
  readonly #faults: MergeFault[]

  constructor(sources: readonly DescribedSource[], mapped: readonly MappedSource[], faults: MergeFault[]) {
    this.#sources = sources
    this.#mapped = mapped
    this.#faults = faults
  }

  /** The one feature that all sources have under this name; none where they cannot have it. */
  join(name: string): Feature[] {
    const first = this.#mapped.findIndex(({ features }) => features.some((feature) => feature.name === name))
    let joined = this.#find(first, name) as Feature
    const before = this.#faults.length
    for (const [place, { fills }] of this.#mapped.entries()) {
      const own = this.#find(place, name)
      const fill = fills.get(name)
      const sentence =
        fill !== undefined
          ? findFillFault(joined, fill)
          : !own
            ? this.#describeMissing(place, first, joined)
            : place === first
              ? undefined
              : this.#compare(joined, own, first, place)
      if (sentence) this.#refuse(place, joined, sentence, fill ?? null)
      else if (own) joined = widen(joined, own)
    }
    if (this.#faults.length === before && isColumn(joined)) this.#compareRanges(joined)
    return this.#faults.length === before ? [joined] : []
  }

  #find(place: number, name: string): Feature | undefined {
    return this.#mapped[place]?.features.find((feature) => feature.name === name)
  }

  #refuse(place: number, { name, kind }: Feature, sentence: string, input: unknown): void {
    const theirs = this.#mapped[place]?.planned.find((planned) => planned.name === name)?.source ?? name
    const path = [place, 'map', ...(kind === 'camera' ? ['cameras', theirs] : ['features', name])]
    this.#faults.push({ path, sentence, input: input as JsonValue })
  }

  #describeMissing(place: number, first: number, { name, kind }: Feature): string {
    const [own, other] = [nameSource(this.#sources, place), nameSource(this.#sources, first)]
    if (kind === 'column')
      return `${own} has no ${name}, which ${other} has: map one of its features to it, fill it with a constant, or leave it out with null`
    const cameras = this.#sources[place]?.features.filter(isCamera).map((camera) => camera.name)
    return `${own} has no camera ${name}, which ${other} has: map one of its own (${cameras?.join(', ') || 'none'}) to it, or leave it out of the others with null`
  }

  #compare(one: Feature, other: Feature, first: number, place: number): string | undefined {
    const names = [nameSource(this.#sources, first), nameSource(this.#sources, place)] as const
    if (isCamera(one) && isCamera(other)) return compareCameras(one, other, names)
    if (isColumn(one) && isColumn(other)) return compareColumns(one, other, names)
    return `${one.name} is a camera in one of ${names.join(' and ')} and a column in the other`
  }

  /** A unit cannot be the same where no number of one source lies between those of another. */
  #compareRanges(feature: ColumnFeature): void {
    if (!isNumericDtype(feature.dtype) || feature.dtype === 'bool' || feature.shape.length !== 1) return
    const ranges = this.#sources.map((source, place) => {
      const planned = this.#mapped[place]?.planned.find(({ name }) => name === feature.name)
      const own = planned && source.ranges?.get(planned.source)
      const theirs = planned && source.features.find(({ name }) => name === planned.source)
      return own && theirs && isColumn(theirs) ? mapRange(own, theirs, planned) : undefined
    })
    const labels = labelDimensions(feature)
    for (const [place, range] of ranges.entries()) {
      if (!range || this.#sources[place]?.confirm?.includes('units')) continue
      const other = ranges.findIndex((before, at) => at < place && before && findApart(before, range) !== undefined)
      const dimension = other === -1 ? undefined : findApart(ranges[other] as FeatureRange, range)
      if (dimension === undefined) continue
      const show = ({ min, max }: FeatureRange) => `${round(min[dimension])} to ${round(max[dimension])}`
      const sentence = `${feature.name} (${labels[dimension]}) cannot have one unit: it is ${show(ranges[other] as FeatureRange)} in ${nameSource(this.#sources, other)} and ${show(range)} in ${nameSource(this.#sources, place)}; give a unit, or confirm units`
      this.#refuse(place, feature, sentence, null)
    }
  }
}

const round = (value: number | undefined): string => String(Number((value ?? Number.NaN).toPrecision(4)))

/** The first dimension in which the ranges have no number in common; of two constants nothing can be said. */
function findApart(one: FeatureRange, other: FeatureRange): number | undefined {
  for (let place = 0; place < one.min.length; place++) {
    const [low, high, from, to] = [one.min[place], one.max[place], other.min[place], other.max[place]].map(Number) as [
      number,
      number,
      number,
      number,
    ]
    const isApart = Math.max(low, from) > Math.min(high, to)
    if (isApart && (low !== high || from !== to)) return place
  }
  return undefined
}

type Names = readonly [string, string]

function compareCameras(one: CameraFeature, other: CameraFeature, [first, second]: Names): string | undefined {
  const size = ({ width, height }: CameraFeature) => `${width}x${height}`
  if (size(one) !== size(other))
    return `${one.name} is ${size(one)} in ${first} and ${size(other)} in ${second}: give one of them a resize in its recipe`
  const isSameDepth = JSON.stringify(one.depth ?? null) === JSON.stringify(other.depth ?? null)
  if (!isSameDepth) return `${one.name} does not measure depth in the same way in ${first} and ${second}`
  if (one.depth && one.storage !== other.storage)
    return `${one.name} keeps depth as ${one.storage} in ${first} and as ${other.storage} in ${second}`
  if (one.channels !== other.channels)
    return `${one.name} has ${one.channels} channels in ${first} and ${other.channels} in ${second}`
  return undefined
}

function compareColumns(one: ColumnFeature, other: ColumnFeature, [first, second]: Names): string | undefined {
  const isSame = one.dtype === other.dtype || [one, other].every(({ dtype }) => dtype.startsWith('float'))
  if (!isSame) return `${one.name} is ${one.dtype} in ${first} and ${other.dtype} in ${second}`
  const shape = ({ shape: sizes }: ColumnFeature) => sizes.join('x')
  if (shape(one) !== shape(other))
    return `${one.name} has the shape ${shape(one)} in ${first} and ${shape(other)} in ${second}: choose its dimensions`
  if (one.shape.length !== 1 || one.shape[0] === 1) return undefined
  const [labels, theirs] = [labelDimensions(one), labelDimensions(other)]
  if (labels.every((label, place) => label === theirs[place])) return undefined
  const isPermuted = new Set(labels).symmetricDifference(new Set(theirs)).size === 0
  return isPermuted
    ? `the dimensions of ${one.name} are ordered differently: ${labels.join(', ')} in ${first}, ${theirs.join(', ')} in ${second}; give dimensions`
    : `the dimensions of ${one.name} are called ${labels.join(', ')} in ${first} and ${theirs.join(', ')} in ${second}; say with dimensions and names which are the same`
}

/** The type and storage that hold what both have. */
function widen(one: Feature, other: Feature): Feature {
  if (isCamera(one) && isCamera(other)) return other.storage === 'video' ? { ...one, storage: 'video' } : one
  return isColumn(one) && isColumn(other) && other.dtype === 'float64' ? { ...one, dtype: 'float64' } : one
}

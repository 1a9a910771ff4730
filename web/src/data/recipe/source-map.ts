import type { Recipe, SourceMap } from '@nmp/sdk/generated/records'
import type { FeatureStatistics, Manifest } from '../dataset.ts'
import { toPixels } from './crop-box.ts'

type FeatureMap = NonNullable<NonNullable<SourceMap['features']>[string]>
export type Fill = NonNullable<FeatureMap['fill']>
/** From a unit to another. */
export type UnitChange = [from: string, to: string]

/** A camera as its recipe leaves it. */
export interface MergedCamera {
  name: string
  /** The name that the files have for it. */
  source: string
  width: number
  height: number
}

/** A column as its recipe leaves it. */
export interface MergedColumn {
  name: string
  source: string
  dtype: string
  shape: readonly number[]
  /** Names of a vector's dimensions; null where there is nothing to choose from. */
  labels: readonly string[] | null
  /** Of each dimension, over the whole of the source. */
  min: readonly number[]
  max: readonly number[]
}

/** What a source has to offer. */
export interface MergedSide {
  cameras: MergedCamera[]
  columns: MergedColumn[]
}

/** LeRobot's counting columns: every dataset has them under these names, and nothing is mapped to them. */
const counting = new Set(['timestamp', 'frame_index', 'episode_index', 'index', 'task_index'])
const isPicture = (dtype: string) => dtype === 'video' || dtype === 'image'

export function describeSide(
  { observation }: Pick<Manifest, 'observation'>,
  features: readonly FeatureStatistics[],
  recipe: Recipe | null,
): MergedSide {
  const { camera_keys: kept, features: changes } = recipe ?? { camera_keys: null, features: null }
  const isKept = (name: string) => !changes?.drop?.includes(name)
  const rename = (name: string) => changes?.rename?.[name] ?? name
  return {
    cameras: observation.cameras
      .filter(({ key }) => isKept(key) && (!kept?.length || kept.includes(key)))
      .map(({ key, width, height }) => {
        const { width: wide, height: high } = recipe?.resize ?? toPixels(recipe?.crop ?? null, width, height)
        return { name: rename(key), source: key, width: wide, height: high }
      }),
    columns: features
      .filter(({ name, dtype }) => !counting.has(name) && !isPicture(dtype) && isKept(name))
      .map((feature) => describeColumn(feature, rename(feature.name), changes?.dimensions?.[feature.name])),
  }
}

function describeColumn(feature: FeatureStatistics, name: string, picked: readonly string[] | undefined): MergedColumn {
  const { dtype, shape, names, min, max } = feature
  const all = listLabels(feature)
  const places = (picked ?? all ?? []).map((label) => all?.indexOf(label) ?? -1)
  const take = (side: number[] | null) => (all ? places.map((place) => side?.[place] ?? Number.NaN) : [])
  return {
    name,
    source: feature.name,
    dtype,
    shape: picked ? [picked.length] : shape,
    labels: all ? (picked && names === null ? picked.map((_, at) => String(at)) : (picked ?? all)) : null,
    min: take(min),
    max: take(max),
  }
}

const listLabels = ({ dtype, shape, names }: FeatureStatistics): readonly string[] | null => {
  if (shape.length !== 1 || dtype === 'string' || dtype === 'language') return null
  const size = shape[0] ?? 0
  return names?.length === size ? names : Array.from({ length: size }, (_, at) => String(at))
}

const withEntry = <T>(entries: Record<string, T> | undefined, key: string, value: T | undefined): Record<string, T> => {
  const { [key]: _, ...others } = entries ?? {}
  return value === undefined ? others : { ...others, [key]: value }
}

const put = <K extends 'cameras' | 'features' | 'tasks'>(
  map: SourceMap,
  key: K,
  entries: NonNullable<SourceMap[K]>,
): SourceMap => {
  const { [key]: _, ...others } = map
  return Object.keys(entries).length > 0 ? { ...others, [key]: entries } : others
}

/** What their camera is called in the result; null where it is left out. */
const callCamera = (map: SourceMap, theirs: string): string | null =>
  map.cameras && Object.hasOwn(map.cameras, theirs) ? (map.cameras[theirs] ?? null) : theirs

export const findCamera = (map: SourceMap, theirs: readonly MergedCamera[], ours: string): MergedCamera | undefined =>
  theirs.find(({ name }) => callCamera(map, name) === ours)

/** Null leaves it out; under its own name nothing has to be said. */
const nameCamera = (map: SourceMap, theirs: string, ours: string | null): SourceMap =>
  put(map, 'cameras', withEntry(map.cameras, theirs, ours === theirs ? undefined : ours))

export const leaveOutCamera = (map: SourceMap, theirs: string): SourceMap => nameCamera(map, theirs, null)

/** Ours is the one that was chosen. Which it was before takes that one's place, or is left out. */
export function chooseCamera(
  map: SourceMap,
  theirs: readonly MergedCamera[],
  ours: readonly MergedCamera[],
  name: string,
  chosen: string | undefined,
): SourceMap {
  const before = findCamera(map, theirs, name)?.name
  if (before === chosen) return map
  const place = chosen === undefined ? null : callCamera(map, chosen)
  const left = place !== null && ours.some((camera) => camera.name === place) ? place : null
  const freed = before === undefined ? map : nameCamera(map, before, left)
  return chosen === undefined ? freed : nameCamera(freed, chosen, name)
}

/** Cameras that nothing of ours is made of. */
export const listSpareCameras = (map: SourceMap, theirs: readonly MergedCamera[], ours: readonly MergedCamera[]) =>
  theirs
    .filter(({ name }) => !ours.some((camera) => camera.name === callCamera(map, name)))
    .map((camera) => ({ camera, isLeftOut: callCamera(map, camera.name) === null }))

export type ColumnChoice =
  | { kind: 'from'; column: MergedColumn; entry: FeatureMap }
  | { kind: 'fill'; fill: Fill }
  | { kind: 'out' | 'missing' }

const isTaken = (map: SourceMap, name: string): boolean =>
  Object.entries(map.features ?? {}).some(([ours, entry]) => entry?.from === name && ours !== name)

/** What one of our columns is made of. */
export function findColumn(map: SourceMap, theirs: readonly MergedColumn[], ours: string): ColumnChoice {
  const entry = map.features?.[ours]
  if (entry === null) return { kind: 'out' }
  if (entry?.fill !== undefined) return { kind: 'fill', fill: entry.fill }
  const name = entry?.from ?? ours
  const column = theirs.find((one) => one.name === name)
  if (!column || (!entry && isTaken(map, name))) return { kind: 'missing' }
  return { kind: 'from', column, entry: entry ?? {} }
}

/** Undefined: as if nothing had been said. */
export const setColumn = (map: SourceMap, ours: string, entry: FeatureMap | null | undefined): SourceMap =>
  put(map, 'features', withEntry(map.features, ours, entry))

/** Under its own name nothing has to be said. */
export const chooseColumn = (map: SourceMap, ours: string, from: string): SourceMap =>
  setColumn(map, ours, from === ours ? undefined : { from })

export const listSpareColumns = (map: SourceMap, theirs: readonly MergedColumn[], ours: readonly MergedColumn[]) =>
  theirs
    .filter(({ name }) => !ours.some((column) => column.name === name) && !isTaken(map, name))
    .map((column) => ({ column, isLeftOut: map.features?.[column.name] === null }))

/** Which of theirs each of our dimensions is; undefined where nobody has said it yet. */
export function listPicked(ours: MergedColumn, theirs: MergedColumn, entry: FeatureMap): (string | undefined)[] {
  const labels = ours.labels ?? []
  if (entry.dimensions) return labels.map((_, at) => entry.dimensions?.[at])
  const isSame = labels.length === theirs.labels?.length && labels.every((label, at) => label === theirs.labels?.[at])
  return isSame || entry.names ? labels.map((_, at) => theirs.labels?.[at]) : labels.map(() => undefined)
}

/** The unit that each of our dimensions is brought to, and from which. */
export const listUnits = (ours: MergedColumn, { unit }: FeatureMap): (UnitChange | undefined)[] =>
  (ours.labels ?? []).map((label) => (Array.isArray(unit) ? unit : unit?.[label]) as UnitChange | undefined)

/** What is said of a column whose every dimension is known. */
export function writeColumn(
  ours: MergedColumn,
  theirs: MergedColumn,
  picked: readonly string[],
  units: readonly (UnitChange | undefined)[],
): FeatureMap | undefined {
  const labels = ours.labels ?? []
  const isRenamed = picked.some((label, at) => label !== labels[at])
  const isWhole = picked.length === theirs.labels?.length && picked.every((label, at) => label === theirs.labels?.[at])
  const entry = {
    ...(theirs.name !== ours.name && { from: theirs.name }),
    ...((isRenamed || !isWhole) && { dimensions: [...picked] }),
    ...(isRenamed && { names: [...labels] }),
    ...writeUnits(labels, units),
  }
  return Object.keys(entry).length > 0 ? entry : undefined
}

function writeUnits(labels: readonly string[], units: readonly (UnitChange | undefined)[]): Pick<FeatureMap, 'unit'> {
  const [first] = units
  const said = labels.flatMap((label, at) => (units[at] ? [[label, units[at]] as const] : []))
  if (said.length === 0) return {}
  const isForAll = first && units.every((unit) => unit?.join() === first.join())
  return { unit: isForAll ? first : Object.fromEntries(said) }
}

export const setTask = (map: SourceMap, theirs: string, ours: string): SourceMap =>
  put(map, 'tasks', withEntry(map.tasks, theirs, ours === '' ? undefined : ours))

/** How large a unit is; two of a kind can become each other. */
const unitSizes = [
  { rad: 1, deg: Math.PI / 180 },
  { m: 1, cm: 0.01, mm: 0.001 },
  { fraction: 1, percent: 0.01 },
] as const

export const unitChanges: UnitChange[] = unitSizes.flatMap((kind) =>
  Object.keys(kind).flatMap((from) =>
    Object.keys(kind)
      .filter((to) => to !== from)
      .map((to): UnitChange => [from, to]),
  ),
)

/** What their numbers are multiplied by. */
export function findFactor(change: UnitChange | undefined): number {
  if (!change) return 1
  const sizes = Object.assign({}, ...unitSizes) as Record<string, number>
  return (sizes[change[0]] ?? Number.NaN) / (sizes[change[1]] ?? Number.NaN)
}

/** A dimension whose numbers have no number in common: they cannot be of one unit, unless somebody knows it. */
export interface ApartRange {
  column: string
  label: string
  ours: [number, number]
  theirs: [number, number]
}

/** As far as the ranges of the whole sources tell; of two constants nothing can be said. */
export const listApart = (
  map: SourceMap,
  ours: readonly MergedColumn[],
  theirs: readonly MergedColumn[],
): ApartRange[] =>
  ours.flatMap((column) => {
    const choice = findColumn(map, theirs, column.name)
    if (choice.kind !== 'from' || column.dtype === 'bool') return []
    const picked = listPicked(column, choice.column, choice.entry)
    const units = listUnits(column, choice.entry)
    return (column.labels ?? []).flatMap((label, at) => {
      const place = choice.column.labels?.indexOf(picked[at] ?? '') ?? -1
      const factor = findFactor(units[at])
      const [low, high] = [column.min[at] ?? Number.NaN, column.max[at] ?? Number.NaN]
      const from = (choice.column.min[place] ?? Number.NaN) * factor
      const to = (choice.column.max[place] ?? Number.NaN) * factor
      const isApart = Math.max(low, from) > Math.min(high, to) && (low !== high || from !== to)
      return isApart ? [{ column: column.name, label, ours: [low, high], theirs: [from, to] }] : []
    })
  })

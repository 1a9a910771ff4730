import { type CameraFeature, type ColumnFeature, isCamera, isColumn, isNumericDtype } from '../feature.ts'
import { listLabels } from '../steps/features.ts'
import { findAlike, reduceName } from './alike-names.ts'
import type { DescribedSource } from './plan-merge.ts'
import type { FeatureMap, SourceMap, UnitChange } from './source-map.ts'

/** One line of the table that a person looks through. */
export interface SuggestedRow {
  readonly kind: 'camera' | 'feature' | 'dimension' | 'unit' | 'task' | 'robot_type'
  readonly theirs: string
  /** Null where nothing fits: it has to be said. */
  readonly ours: string | null
  /** Told by their very names; anything else is for a person to confirm. */
  readonly isSure: boolean
  readonly reason: string
}

export interface SuggestedMap {
  readonly map: SourceMap
  readonly rows: readonly SuggestedRow[]
}

export interface SuggestedSource extends DescribedSource {
  readonly tasks?: readonly string[]
}

/** Each source as the first one would have it. What is only likely is in the map too, and its row says so. */
export function suggestMaps(sources: readonly SuggestedSource[]): SuggestedMap[] {
  const [first, ...others] = sources
  if (!first) return []
  return [{ map: {}, rows: [] }, ...others.map((source) => suggestMap(first, source))]
}

function suggestMap(ours: SuggestedSource, theirs: SuggestedSource): SuggestedMap {
  const rows: SuggestedRow[] = []
  const cameras = suggestCameras(ours.features.filter(isCamera), theirs.features.filter(isCamera), rows)
  const features = suggestFeatures(ours, theirs, rows)
  const tasks = suggestTasks(ours.tasks ?? [], theirs.tasks ?? [], rows)
  const map = {
    ...(Object.keys(cameras).length > 0 && { cameras }),
    ...(Object.keys(features).length > 0 && { features }),
    ...(Object.keys(tasks).length > 0 && { tasks }),
  }
  if (ours.robotType === theirs.robotType) return { map, rows }
  const reason = 'The robots are called differently: are they of one type?'
  rows.push({ kind: 'robot_type', theirs: String(theirs.robotType), ours: ours.robotType, isSure: false, reason })
  return { map: { ...map, robot_type: ours.robotType }, rows }
}

function suggestCameras(ours: readonly CameraFeature[], theirs: readonly CameraFeature[], rows: SuggestedRow[]) {
  const map: Record<string, string> = {}
  const taken = new Set(ours.map(({ name }) => name).filter((name) => theirs.some((camera) => camera.name === name)))
  const size = ({ width, height }: CameraFeature) => `${width}x${height}`
  for (const camera of theirs.filter(({ name }) => !taken.has(name))) {
    const left = ours.filter(({ name }) => !taken.has(name))
    const alike = findAlike(
      camera.name,
      left.map(({ name }) => name),
    )
    const sized = left.filter((other) => size(other) === size(camera))
    const found = alike?.name ?? (sized.length === 1 ? sized[0]?.name : undefined)
    const row = { kind: 'camera' as const, theirs: camera.name, isSure: false }
    if (found === undefined) {
      const reason = 'No camera is alike in name or size: map it, or leave it out with null.'
      rows.push({ ...row, ours: null, reason })
      continue
    }
    taken.add(found)
    map[camera.name] = found
    const other = ours.find(({ name }) => name === found) as CameraFeature
    const sizes =
      size(other) === size(camera) ? size(camera) : `${size(camera)}, where the other has ${size(other)}: resize`
    rows.push({ ...row, ours: found, reason: `${alike?.reason ?? 'The only one left of this size'} (${sizes}).` })
  }
  return map
}

function suggestFeatures(ours: SuggestedSource, theirs: SuggestedSource, rows: SuggestedRow[]) {
  const map: Record<string, FeatureMap> = {}
  const columns = theirs.features.filter(isColumn)
  const wanted = ours.features.filter(isColumn)
  const left = columns.filter(({ name }) => !wanted.some((feature) => feature.name === name))
  for (const feature of wanted) {
    const same = columns.find(({ name }) => name === feature.name)
    const alike = same
      ? undefined
      : findAlike(
          feature.name,
          left.map(({ name }) => name),
        )
    const found = same ?? left.find(({ name }) => name === alike?.name)
    const row = { kind: 'feature' as const, ours: feature.name, isSure: false }
    if (!found) {
      const reason = 'The source has nothing alike: fill it with a constant, or leave it out with null.'
      rows.push({ ...row, theirs: '', reason })
      continue
    }
    if (!same) rows.push({ ...row, theirs: found.name, reason: `${alike?.reason}.` })
    const entry = { ...(!same && { from: found.name }), ...suggestDimensions(feature, found, rows) }
    const unit = suggestUnit(feature, found, entry, { ours, theirs }, rows)
    if (Object.keys(entry).length > 0 || unit) map[feature.name] = { ...entry, ...(unit && { unit }) }
  }
  return map
}

/** Their dimensions in our order, as far as names tell. */
function suggestDimensions(
  ours: ColumnFeature,
  theirs: ColumnFeature,
  rows: SuggestedRow[],
): Pick<FeatureMap, 'dimensions' | 'names'> {
  const [labels, others] = [listLabels(ours), listLabels(theirs)]
  if (!labels || !others || labels.join('\n') === others.join('\n')) return {}
  const left = new Set(others)
  const found = labels.map((label) => {
    const exact = left.has(label) ? label : [...left].find((other) => reduceName(other) === reduceName(label))
    if (exact !== undefined) left.delete(exact)
    return exact
  })
  const isComplete = found.every((label) => label !== undefined)
  // Nothing in the names tells: the order may be the same where there are as many.
  const picked = isComplete ? (found as string[]) : others.length === labels.length ? others : undefined
  for (const [place, label] of labels.entries()) {
    const called = picked?.[place]
    const isSure = called === label
    const reason = isSure
      ? 'The same name.'
      : isComplete
        ? 'The same name in another spelling.'
        : picked
          ? 'Only its place fits: no name tells.'
          : 'No dimension fits.'
    rows.push({
      kind: 'dimension',
      theirs: `${theirs.name}.${called ?? ''}`,
      ours: `${ours.name}.${label}`,
      isSure,
      reason,
    })
  }
  if (!picked) return {}
  const isRenamed = picked.some((label, place) => label !== labels[place])
  return { dimensions: picked, ...(isRenamed && { names: labels }) }
}

/** A turn is 6.28 rad and 360 deg: what goes beyond the first, and is tens of times as wide, is in degrees. */
const mostRadians = 6.6
const [leastRatio, mostRatio] = [12, 250]

function suggestUnit(
  ours: ColumnFeature,
  theirs: ColumnFeature,
  { dimensions }: Pick<FeatureMap, 'dimensions'>,
  sources: { ours: SuggestedSource; theirs: SuggestedSource },
  rows: SuggestedRow[],
): FeatureMap['unit'] | undefined {
  if (!isNumericDtype(ours.dtype) || !ours.dtype.startsWith('float')) return undefined
  const [own, other] = [sources.ours.ranges?.get(ours.name), sources.theirs.ranges?.get(theirs.name)]
  const [labels, called] = [listLabels(ours), listLabels(theirs)]
  if (!own || !other || !labels || !called) return undefined
  const units: Record<string, UnitChange> = {}
  for (const [place, label] of labels.entries()) {
    const at = dimensions ? called.indexOf(dimensions[place] ?? '') : place
    const [one, two] = [measure(own.min[place], own.max[place]), measure(other.min[at], other.max[at])]
    const change = findChange(one, two)
    if (!change) continue
    units[label] = change
    const reason = `Theirs reaches ${two.most.toPrecision(3)}, ours ${one.most.toPrecision(3)}: as if one were degrees and the other radians.`
    rows.push({
      kind: 'unit',
      theirs: `${theirs.name}.${called[at]}: ${change[0]}`,
      ours: change[1],
      isSure: false,
      reason,
    })
  }
  const changes = Object.values(units)
  if (changes.length === 0) return undefined
  const isForAll = changes.length === labels.length && changes.every(([from]) => from === changes[0]?.[0])
  return isForAll ? (changes[0] as UnitChange) : units
}

interface Extent {
  readonly width: number
  readonly most: number
}

const measure = (min = Number.NaN, max = Number.NaN): Extent => ({
  width: max - min,
  most: Math.max(Math.abs(min), Math.abs(max)),
})

function findChange(ours: Extent, theirs: Extent): UnitChange | undefined {
  const isDegrees = (one: Extent, other: Extent) =>
    one.most > mostRadians &&
    other.most <= mostRadians &&
    one.width / other.width > leastRatio &&
    one.width / other.width < mostRatio
  if (isDegrees(theirs, ours)) return ['deg', 'rad']
  return isDegrees(ours, theirs) ? ['rad', 'deg'] : undefined
}

/** Texts that differ in capitals, spaces and full stops only. */
function suggestTasks(
  ours: readonly string[],
  theirs: readonly string[],
  rows: SuggestedRow[],
): Record<string, string> {
  const map: Record<string, string> = {}
  const reduce = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[\s.!?]+/g, ' ')
      .trim()
  for (const task of theirs) {
    const found = ours.includes(task) ? undefined : ours.find((text) => reduce(text) === reduce(task))
    if (found === undefined) continue
    map[task] = found
    rows.push({ kind: 'task', theirs: task, ours: found, isSure: false, reason: 'The same words in another spelling.' })
  }
  return map
}

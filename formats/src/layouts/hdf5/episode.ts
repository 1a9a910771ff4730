/** From a family's words ("this array is the action, that one a camera") to the plan of one episode. */
import type { Hdf5Dataset } from '../../containers/hdf5/hdf5.ts'
import { joinPath } from '../../containers/hdf5/tree.ts'
import { countValues, type NumericDtype } from '../../feature.ts'
import { findClockUnit, isIrregular } from './clock.ts'
import { findColumnDtype } from './numbers.ts'
import { findPictures, isColourName, type PictureFacts } from './pictures.ts'
import type { CameraPlan, ColumnPlan, EpisodePlan, PlanNote } from './plan.ts'
import type { Hdf5Source } from './source.ts'
import { readPathSplit } from './splits.ts'

/** What an array is to the family. Arrays without a role become columns under their own name. */
export type Role =
  | { readonly as: 'state' | 'action'; readonly order: number; readonly rowOffset?: number }
  | {
      readonly as: 'column'
      readonly name: string
      /** Where the file says them. */
      readonly names?: readonly string[] | null
      readonly dtype?: NumericDtype
    }
  | { readonly as: 'camera'; readonly key: string; readonly lengths?: CameraPlan['lengths'] }
  | { readonly as: 'clock' }
  | { readonly as: 'skip' }

export interface EpisodeRules {
  readonly group: string
  readonly sourceId: string
  readonly task?: string | undefined
  readonly success?: boolean | null
  /** Default: what a folder of the path says. */
  readonly splits?: readonly string[]
  readonly startRow?: number
  /** Rows the family cuts out of longer arrays (D4RL); else the arrays tell the length. */
  readonly length?: number
  /** `relative` has no leading "/". Undefined: a camera if it holds colour pictures, else a column. */
  role(relative: string, dataset: Hdf5Dataset): Role | undefined
  readonly colorOrder?: 'rgb' | 'bgr'
  /** Colour order of encoded pictures where it differs from that of pixels. */
  readonly encodedColorOrder?: 'rgb' | 'bgr'
  readonly isFlipped?: boolean
  readonly fps: number
  readonly extraCameras?: readonly { readonly plan: CameraPlan; readonly rowCount: number }[]
  readonly notes?: readonly PlanNote[]
}

export const sourceTimestamp = 'observation.source_timestamp'
export const successColumn = 'next.success'

/** Rewards and marks come as bytes, integers and floats; LeRobot's readers expect these. */
const fixedDtypes: Readonly<Record<string, NumericDtype>> = {
  'next.reward': 'float32',
  'next.done': 'bool',
  'next.truncated': 'bool',
  [successColumn]: 'bool',
}

/** What policies read: lerobot's normalizers subtract a mean, which truth values do not know. */
const policyInput = /^(observation|action)(\.|$)/

const pickDtype = (name: string, dtype: NumericDtype): NumericDtype =>
  fixedDtypes[name] ?? (dtype === 'bool' && policyInput.test(name) ? 'float32' : dtype)

/** Wider rows (point clouds, depth maps) are no columns. */
const maxRowValues = 16_384

interface Found {
  readonly relative: string
  readonly dataset: Hdf5Dataset
  readonly rowCount: number
}

interface Parts {
  readonly cameras: (CameraPlan & { rowCount: number })[]
  readonly columns: (ColumnPlan & { rowCount: number })[]
  readonly state: (Found & { order: number; rowOffset: number })[]
  readonly action: (Found & { order: number; rowOffset: number })[]
  readonly clocks: Found[]
  readonly notes: PlanNote[]
}

export async function planEpisode(source: Hdf5Source, rules: EpisodeRules): Promise<EpisodePlan> {
  const parts: Parts = { cameras: [], columns: [], state: [], action: [], clocks: [], notes: [...(rules.notes ?? [])] }
  const prefix = rules.group === '/' ? 1 : rules.group.length + 1
  for (const dataset of source.tree.listDatasets(rules.group)) {
    await sortArray(source, rules, dataset.path.slice(prefix), dataset, parts)
  }
  for (const { plan, rowCount } of rules.extraCameras ?? []) parts.cameras.push({ ...plan, rowCount })
  const state = joinParts('observation.state', parts.state)
  const action = joinParts('action', parts.action)
  const columns = [...(state ? [state] : []), ...(action ? [action] : []), ...parts.columns]
  const reference = findReference(rules, parts, state?.rowCount, action?.rowCount)
  const isNear = (rowCount: number) => Math.abs(rowCount - reference) <= Math.max(2, reference / 4)
  for (const column of columns.filter(({ rowCount }) => !isNear(rowCount))) {
    const isSignal = column === state || column === action
    noteLeftOut(parts.notes, column.name, `it has ${column.rowCount} rows, the episode ${reference}`, isSignal)
  }
  const cameras = parts.cameras.filter(({ rowCount }) => isNear(rowCount))
  const near = columns.filter(({ rowCount }) => isNear(rowCount))
  const counts = [...near, ...cameras].map(({ rowCount }) => rowCount)
  const length = rules.length ?? (counts.length === 0 ? 0 : Math.min(...counts))
  noteLengths(rules, parts.notes, counts, length)
  const clock = await planClock(source, rules, parts, length)
  const success = planSuccess(rules, near)
  return {
    group: rules.group,
    sourceId: rules.sourceId,
    task: source.options.task ?? rules.task ?? '',
    success: rules.success ?? null,
    splits: rules.splits ?? readPathSplit(source.file),
    startRow: rules.startRow ?? 0,
    length,
    columns: [...near.map(({ rowCount: _, ...column }) => column), ...success, ...clock],
    cameras: cameras.map(({ rowCount: _, ...camera }) => camera),
    notes: parts.notes,
  }
}

async function sortArray(
  source: Hdf5Source,
  rules: EpisodeRules,
  relative: string,
  dataset: Hdf5Dataset,
  parts: Parts,
): Promise<void> {
  const role = rules.role(relative, dataset)
  if (role?.as === 'skip') return
  const isSignal = role?.as === 'state' || role?.as === 'action' || role?.as === 'camera'
  if (dataset.refusal !== undefined) return noteLeftOut(parts.notes, relative, dataset.refusal, isSignal)
  const rowCount = (dataset.shape[0] ?? 0) - (rules.startRow ?? 0)
  const found = { relative, dataset, rowCount }
  if (role?.as === 'camera' || (role === undefined && isColourName(relative))) {
    const facts = await findPictures(source, dataset, relative)
    if (facts && (role !== undefined || facts.axes !== 'HW')) {
      parts.cameras.push(planCamera(source, rules, relative, role, facts))
      return
    }
    if (role) return noteLeftOut(parts.notes, relative, 'it contains no pictures in a supported format', isSignal)
  }
  if (role?.as === 'clock') {
    parts.clocks.push(found)
    return
  }
  if (dataset.shape.length === 0 || rowCount < 1) return
  const dtype = findColumnDtype(dataset.dtype)
  const width = countValues(dataset.shape.slice(1))
  if (!dtype || isMap(dataset) || width === 0 || width > maxRowValues || dataset.shape.length > 5) {
    return noteLeftOut(parts.notes, relative, `a column cannot hold ${describeRows(dataset)}`, isSignal)
  }
  if (role?.as === 'state' || role?.as === 'action') {
    const rowOffset = role.rowOffset ?? 0
    parts[role.as].push({ ...found, rowCount: rowCount - rowOffset, order: role.order, rowOffset })
    return
  }
  const name = role?.as === 'column' ? role.name : nameColumn(relative)
  parts.columns.push({
    name,
    dtype: (role?.as === 'column' ? role.dtype : undefined) ?? pickDtype(name, dtype),
    shape: dataset.shape.length === 1 ? [1] : dataset.shape.slice(1),
    names: (role?.as === 'column' ? role.names : null) ?? null,
    parts: [{ path: relative, rowOffset: 0, width }],
    form: 'rows',
    rowCount,
  })
}

/** Depth, normals, segmentation: a picture per frame that is no colour camera. */
function isMap({ shape }: Hdf5Dataset): boolean {
  return (shape.length === 3 || shape.length === 4) && (shape[1] ?? 0) >= 16 && (shape[2] ?? 0) >= 16
}

function planCamera(
  source: Hdf5Source,
  rules: EpisodeRules,
  relative: string,
  role: Extract<Role, { as: 'camera' }> | undefined,
  facts: PictureFacts,
): CameraPlan & { rowCount: number } {
  const { form, axes, width, height, channels, frameCount } = facts
  const stored = form === 'pixels' ? rules.colorOrder : (rules.encodedColorOrder ?? rules.colorOrder)
  return {
    name: `observation.images.${role?.key.replaceAll('/', '.') ?? nameCamera(relative)}`,
    path: relative,
    form,
    axes,
    width,
    height,
    channels,
    colorOrder: source.options.colorOrder ?? stored ?? 'rgb',
    isFlipped: source.options.flipVertical ?? rules.isFlipped ?? false,
    rowOffset: 0,
    ...(role?.lengths && { lengths: role.lengths }),
    rowCount: form === 'video' ? frameCount : frameCount - (rules.startRow ?? 0),
  }
}

/** LeRobot takes every name that begins with "action" for a policy's output, and bans "/". */
export function nameColumn(relative: string): string {
  const name = relative.replaceAll('/', '.').replace(/^(obs|observations?)\./, 'observation.')
  return name.startsWith('action') || name === 'observation.state' ? `source.${name}` : name
}

function nameCamera(relative: string): string {
  return relative
    .replace(/^(obs|observations?|camera|cameras|images?|sensors?|data)\//, '')
    .replace(/^(images?|color|rgb_images)\//, '')
    .replace(/^observation\.images?\./, '')
    .replaceAll('/', '.')
}

function joinParts(name: string, parts: Parts['state']): (ColumnPlan & { rowCount: number }) | undefined {
  if (parts.length === 0) return undefined
  const sorted = [...parts].sort((a, b) => a.order - b.order)
  const dtypes = new Set(sorted.map(({ dataset }) => findColumnDtype(dataset.dtype) ?? 'float32'))
  const [only = 'float32'] = dtypes
  const widths = sorted.map(({ dataset }) => countValues(dataset.shape.slice(1)))
  const names = sorted.flatMap(({ relative }, index) => labelPart(relative, widths[index] ?? 0))
  return {
    name,
    dtype: dtypes.size === 1 ? pickDtype(name, only) : 'float32',
    shape: [widths.reduce((sum, width) => sum + width, 0)],
    names: sorted.length > 1 ? names : null,
    parts: sorted.map(({ relative, rowOffset }, index) => ({ path: relative, rowOffset, width: widths[index] ?? 0 })),
    form: 'rows',
    rowCount: Math.min(...sorted.map(({ rowCount }) => rowCount)),
  }
}

function labelPart(relative: string, width: number): string[] {
  const label = relative.slice(relative.lastIndexOf('/') + 1)
  return width === 1 ? [label] : Array.from({ length: width }, (_, index) => `${label}.${index}`)
}

/** Pictures say how many frames there are, else the action, else the commonest number of rows. */
function findReference(rules: EpisodeRules, parts: Parts, state?: number, action?: number): number {
  if (rules.length !== undefined) return rules.length
  const cameraRows = parts.cameras.map(({ rowCount }) => rowCount)
  if (cameraRows.length > 0) return Math.max(...cameraRows)
  if (action !== undefined) return action
  if (state !== undefined) return state
  const counts = new Map<number, number>()
  for (const { rowCount } of [...parts.columns, ...parts.clocks]) counts.set(rowCount, (counts.get(rowCount) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0
}

function noteLengths(rules: EpisodeRules, notes: PlanNote[], counts: readonly number[], length: number): void {
  const longest = Math.max(length, ...counts)
  if (rules.length !== undefined || longest === length) return
  const isOneMore = longest === length + 1
  notes.push({
    rule: 'array-length-differs',
    sentence: isOneMore
      ? 'Some arrays have one row more than others (an observation after the last action); the last one is not used.'
      : `${rules.sourceId}: the arrays have ${length} to ${longest} rows; the first ${length} frames are used.`,
    isOfEpisode: !isOneMore,
  })
}

/** What a robot saw or was told is a loss; what else a file holds is a note. */
function noteLeftOut(notes: PlanNote[], name: string, why: string, isSignal = false): void {
  const rule = isSignal ? 'signal-left-out' : 'array-left-out'
  notes.push({ rule, sentence: `${name} is left out: ${why.replace(/\.$/, '')}.` })
}

/** Without the number of rows, which differs between episodes: it is said once. */
const describeRows = ({ dtype, shape }: Hdf5Dataset): string =>
  shape.length > 1 ? `${dtype} of ${shape.slice(1).join('x')} a row` : `${dtype}`

/** A clock becomes a column; it is dropped later unless some episode's clock is no grid (the frame number says the same). */
async function planClock(source: Hdf5Source, rules: EpisodeRules, parts: Parts, length: number): Promise<ColumnPlan[]> {
  const clock = parts.clocks.find(({ rowCount }) => rowCount >= length)
  if (!clock || length < 2) return []
  const values = (await source.readNumbers(joinPath(rules.group, clock.relative)))?.subarray(rules.startRow ?? 0)
  const unit = values && findClockUnit(values)
  if (!values || unit === undefined) return []
  if (isIrregular(values.subarray(0, length), unit, rules.fps)) {
    parts.notes.push({
      rule: 'timestamps-irregular',
      sentence: `${rules.sourceId}: the times of ${clock.relative} are no grid of ${rules.fps} Hz; frames are kept as they are, times as ${sourceTimestamp}.`,
      isOfEpisode: true,
    })
  }
  return [
    {
      name: sourceTimestamp,
      dtype: 'float64',
      shape: [1],
      names: null,
      parts: [{ path: clock.relative, rowOffset: 0, width: 1 }],
      form: 'rows',
      clockUnit: unit,
    },
  ]
}

function planSuccess(rules: EpisodeRules, columns: readonly ColumnPlan[]): ColumnPlan[] {
  const isKnown = rules.success !== null && rules.success !== undefined
  if (!isKnown || columns.some(({ name }) => name === successColumn)) return []
  return [{ name: successColumn, dtype: 'bool', shape: [1], names: null, parts: [], form: 'success' }]
}

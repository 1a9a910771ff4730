import type { Hdf5Dtype } from '../../containers/hdf5/hdf5-writer.ts'
import { FormatError } from '../../errors.ts'
import {
  type CameraFeature,
  type ColumnFeature,
  type Feature,
  isCamera,
  isColumn,
  isNumericDtype,
  type NumericDtype,
} from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import { listByRole, nameByRole, type SignalRoles } from '../../signal-roles.ts'
import { ArrayNames } from '../array-names.ts'
import { countChannels } from '../decoded-cameras.ts'
import type { TargetSettings } from '../target-options.ts'
import type { Loss } from '../writer.ts'

/** An array of every demo, with a row for each frame. */
export interface DemoArray<Kind extends Feature = Feature> {
  readonly feature: Kind
  /** Relative to the demo. */
  readonly path: string
  readonly dtype: Hdf5Dtype
  readonly rowShape: readonly number[]
}

export interface DemoArrays {
  readonly columns: readonly DemoArray<ColumnFeature>[]
  readonly cameras: readonly DemoArray<CameraFeature>[]
}

const suffixes = { picture: '_image', depth: '_depth' }
const reserved = ['obs', 'next_obs', 'actions', 'rewards', 'dones', 'states', 'action_dict']
/** robomimic reads one number a step of them. */
const singles: Readonly<Record<string, { path: string; dtype?: Hdf5Dtype }>> = {
  'next.reward': { path: 'rewards' },
  'next.done': { path: 'dones', dtype: 'int64' },
}

const isHeld = (feature: Feature): boolean => isCamera(feature) || isNumericDtype(feature.dtype)

export const listArrayLosses = (features: readonly Feature[]): Loss[] =>
  features
    .filter((feature) => !isHeld(feature))
    .map(({ name }) => ({ feature: name, reason: "robomimic's loader reads numbers and pictures only." }))

export function planArrays(
  features: readonly Feature[],
  settings: TargetSettings,
  roles: SignalRoles | undefined,
): DemoArrays {
  const names = new ArrayNames(reserved)
  const held = features.filter(isHeld)
  const columns = listByRole(held.filter(isColumn), roles).map((feature) =>
    planColumn(feature, { actions: String(settings.actions), known: nameByRole(feature.name, roles) }, names),
  )
  if (!columns.some(({ path }) => path === 'actions')) {
    const known = columns.map(({ feature }) => feature.name)
    throw new FormatError(
      'unsupported',
      `The dataset has no numbers called "${settings.actions}", and robomimic reads no demo without actions; set actions to one of ${known.join(', ')}.`,
    )
  }
  const cameras = held.filter(isCamera).map((feature): DemoArray<CameraFeature> => {
    const path = names.choose(feature, suffixes, 'obs/')
    const rowShape = [feature.height, feature.width, countChannels(feature)]
    return { feature, path, dtype: feature.depth ? 'float32' : 'uint8', rowShape }
  })
  return { columns, cameras }
}

function planColumn(
  feature: ColumnFeature,
  { actions, known }: { actions: string; known: string },
  names: ArrayNames,
): DemoArray<ColumnFeature> {
  const { name, shape } = feature
  const dtype = toStored(feature.dtype as NumericDtype)
  if (name === actions) return { feature, path: 'actions', dtype, rowShape: shape }
  const single = singles[name]
  if (single && shape.length === 1 && shape[0] === 1)
    return { feature, path: single.path, dtype: single.dtype ?? dtype, rowShape: [] }
  const prefix = known.startsWith('observation.') ? 'obs/' : ''
  return { feature, path: names.choose({ ...feature, name: known }, suffixes, prefix), dtype, rowShape: shape }
}

/** Truth values as bytes of 0 and 1. */
const toStored = (dtype: NumericDtype): Hdf5Dtype => (dtype === 'bool' ? 'uint8' : dtype)

export const isObserved = ({ path }: DemoArray): boolean => path.startsWith('obs/')

/** What arrays were called before, in the words of LeRobot: whoever reads the file back needs to guess nothing. */
export function describeArrays({ columns, cameras }: DemoArrays): JsonObject {
  const described = [...columns, ...cameras].map(({ path, feature }): [string, JsonObject] => {
    if (isCamera(feature)) return [path, { name: feature.name }]
    const { name, dtype, names } = feature
    return [path, { name, dtype, ...(names !== null && { names }) }]
  })
  return Object.fromEntries(described)
}

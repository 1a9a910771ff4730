import {
  arrayTypes,
  type CameraFeature,
  type ColumnFeature,
  countValues,
  type Feature,
  isCamera,
  isColumn,
  isNumericDtype,
  type NumericDtype,
} from '../../feature.ts'
import { listByRole, nameByRole, type SignalRoles } from '../../signal-roles.ts'
import { ArrayNames } from '../array-names.ts'
import { countChannels } from '../decoded-cameras.ts'
import type { Loss } from '../writer.ts'
import type { ArrayShape } from './chunked-array.ts'

/** An array of `data/`, with a row for every frame of all episodes. */
export interface FrameArray<Kind extends Feature = Feature> {
  readonly feature: Kind
  readonly name: string
  readonly shape: ArrayShape
}

export interface FrameArrays {
  readonly columns: readonly FrameArray<ColumnFeature>[]
  readonly cameras: readonly FrameArray<CameraFeature>[]
}

/** The array that says which of the texts in the attributes a frame is about. */
export const taskArray = 'task_index'

const suffixes = { picture: '_rgb', depth: '_depth' }
const dtypes: Readonly<Record<NumericDtype, string>> = {
  ...{ float32: '<f4', float64: '<f8', bool: '|b1' },
  ...{ int8: '|i1', int16: '<i2', int32: '<i4', int64: '<i8' },
  ...{ uint8: '|u1', uint16: '<u2', uint32: '<u4', uint64: '<u8' },
}
/** Of numbers: a chunk is read whole for one row of it. */
const chunkBytes = 256 * 1024

const isHeld = (feature: Feature): boolean => isCamera(feature) || isNumericDtype(feature.dtype)

export const listArrayLosses = (features: readonly Feature[]): Loss[] =>
  features
    .filter((feature) => !isHeld(feature))
    .map(({ name }) => ({
      feature: name,
      reason: 'The replay buffer of diffusion policy holds numbers and pictures only.',
    }))

export function planArrays(
  features: readonly Feature[],
  framesPerChunk: number,
  roles: SignalRoles | undefined,
): FrameArrays {
  const names = new ArrayNames([taskArray])
  const held = features.filter(isHeld)
  return {
    columns: listByRole(held.filter(isColumn), roles).map((feature) => {
      const known = { ...feature, name: nameByRole(feature.name, roles) }
      return {
        ...{ feature, name: names.choose(known, suffixes) },
        shape: shapeNumbers(feature.dtype as NumericDtype, isSingle(known) ? [] : feature.shape),
      }
    }),
    cameras: held.filter(isCamera).map((feature) => ({
      ...{ feature, name: names.choose(feature, suffixes) },
      shape: {
        dtype: feature.depth ? dtypes.float32 : dtypes.uint8,
        itemBytes: feature.depth ? 4 : 1,
        rowShape: [feature.height, feature.width, countChannels(feature)],
        rowsPerChunk: framesPerChunk,
      },
    })),
  }
}

export function shapeNumbers(dtype: NumericDtype, rowShape: readonly number[]): ArrayShape {
  const itemBytes = arrayTypes[dtype].BYTES_PER_ELEMENT
  const rowsPerChunk = Math.max(1, Math.floor(chunkBytes / (itemBytes * Math.max(1, countValues(rowShape)))))
  return { dtype: dtypes[dtype], itemBytes, rowShape, rowsPerChunk }
}

/** What is trained on has a row even of one number. */
const isSingle = ({ name, shape }: ColumnFeature): boolean =>
  shape.length === 1 && shape[0] === 1 && !/^(action|observation)(\.|$)/.test(name)

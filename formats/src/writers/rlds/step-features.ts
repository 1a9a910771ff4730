import type { Values } from '../../dataset.ts'
import {
  type CameraFeature,
  type ColumnFeature,
  countValues,
  type Feature,
  isCamera,
  isNumericDtype,
  type NumericArray,
  type NumericDtype,
} from '../../feature.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { listByRole, nameByRole, type SignalRoles } from '../../signal-roles.ts'
import { toDoubles } from '../../statistics/doubles.ts'
import type { ExampleList, ListKind } from './example.ts'

const features = 'tensorflow_datasets.core.features'
const names = {
  dict: `${features}.features_dict.FeaturesDict`,
  dataset: `${features}.dataset_feature.Dataset`,
  tensor: `${features}.tensor_feature.Tensor`,
  scalar: `${features}.scalar.Scalar`,
  text: `${features}.text_feature.Text`,
  image: `${features}.image_feature.Image`,
} as const

export type ImageFormat = 'jpeg' | 'png'

/** Where a feature goes in a step, and how it is written there. */
export interface StepFeature {
  /** `steps/observation/state`. */
  readonly key: string
  readonly kind: ListKind
  /** As features.json has it. */
  readonly described: JsonObject
}

export interface StepColumn extends StepFeature {
  readonly column: ColumnFeature
  add(list: ExampleList, values: Values): Promise<void>
}

export interface StepCamera extends StepFeature {
  readonly camera: CameraFeature
}

/** What a dataset's features become; the names of RLDS itself are made beside them. */
export interface StepPlan {
  readonly columns: readonly StepColumn[]
  readonly cameras: readonly StepCamera[]
}

const reserved = ['discount', 'is_first', 'is_last', 'language_instruction', 'reward', 'is_terminal', 'observation']
/** Those of LeRobot that RLDS has a name for. */
const known: Readonly<Record<string, string>> = {
  action: 'action',
  'next.reward': 'reward',
  'next.done': 'is_terminal',
}

export function planSteps(all: readonly Feature[], format: ImageFormat, roles: SignalRoles | undefined): StepPlan {
  const taken = new Set(reserved.map((name) => `steps/${name}`))
  const given = new Set<string>()
  const nameStep = (feature: Feature): string => {
    const name = nameByRole(feature.name, roles)
    const own = known[name]
    if (own && !given.has(own)) {
      given.add(own)
      taken.add(`steps/${own}`)
      return `steps/${own}`
    }
    const inside = /^observation\.(?:images\.)?(.+)$/.exec(name)?.[1]
    const plain = (inside ?? name).replaceAll(/[^A-Za-z0-9_]/g, '_')
    const base = inside === undefined ? `steps/${plain}` : `steps/observation/${plain}`
    let key = base
    for (let number = 2; taken.has(key); number++) key = `${base}_${number}`
    taken.add(key)
    return key
  }
  const columns: StepColumn[] = []
  const cameras: StepCamera[] = []
  for (const feature of listByRole(all, roles)) {
    if (isCamera(feature)) cameras.push(planCamera(feature, nameStep(feature), format))
    else columns.push(planColumn(feature, nameStep(feature)))
  }
  return { columns, cameras }
}

function planCamera(camera: CameraFeature, key: string, format: ImageFormat): StepCamera {
  const { name, width, height, depth, storage } = camera
  const shape = { dimensions: [height, width, depth ? 1 : 3].map(String) }
  // Pictures of the rows are copied, whatever they are.
  const encoding = depth ? { encodingFormat: 'png' } : storage === 'image' ? {} : { encodingFormat: format }
  const description = depth ? `${name}: codes of ${JSON.stringify(depth)}` : name
  const image = { shape, dtype: depth ? 'uint16' : 'uint8', ...encoding }
  return { camera, key, kind: 'bytes', described: { pythonClassName: names.image, description, image } }
}

function planColumn(column: ColumnFeature, key: string): StepColumn {
  const { name, dtype, shape } = column
  if (!isNumericDtype(dtype)) {
    const toText = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value ?? []))
    return {
      ...{ column, key, kind: 'bytes', described: { pythonClassName: names.text, description: name, text: {} } },
      add: async (list, values) => {
        for (const value of values as readonly JsonValue[]) await list.addBytes(Buffer.from(toText(value)))
      },
    }
  }
  if (key === 'steps/reward')
    return { column, key, kind: 'float', described: describeScalar('float32'), add: addNumbers('float32') }
  if (key === 'steps/is_terminal')
    return { column, key, kind: 'int64', described: describeScalar('bool'), add: addNumbers('bool') }
  // A list of floats has 32 bits each, one of integers no uint64: those go as the bytes they are.
  const isRaw = dtype === 'float64' || dtype === 'uint64'
  const tensor = { shape: { dimensions: shape.map(String) }, dtype, encoding: isRaw ? 'bytes' : 'none' }
  const described = { pythonClassName: names.tensor, description: name, tensor }
  if (!isRaw) return { column, key, kind: dtype === 'float32' ? 'float' : 'int64', described, add: addNumbers(dtype) }
  const rowBytes = countValues(shape) * 8
  return {
    ...{ column, key, kind: 'bytes', described },
    add: async (list, values) => {
      const { buffer, byteOffset, byteLength } = values as NumericArray
      for (let at = 0; at < byteLength; at += rowBytes)
        await list.addBytes(Uint8Array.from(new Uint8Array(buffer, byteOffset + at, rowBytes)))
    },
  }
}

const addNumbers =
  (dtype: NumericDtype) =>
  async (list: ExampleList, values: Values): Promise<void> => {
    const numbers = values as NumericArray
    if (dtype === 'float32') return list.addFloats(Float32Array.from(toDoubles(numbers)))
    if (dtype === 'bool') return list.addIntegers(Array.from(toDoubles(numbers), (value) => Number(value !== 0)))
    return list.addIntegers(Array.from(numbers as Iterable<number | bigint>))
  }

export const describeScalar = (dtype: NumericDtype): JsonObject => ({
  pythonClassName: names.scalar,
  tensor: { shape: {}, dtype, encoding: 'none' },
})

export const describeText = (): JsonObject => ({ pythonClassName: names.text, text: {} })

export function describeDict(entries: Readonly<Record<string, JsonObject>>): JsonObject {
  return { pythonClassName: names.dict, featuresDict: { features: { ...entries } } }
}

export const describeDataset = (feature: JsonObject): JsonObject => ({
  pythonClassName: names.dataset,
  sequence: { feature, length: '-1' },
})

import type { Block, Dataset, Episode, IntactFiles, Values } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import {
  type ColumnFeature,
  type Feature,
  isCamera,
  isColumn,
  isNumericDtype,
  labelDimensions,
  type NumericArray,
  type NumericDtype,
} from '../feature.ts'
import { renameRoles } from '../signal-roles.ts'
import { toDoubles } from '../statistics/doubles.ts'
import { storeAs } from './action.ts'
import { type FeatureSettings, findFeatureFaults, type PlannedFeature, planFeatures } from './feature-plan.ts'
import { renameLanguageCameras } from './language-rows.ts'

/** Drops, renames, and picks dimensions by name. What is left stays in its order. */
export function apply(dataset: Dataset, settings: FeatureSettings): Dataset {
  const described = dataset.features.map((feature) => ({ name: feature.name, labels: listLabels(feature) }))
  const [fault] = findFeatureFaults(described, settings)
  if (fault) throw new FormatError('unsupported', `The recipe cannot be applied: ${fault.sentence}.`)
  const plan = planFeatures(described, settings)
  if (!plan) return dataset
  const { intact, roles: before, ...others } = dataset
  const roles = renameRoles(before, plan)
  return {
    ...others,
    ...(roles && { roles }),
    features: changeFeatures(dataset.features, plan),
    ...(intact && { intact: changeIntact(dataset.features, intact, plan) }),
    getEpisode: (position) => changeEpisode(dataset.getEpisode(position), dataset.features, plan),
  }
}

/** The names of a vector's dimensions; null where there is nothing to pick from. */
export const listLabels = (feature: Feature): string[] | null =>
  isColumn(feature) && isNumericDtype(feature.dtype) && feature.shape.length === 1 ? labelDimensions(feature) : null

/** What the planned features are; each is there. */
export function changeFeatures(features: readonly Feature[], plan: readonly PlannedFeature[]): Feature[] {
  return plan.map(({ source, name, dimensions, names: called, dtype }) => {
    const feature = features.find((candidate) => candidate.name === source) as Feature
    if (!isColumn(feature)) return { ...feature, name }
    const whole = { ...feature, name, ...(dtype && { dtype }), ...(called && { names: [...called] }) }
    if (!dimensions) return whole
    const labels = labelDimensions(feature)
    const picked = feature.names === null ? null : dimensions.map((dimension) => labels[dimension] as string)
    return { ...whole, shape: [dimensions.length], names: called ? [...called] : picked }
  })
}

/** A video that only has another name is still the same file; rows are written anew as soon as one of their columns changes. */
function changeIntact(
  features: readonly Feature[],
  { data, videos }: IntactFiles,
  plan: readonly PlannedFeature[],
): IntactFiles {
  const isInRows = (name: string): boolean =>
    features.some((feature) => feature.name === name && !(isCamera(feature) && feature.storage === 'video'))
  const kept = plan.filter(({ source, name, dimensions }) => source === name && !dimensions)
  const changesRows = features.some(({ name }) => isInRows(name) && !kept.some(({ source }) => source === name))
  const renamed = plan.flatMap(({ source, name }) => {
    const files = videos.get(source)
    return files ? [[name, files] as const] : []
  })
  return { data: changesRows ? undefined : data, videos: new Map(renamed) }
}

/** An episode with the planned columns and cameras; those that are not planned are gone. */
export function changeEpisode(
  episode: Episode,
  features: readonly Feature[],
  plan: readonly PlannedFeature[],
): Episode {
  const sourceOf = new Map(plan.map(({ source, name }) => [name, source]))
  const renames = new Map(plan.map(({ source, name }) => [source, name]))
  const inRows = plan.filter(({ source }) => features.some((feature) => feature.name === source && isColumn(feature)))
  const getSource = (camera: string): string => {
    const source = sourceOf.get(camera)
    if (source === undefined) throw new FormatError('unsupported', `There is no camera ${camera}.`)
    return source
  }
  const readBlocks: Episode['readBlocks'] = async function* (request = {}) {
    const wanted = inRows.filter(({ name }) => request.columns?.includes(name) ?? true)
    const columns = [...new Set(wanted.map(({ source }) => source))]
    for await (const block of episode.readBlocks({ ...request, columns }))
      yield { ...block, columns: changeColumns(block, features, wanted, renames) }
  }
  return {
    ...episode,
    readBlocks,
    openCamera: async (camera) => episode.openCamera(getSource(camera)),
    findCameraStatistics: async (camera) => episode.findCameraStatistics?.(getSource(camera)),
  }
}

function changeColumns(
  { columns }: Block,
  features: readonly Feature[],
  plan: readonly PlannedFeature[],
  renames: ReadonlyMap<string, string>,
): Map<string, Values> {
  const changed = new Map<string, Values>()
  for (const planned of plan) {
    const values = columns.get(planned.source)
    const feature = features.find((candidate) => candidate.name === planned.source) as ColumnFeature | undefined
    if (values === undefined || !feature) continue
    const isNumeric = isNumericDtype(feature.dtype)
    if (isNumeric) changed.set(planned.name, changeNumbers(values as NumericArray, feature, planned))
    else changed.set(planned.name, feature.dtype === 'language' ? renameLanguageCameras(values, renames) : values)
  }
  return changed
}

/** A column's numbers as planned: picked, multiplied in double precision, stored in their type. */
export function changeNumbers(
  values: NumericArray,
  { dtype, shape }: Pick<ColumnFeature, 'dtype' | 'shape'>,
  { dimensions, factors, dtype: wider = dtype as NumericDtype }: Omit<PlannedFeature, 'source' | 'name'>,
): NumericArray {
  const picked = dimensions ? pickDimensions(values, shape[0] ?? 1, dimensions) : values
  if (!factors && wider === dtype) return picked
  const numbers = Float64Array.from(toDoubles(picked))
  if (factors)
    for (let at = 0; at < numbers.length; at++)
      numbers[at] = (numbers[at] as number) * (factors[at % factors.length] as number)
  return storeAs({ dtype: wider }, numbers)
}

/** Some numbers of each row of `width`, in the order asked for. */
function pickDimensions(values: NumericArray, width: number, dimensions: readonly number[]): NumericArray {
  const rowCount = values.length / width
  const numbers = values as Float64Array
  const picked = new (numbers.constructor as Float64ArrayConstructor)(rowCount * dimensions.length)
  for (let row = 0, at = 0; row < rowCount; row++)
    for (const dimension of dimensions) picked[at++] = numbers[row * width + dimension] as number
  return picked
}

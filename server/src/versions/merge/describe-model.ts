import { type CameraFeature, type ColumnFeature, type Feature, isNumericDtype } from '@nmp/formats/feature'
import { isObject } from '@nmp/formats/json'
import type { FeatureRange } from '@nmp/formats/merge/plan-map'
import type { DescribedSource } from '@nmp/formats/merge/plan-merge'
import { isChanged } from '../../datasets/read-model/derivation.ts'
import type { CameraEntry } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'

/** A read model as `formats` plans merges with: its features, and what their numbers lie between as far as that is known. */
export function describeModel(
  model: ReadModel,
  root: ReadModel,
): Pick<DescribedSource, 'fps' | 'robotType' | 'features' | 'roles' | 'ranges'> & { tasks: readonly string[] } {
  const { manifest } = model
  const features = manifest.features.flatMap((entry): Feature[] => {
    const camera = manifest.cameras.find(({ key }) => key === entry.name)
    if (camera) return [describeCamera(camera)]
    const { name, dtype, shape, names } = entry
    const isColumn = dtype === 'string' || dtype === 'language' || isNumericDtype(dtype)
    return isColumn ? [{ kind: 'column', name, dtype: dtype as ColumnFeature['dtype'], shape, names }] : []
  })
  const ranges = new Map<string, FeatureRange>()
  for (const { name } of features) {
    const range = findRange(model, root, name)
    if (range) ranges.set(name, range)
  }
  const { fps, robot_type: robotType, roles, tasks } = manifest
  return { fps, robotType, features, ...(roles && { roles }), ranges, tasks }
}

const describeCamera = ({ key, storage, width, height, channels, depth_map: isDepth }: CameraEntry): CameraFeature => ({
  kind: 'camera',
  name: key,
  storage,
  width,
  height,
  channels,
  info: {},
  ...(isDepth && { depth: { minMeters: 0, maxMeters: 1, shift: 0, logarithmic: false, unit: 'm' as const } }),
})

/** Of the stored rows, whichever of them the recipe keeps; unknown where it makes other numbers of them. */
function findRange({ derivation }: ReadModel, root: ReadModel, name: string): FeatureRange | undefined {
  if (isChanged(derivation, name)) return undefined
  const column = derivation?.columns.get(name)
  const known = root.manifest.feature_statistics[column?.name ?? name]
  if (!isObject(known) || !Array.isArray(known.min) || !Array.isArray(known.max)) return undefined
  const take = (side: readonly unknown[]) =>
    (column?.dimensions ?? side.map((_, place) => place)).map((place) => Number(side[place]))
  return { min: take(known.min), max: take(known.max) }
}

import type { ColumnFeature } from '@nmp/formats/feature'
import { nameAction, nameState, renameRoles, type SignalRoles } from '@nmp/formats/signal-roles'
import type { StoredColumn } from '../../datasets/read-model/derivation.ts'
import { describeSignal, listAnnotationKeys } from '../../datasets/read-model/features.ts'
import type { FeatureEntry, ReadModelManifest } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { RecipePlan } from '../plan/plan.ts'

/** Features of the result: cameras at their sizes, then what the recipe drops, renames and picks. */
export function describeFeatures(source: ReadModel, { cameras, features: plan }: RecipePlan): FeatureEntry[] {
  const planned = new Map(cameras.map((entry) => [entry.camera.key, entry]))
  const sized = source.manifest.features.flatMap((feature) => {
    const after = planned.get(feature.name)
    if (after) return [{ ...feature, shape: [after.height, after.width, ...feature.shape.slice(2)] }]
    return source.cameraKeys.includes(feature.name) ? [] : [feature]
  })
  if (!plan) return sized
  return plan.flatMap(({ source: before, name, dimensions }) => {
    const feature = sized.find((entry) => entry.name === before)
    if (!feature) return []
    if (!dimensions) return [{ ...feature, name }]
    const names = feature.names && dimensions.map((dimension) => feature.names?.[dimension] ?? String(dimension))
    return [{ ...feature, name, shape: [dimensions.length], names }]
  })
}

/** Which features of the result are state and action where they are not called so. */
export const deriveRoles = (
  { manifest }: ReadModel,
  { features: plan }: Pick<RecipePlan, 'features'>,
): SignalRoles | undefined => (plan ? renameRoles(manifest.roles, plan) : manifest.roles)

/** What the manifest says of the features beside their list. */
export function describeSignals(
  features: readonly FeatureEntry[],
  roles: SignalRoles | undefined,
): Pick<ReadModelManifest, 'roles' | 'state' | 'action' | 'annotation_keys'> {
  const columns = features.map(({ name, dtype, shape, names }): ColumnFeature => {
    return { kind: 'column', name, dtype: dtype as ColumnFeature['dtype'], shape, names }
  })
  return {
    ...(roles && { roles }),
    state: describeSignal(columns, nameState({ roles })),
    action: describeSignal(columns, nameAction({ roles })),
    annotation_keys: listAnnotationKeys(columns),
  }
}

/** Under which names, and at which places, the features of the result are stored. */
export function deriveColumns(
  { derivation, manifest }: ReadModel,
  { features: plan }: Pick<RecipePlan, 'features'>,
): Map<string, StoredColumn> {
  if (!plan) return new Map(derivation?.columns)
  const columns = new Map<string, StoredColumn>()
  for (const { source, name, dimensions: picked } of plan) {
    const before = derivation?.columns.get(source)
    const shape = before?.shape ?? manifest.features.find((feature) => feature.name === source)?.shape ?? []
    const earlier = before?.dimensions
    const dimensions = picked && earlier ? picked.map((place) => earlier[place] as number) : (picked ?? earlier)
    const stored = before?.name ?? source
    if (stored !== name || dimensions) columns.set(name, { name: stored, shape, ...(dimensions && { dimensions }) })
  }
  return columns
}

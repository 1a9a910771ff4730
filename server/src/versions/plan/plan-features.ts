import { isNumericDtype } from '@nmp/formats/feature'
import { nameAction, nameState } from '@nmp/formats/signal-roles'
import { findFeatureFaults, type PlannedFeature, planFeatures } from '@nmp/formats/steps/feature-plan'
import type { FeatureEntry, ReadModelManifest } from '../../datasets/read-model/manifest.ts'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import type { Recipe } from '../recipe/recipe.ts'
import { toFeatureSettings } from '../recipe/recipe-features.ts'

type Refuse = (path: (string | number)[], sentence: string, input: unknown) => void

/** The same rule as the step `features`, without a dataset; undefined where every feature stays as it is. */
export function planModelFeatures(
  { manifest, cameraKeys }: ReadModel,
  { features: asked, camera_keys: cameras }: Recipe,
  refuse: Refuse,
): readonly PlannedFeature[] | undefined {
  if (!asked) return undefined
  const isLeftOut = (name: string): boolean =>
    cameraKeys.includes(name) && (cameras?.length ?? 0) > 0 && !cameras?.includes(name)
  const described = manifest.features
    .filter(({ name }) => !isLeftOut(name))
    .map((feature) => ({ name: feature.name, labels: listLabels(feature) }))
  const settings = toFeatureSettings(asked)
  for (const { path, sentence, input } of findFeatureFaults(described, settings))
    refuse(['features', ...path], sentence, input)
  return planFeatures(described, settings)
}

export const listLabels = ({ dtype, shape, names }: FeatureEntry): string[] | null =>
  isNumericDtype(dtype) && shape.length === 1
    ? (names ?? Array.from({ length: shape[0] ?? 1 }, (_, index) => String(index)))
    : null

/** Whether motion is read from what it was read from before. */
export const keepsSignals = (
  manifest: Pick<ReadModelManifest, 'roles'>,
  plan: readonly PlannedFeature[] | undefined,
): boolean =>
  !plan ||
  [nameState(manifest), nameAction(manifest)].every((signal) => {
    const [own, ...others] = plan.filter(({ source, name }) => source === signal || name === signal)
    return own !== undefined && others.length === 0 && own.source === own.name && !own.dimensions
  })

import { type Feature, isColumn, labelDimensions } from '@nmp/formats/feature'
import type { FeatureEntry } from '../../datasets/read-model/manifest.ts'

/** Features of a merged dataset as its manifest lists them. */
export const describeMergedFeatures = (features: readonly Feature[]): FeatureEntry[] =>
  features.map((feature) => ({
    name: feature.name,
    dtype: isColumn(feature) ? feature.dtype : feature.storage,
    shape: isColumn(feature) ? [...feature.shape] : [feature.height, feature.width, feature.channels],
    names: isColumn(feature) && feature.names !== null ? labelDimensions(feature) : null,
  }))

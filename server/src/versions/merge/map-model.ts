import type { MergePlan, PlannedSource } from '@nmp/formats/merge/plan-merge'
import type { PlannedFeature } from '@nmp/formats/steps/feature-plan'
import type { Derivation, StoredColumn } from '../../datasets/read-model/derivation.ts'
import { labelCamera } from '../../datasets/read-model/features.ts'
import { ReadModel } from '../../datasets/read-model/model.ts'
import { describeMergedFeatures } from './merged-features.ts'

/** One source as its recipes leave it, under the names and in the dimensions and units of the whole: nothing is read. */
export function mapModel(source: ReadModel, plan: MergePlan, { planned, fills }: PlannedSource): ReadModel {
  const { manifest, columns, derivation } = source
  if (!derivation) throw new TypeError('the read model is not derived')
  const nameOf = (theirs: string): string | undefined => planned.find((one) => one.source === theirs)?.name
  const videos = manifest.video_files.flatMap(({ key, files }, video) => {
    const name = nameOf(key)
    return name === undefined ? [] : [{ video, entry: { key: name, files } }]
  })
  const mapped: Derivation = {
    ...derivation,
    transforms: renameKeys(derivation.transforms, nameOf),
    columns: mapColumns(source, planned),
    fills,
  }
  const { roles: _, ...unnamed } = manifest
  const take = (places: Uint32Array[]) => videos.map(({ video }) => places[video] as Uint32Array)
  return new ReadModel(
    {
      ...unnamed,
      ...(plan.roles && { roles: plan.roles }),
      robot_type: plan.robotType,
      features: describeMergedFeatures(plan.features),
      cameras: manifest.cameras.flatMap((camera) => {
        const key = nameOf(camera.key)
        if (key === undefined) return []
        return [key === camera.key ? camera : { ...camera, key, label: labelCamera(key) }]
      }),
      video_files: videos.map(({ entry }) => entry),
    },
    { ...columns, videoFile: take(columns.videoFile), videoStart: take(columns.videoStart) },
    source.sizeBytes,
    mapped,
  )
}

function renameKeys<T>(entries: ReadonlyMap<string, T>, nameOf: (key: string) => string | undefined): Map<string, T> {
  return new Map(
    [...entries].flatMap(([key, value]) => {
      const name = nameOf(key)
      return name === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** Where, and in what form, each planned feature is stored; what is as it is stored has no entry. */
function mapColumns(
  { manifest, derivation }: ReadModel,
  planned: readonly PlannedFeature[],
): Map<string, StoredColumn> {
  const columns = new Map<string, StoredColumn>()
  for (const { source, name, dimensions: picked, factors, dtype } of planned) {
    const before = derivation?.columns.get(source)
    const feature = manifest.features.find((entry) => entry.name === source)
    const earlier = before?.dimensions
    const dimensions = picked && earlier ? picked.map((place) => earlier[place] as number) : (picked ?? earlier)
    const stored = before?.name ?? source
    const isWider = dtype !== undefined && dtype !== feature?.dtype
    if (stored === name && !dimensions && !factors && !isWider) continue
    columns.set(name, {
      name: stored,
      shape: before?.shape ?? feature?.shape ?? [],
      ...(dimensions && { dimensions }),
      ...(factors && { factors }),
      ...(isWider && { dtype: feature?.dtype as NonNullable<StoredColumn['dtype']> }),
    })
  }
  return columns
}

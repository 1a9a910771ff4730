import type { Dataset } from '@nmp/formats/dataset'
import type { JsonValue } from '@nmp/formats/json'
import { mergeDatasets } from '@nmp/formats/merge'
import type { StoredMerge } from './stored-merge.ts'

/** Datasets that went through their recipes, as the one that the version is. */
export const mergeStored = (
  datasets: readonly Dataset[],
  { sources, task_weights: byTask }: StoredMerge,
): Promise<Dataset> =>
  mergeDatasets(
    sources.map(({ source, recipe, map, weight }, place) => {
      const said = {
        datasetId: source.dataset_id,
        revision: source.revision_id,
        recipe: recipe as unknown as JsonValue,
        map: map as unknown as JsonValue,
      }
      // That ranges fit was found, or confirmed, when the version was made.
      return { dataset: datasets[place] as Dataset, title: source.title, said, map, confirm: ['units'], weight }
    }),
    byTask ? new Map(Object.entries(byTask)) : undefined,
  )

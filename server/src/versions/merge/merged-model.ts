import { type MergePlan, planMerge } from '@nmp/formats/merge/plan-merge'
import type { Context } from '../../context.ts'
import { getReadModel, type ReadModelPlace } from '../../datasets/read-model/cache.ts'
import type { ModelPart, ReadModel } from '../../datasets/read-model/model.ts'
import { ServiceError } from '../../errors.ts'
import { type ChainLink, planChain } from '../chain.ts'
import { deriveReadModel } from '../derive/derive-read-model.ts'
import { withScores } from '../derive/derived-scores.ts'
import { describeModel } from './describe-model.ts'
import { joinModels } from './join-models.ts'
import { mapModel } from './map-model.ts'
import { openMergedDataset } from './merged-dataset.ts'
import type { StoredMerge } from './stored-merge.ts'

/** What the recipes of one source lead to. */
export function deriveChain(root: ReadModel, links: readonly ChainLink[]): ReadModel {
  const last = links.at(-1)
  if (!last) throw new TypeError('a source has its own recipe')
  const { source, plan } = planChain(root, links.slice(0, -1), last)
  return deriveReadModel(source, last.recipe, plan, last.annotations)
}

/** It was found possible when the version was made, and its sources are pinned. */
export function planStoredMerge(
  parts: readonly { derived: ReadModel; root: ReadModel }[],
  { sources }: StoredMerge,
): MergePlan {
  const { plan } = planMerge(
    parts.map(({ derived, root }, place) => ({
      ...describeModel(derived, root),
      title: String(place),
      map: sources[place]?.map,
      confirm: ['units'],
    })),
  )
  if (!plan) throw new ServiceError('conflict', 'The sources of this version no longer fit together.')
  return plan
}

/** The read model that the files of the version will have, from the files of its sources; `roots` are the stored revisions. */
export async function deriveMerged(
  context: Context,
  roots: readonly ReadModelPlace[],
  merge: StoredMerge,
): Promise<ReadModel> {
  const models: { derived: ReadModel; root: ReadModel }[] = []
  for (const [place, { links }] of merge.sources.entries()) {
    const root = await getReadModel(context, roots[place] as ReadModelPlace)
    models.push({ root, derived: deriveChain(root, links) })
  }
  const plan = planStoredMerge(models, merge)
  let start = 0
  const parts = models.map(({ derived }, place): ModelPart => {
    const model = mapModel(derived, plan, plan.sources[place] as MergePlan['sources'][number])
    const part = { start, place: roots[place] as ReadModelPlace, model }
    start += model.episodeCount
    return part
  })
  const joined = joinModels(
    parts,
    plan,
    merge.sources.map(({ map }) => map.tasks),
  )
  return withScores(joined, () => openMergedDataset(context, parts))
}

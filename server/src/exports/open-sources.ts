import type { Dataset } from '@nmp/formats/dataset'
import type { FileTree } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { withRoles } from '@nmp/formats/signal-roles'
import { applyRecipes } from '@nmp/formats/steps/recipe'
import { mergeStored } from '../versions/merge/merge-stored.ts'
import { toSteps } from '../versions/plan/plan.ts'
import type { VersionSourceModel } from './version-source.ts'

/** Every source through its recipes, from its files; several of them as one. */
export async function openSources(
  { parts, merge }: VersionSourceModel,
  trees: readonly FileTree[],
  signal: AbortSignal,
): Promise<Dataset> {
  await using opened = new AsyncDisposableStack()
  const changed: Dataset[] = []
  for (const [place, { links, model }] of parts.entries()) {
    const stored = opened.use(await openDataset(trees[place] as FileTree, { signal }))
    changed.push(applyRecipes(withRoles(stored, model.manifest.roles), links.map(toSteps)))
  }
  const dataset = merge ? await mergeStored(changed, merge) : (changed[0] as Dataset)
  const held = opened.move()
  return { ...dataset, close: () => held.disposeAsync(), [Symbol.asyncDispose]: () => held.disposeAsync() }
}

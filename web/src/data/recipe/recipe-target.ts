import { canEdit, useWorkspace } from '../../session/workspace.ts'
import type { Manifest } from '../dataset.ts'
import { isVersionId } from '../version-id.ts'

/** Where a version is made, and of what. */
export interface RecipeTarget {
  org: string
  project: string
  source: { dataset_kind: 'version' | 'project' | 'catalog'; dataset_id: string }
  mayCreate: boolean
}

/** In its own project where one may write there, else as a catalog dataset in the project one works in. */
export function useRecipeTarget(dataset: Manifest): RecipeTarget {
  const workspace = useWorkspace()
  const isOwn = canEdit(dataset.role)
  return {
    org: isOwn ? dataset.org_slug : (workspace?.org ?? dataset.org_slug),
    project: isOwn ? dataset.project_slug : (workspace?.project ?? 'default'),
    source: {
      dataset_kind: isVersionId(dataset.id) ? 'version' : isOwn ? 'project' : 'catalog',
      dataset_id: dataset.id,
    },
    mayCreate: isOwn || canEdit(workspace?.role),
  }
}

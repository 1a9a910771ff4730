import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQueryClient } from '@tanstack/react-query'
import { refresh } from '../data/refresh.ts'
import { changeVisibility, versionQuery } from '../data/versions.ts'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { type Visibility, visibilitySaid } from '../publishing/publish-dialog.tsx'

export const versionAlsoSeen =
  'Its recipe and the names of its sources become visible too; the rest of its source does not. It is exported now if it has no files yet.'

/** Publishes or withdraws a version, and says how to take that back. */
export function useVisibility({ org_slug: org, id, visibility: before }: Version) {
  const cache = useQueryClient()
  const change = async (visibility: Visibility) => {
    const { item } = await changeVisibility(org, id, visibility)
    cache.setQueryData(versionQuery(org, id).queryKey, item)
    void refresh.version(id)
  }
  const takeBack = useChange(change)
  return async (visibility: Visibility) => {
    await change(visibility)
    showToast(visibilitySaid[visibility], () => takeBack.mutate(before))
  }
}

import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { type MergeDraft, writeSources } from '../../data/recipe/merge-draft.ts'
import { type Recipe, useDraft } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { refresh } from '../../data/refresh.ts'
import { createVersion, datasetVersionsQuery, queueExport } from '../../data/versions.ts'
import { suggestSlug } from '../../parts/dropped-files.ts'
import { isSlug } from '../../parts/slug-field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useChange } from '../../parts/use-change.ts'
import { isSendable } from '../step-fields.tsx'
import { VersionMade } from './version-made.tsx'

interface Doubts {
  /** What was typed and cannot be read. */
  unread: string | undefined
  /** The server would not make it. */
  isRefused: boolean
}

interface Sent {
  recipe: Recipe
  merge: MergeDraft | null
}

/** The version that the draft will be: its name and number, what hinders it, and how it is made. */
export function useVersionCreation(dataset: Manifest, target: RecipeTarget, { unread, isRefused }: Doubts) {
  const { org, project, source, mayCreate } = target
  const { recipe, merge, ...draft } = useDraft(dataset.id)
  const versions = useQuery(datasetVersionsQuery(org, project, dataset.id)).data
  const slug = draft.slug || `${suggestSlug(dataset.slug)}-curated`.slice(0, 100)
  const numbers = versions?.filter((version) => version.slug === slug).map(({ version }) => version) ?? []
  const [made, setMade] = useState<{ version: Version } & Sent>()
  const exporting = useChange((version: Version) => queueExport(version.org_slug, version.id), {
    onDone: (_, version) => {
      showToast(`Export of ${version.slug} ${version.version} has begun`)
      return refresh.exports(version.id)
    },
  })
  const creation = useChange(
    (sent: Sent) =>
      createVersion(org, {
        slug,
        name: draft.name || slug,
        project_slug: project,
        ...writeSources(source, sent.recipe, sent.merge),
      }),
    {
      onDone: ({ item }, sent) => {
        setMade({ version: item, ...sent })
        showToast(<VersionMade version={item} onExport={() => exporting.mutate(item)} />)
        void refresh.versions()
      },
    },
  )
  const hindrance =
    unread ??
    (isSendable(recipe) ? undefined : 'The target size is invalid.') ??
    (isSlug(slug) ? undefined : 'The short name is invalid.') ??
    (mayCreate ? undefined : 'Your role there is viewer; creating needs editor.')
  const isReady = hindrance === undefined && !creation.isPending && !isRefused
  useScrollTo(versions?.find(({ id }) => id === made?.version.id)?.id)
  return {
    slug,
    number: Math.max(0, ...numbers) + 1,
    versions,
    hindrance,
    isReady,
    create: () => {
      if (isReady) creation.mutate({ recipe, merge })
    },
    refusal: creation.error,
    /** Until the recipe or its name changes, the way on is the version that was made of it. */
    current: made?.recipe === recipe && made.merge === merge && made.version.slug === slug ? made.version : undefined,
  }
}

export type VersionCreation = ReturnType<typeof useVersionCreation>

/** The card of a version that was just made, once it is listed. */
function useScrollTo(versionId: string | undefined): void {
  useEffect(() => {
    if (versionId) document.querySelector(`[data-version="${versionId}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [versionId])
}

import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { browseQuery } from '../../data/catalog.ts'
import { projectDatasetsQuery } from '../../data/project.ts'
import { asSource, emptyMerge, type OtherSource } from '../../data/recipe/merge-draft.ts'
import { suggestionQuery } from '../../data/recipe/merge-queries.ts'
import { changeMerge, getDraft } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { isVersionId } from '../../data/version-id.ts'
import { versionsQuery } from '../../data/versions.ts'
import { Field } from '../../parts/controls.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { plural } from '../../parts/formats.ts'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { useChange } from '../../parts/use-change.ts'
import { queryClient } from '../../session/query-client.ts'
import './add-source.css'

interface Offer extends Pick<OtherSource, 'dataset_kind' | 'dataset_id' | 'title'> {
  note: string
}

interface AddSourceProps {
  /** Whose draft it is. */
  datasetId: string
  target: RecipeTarget
  onClose(): void
  onAdded(place: number): void
}

/** Datasets and versions of the project, and what is public. The map that fits best is suggested at once, and shown. */
export function AddSource({ datasetId, target, onClose, onAdded }: AddSourceProps) {
  const [text, setText] = useState('')
  const words = useDeferredValue(text.trim())
  const { groups, isLoading, failure } = useOffers(target, datasetId, words)
  const adding = useChange(
    async ({ note: _, ...offer }: Offer) => {
      const source: OtherSource = {
        ...offer,
        recipe: null,
        map: {},
        weight: null,
        sample: null,
        isUnitConfirmed: false,
      }
      const { recipe } = getDraft(datasetId)
      const first = { ...target.source, recipe }
      const { map } = await queryClient.fetchQuery(suggestionQuery(target.org, first, asSource(source)))
      return { ...source, map }
    },
    {
      onDone: (source) => {
        const merge = getDraft(datasetId).merge ?? emptyMerge
        // A task that comes with it has no weight yet.
        const weight = merge.own.weight === null ? null : 1
        changeMerge(datasetId, { ...merge, others: [...merge.others, { ...source, weight }], taskWeights: null })
        onAdded(merge.others.length)
      },
      showsFault: true,
    },
  )
  return (
    <Dialog title="Add a source" open onClose={onClose} wide>
      <p className="mid below-8">
        Its episodes come after those that are there. How its names, dimensions and units become ours is suggested, line
        by line, for you to correct.
      </p>
      <Field
        label="Dataset or version"
        placeholder="Name, robot or task"
        icon="search"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {adding.error && <Failure error={adding.error} what="It could not be added" />}
      {failure && <Failure error={failure} what="The list did not load" />}
      {isLoading && groups.length === 0 && <Skeleton rows={4} />}
      {!isLoading && groups.length === 0 && !failure && (
        <Empty title={words ? `Nothing is called “${words}”` : 'There is no other dataset yet'}>
          Datasets and versions of {target.org} / {target.project} and public ones can be added. A version of several
          sources cannot: copy it as a dataset first.
        </Empty>
      )}
      <div className="source-offers" aria-busy={adding.isPending}>
        {groups.map(({ title, offers }) => (
          <section key={title} aria-label={title}>
            <h3 className="above-12">{title}</h3>
            <ul>
              {offers.map((offer) => (
                <li key={offer.dataset_id}>
                  <button type="button" disabled={adding.isPending} onClick={() => adding.mutate(offer)}>
                    <b className="clip">{offer.title}</b>
                    <span className="dim small end">{offer.note}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

const most = 20

function useOffers({ org, project }: RecipeTarget, datasetId: string, words: string) {
  const datasets = useQuery(projectDatasetsQuery(org, project))
  const versions = useQuery(versionsQuery(org, project))
  const catalog = useQuery(browseQuery(words ? { q: words } : {}))
  const taken = new Set([datasetId, ...(getDraft(datasetId).merge?.others ?? []).map(({ dataset_id }) => dataset_id)])
  const isWanted = ({ title, note, dataset_id }: Offer) =>
    !taken.has(dataset_id) &&
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${title} ${note}`.toLowerCase().includes(word))
  const own = (datasets.data?.items ?? []).map((one) => ({
    dataset_kind: 'project' as const,
    dataset_id: one.id,
    title: one.title,
    note: [plural(one.total_episodes, 'episode'), one.robot_type, one.slug].filter(Boolean).join(', '),
  }))
  const made = (versions.data ?? [])
    .filter(({ sources }) => sources === undefined)
    .map((one) => ({
      dataset_kind: 'version' as const,
      dataset_id: one.id,
      title: `${one.name} ${one.version}`,
      note: [plural(one.episode_count, 'episode'), `of ${one.source.title}`, one.slug].join(', '),
    }))
  const open = (catalog.data?.items ?? [])
    .filter(({ id }) => ![...own, ...made].some(({ dataset_id }) => dataset_id === id))
    .map((one) => ({
      dataset_kind: isVersionId(one.id) ? ('version' as const) : ('catalog' as const),
      dataset_id: one.id,
      title: one.title,
      note: [plural(one.total_episodes, 'episode'), one.robot_type, one.org_slug].filter(Boolean).join(', '),
    }))
  const groups = [
    { title: 'Datasets of the project', offers: own.filter(isWanted).slice(0, most) },
    { title: 'Versions of the project', offers: made.filter(isWanted).slice(0, most) },
    // What the words found in the catalog may stand in a task text that is not shown here.
    { title: 'Public', offers: open.filter(({ dataset_id }) => !taken.has(dataset_id)).slice(0, most) },
  ].filter(({ offers }) => offers.length > 0)
  return {
    groups,
    isLoading: datasets.isLoading || versions.isLoading || catalog.isLoading,
    failure: datasets.error ?? versions.error ?? catalog.error,
  }
}

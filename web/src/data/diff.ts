import type { Diff, DiffEpisode, Lineage } from '@nmp/sdk/generated/records'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'
import type { Manifest } from './dataset.ts'
import { isVersionId } from './version-id.ts'

export type { Diff, DiffEpisode, Lineage }
export type LineageNode = Lineage['nodes'][number]

/** What became of an episode, the most telling first. */
export const episodeKinds = [
  'added',
  'removed',
  'trimmed',
  'changed',
  're_encoded',
  'relabelled',
  'same',
] as const satisfies readonly (keyof NonNullable<Diff['episodes']>)[]
export type EpisodeKind = (typeof episodeKinds)[number]

const followMs = 1500

interface Sides {
  org: string
  from: string
  to: string
}

/** Everything but the episodes. A side that was never fingerprinted is read first; it is followed until that is done. */
export const diffQuery = ({ org, from, to }: Sides) =>
  queryOptions({
    queryKey: ['diff', from, to],
    queryFn: async ({ signal }) =>
      (await client.datasets.getDiff({ org_slug: org, from, to, limit: 0 }, { signal })).item,
    refetchInterval: ({ state: { data } }) => (data?.state === 'preparing' ? followMs : false),
  })

const pageSize = 50

export const diffEpisodesQuery = ({ org, from, to }: Sides, kind: EpisodeKind) =>
  infiniteQueryOptions({
    queryKey: ['diff-episodes', from, to, kind],
    initialPageParam: 0,
    queryFn: async ({ signal, pageParam: offset }): Promise<DiffEpisode[]> => {
      const query = { org_slug: org, from, to, kind, offset, limit: pageSize }
      return (await client.datasets.getDiff(query, { signal })).item.episodes?.[kind] ?? []
    },
    getNextPageParam: (last, pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
  })

/** Reads a side once more whose run has failed. */
export const tryDiffAgain = ({ org, from, to }: Sides) =>
  client.datasets.getDiff({ org_slug: org, from, to, limit: 0, again: true })

export const lineageQuery = ({
  id,
  org_slug,
  project_slug,
  slug,
}: Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug'>) =>
  queryOptions({
    queryKey: ['lineage', id],
    queryFn: async ({ signal }) =>
      isVersionId(id)
        ? (await client.versions.getVersionLineage({ org_slug, version_id: id }, { signal })).item
        : (await client.datasets.getDatasetLineage({ org_slug, project_slug, dataset_slug: slug }, { signal })).item,
  })

import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from '../session/query-client.ts'

/** A key stands for every query that begins with it: `['versions']` is the list of every project. */
const renew = (...keys: QueryKey[]) => Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))

/** What a change makes old is read anew. Whoever changes something names the thing; who shows it is known here alone. */
export const refresh = {
  annotations: (datasetId: string, setId: string | undefined) =>
    renew(['annotation-sets', datasetId], ['annotation-set', setId], ['whole-annotation-set', setId]),
  checks: (datasetId: string) =>
    renew(['checks', datasetId], ['check-findings', datasetId], ['check-rankings', datasetId]),
  dataset: (id: string) =>
    renew(['dataset', id], ['project-datasets'], ['newest-datasets'], ['catalog'], ['revisions']),
  /** Several of them at once. */
  datasets: () => renew(['dataset'], ['project-datasets'], ['newest-datasets'], ['catalog'], ['revisions']),
  /** One more, or one less. */
  reviews: (datasetId: string) => renew(['reviews', datasetId]),
  /** It has moved. */
  review: (id: string) => renew(['review', id], ['reviews']),
  flags: (datasetId: string) => renew(['flags', datasetId]),
  /** Addresses in it end after an hour or two. */
  episodeMedia: (datasetId: string, episode: number) => renew(['episode-media', datasetId, episode]),
  import: (id: string) => renew(['import', id]),
  imports: (org: string, project: string) => renew(['imports', org, project], ['imports-moving', org, project]),
  /** A dataset came in. */
  imported: (id: string) => renew(['project-datasets'], ['newest-datasets'], ['usage'], ['import-report', id]),
  inbox: () => renew(['inbox']),
  invites: (org: string) => renew(['invites', org]),
  organization: (org: string) => renew(['organization', org]),
  orgMembers: (org: string) => renew(['org-members', org]),
  projectMembers: (org: string, project: string) => renew(['project-members', org, project]),
  projects: (org: string) => renew(['projects', org], ['me']),
  /** When each project was last opened. */
  visits: (org: string) => renew(['projects', org]),
  /** There is one more, or one less. */
  robots: () => renew(['robots'], ['robot-choice']),
  robotChoice: (datasetId: string) => renew(['robot-choice', datasetId]),
  signals: (datasetId: string) => renew(['signals', datasetId]),
  /** It shows a revision with the same files and other numbers. */
  measured: (datasetId: string) =>
    Promise.all([
      queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes(datasetId) }),
      renew(['project-datasets'], ['revisions']),
    ]),
  tokens: () => renew(['tokens']),
  sessions: () => renew(['sessions']),
  /** There is one more, or one less. */
  versions: () => renew(['versions'], ['catalog']),
  version: (id: string) => renew(['version', id], ['dataset', id], ['versions'], ['catalog']),
  exports: (versionId: string) => renew(['export-jobs', versionId], ['version', versionId], ['versions']),
  exportJobs: () => renew(['export-jobs']),
  /** The files of a version are there, or will not come. */
  exported: () => renew(['versions'], ['version'], ['usage']),
  /** Everything that changes without a person in this tab. */
  whatMoves: () =>
    renew(
      ...[
        'imports',
        'imports-moving',
        'import',
        'versions',
        'version',
        'export-jobs',
        'inbox',
        'usage',
        'project-datasets',
        'newest-datasets',
        'review',
        'reviews',
        'checks',
      ].map((key) => [key]),
    ),
}

import type { CheckFinding, CheckRankings, CheckRule, CheckRuleCounts, CheckSummary } from '@nmp/sdk/generated/records'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'
import type { Manifest } from './dataset.ts'
import { chooseFollowMs } from './liveness.ts'
import { refresh } from './refresh.ts'
import { isVersionId } from './version-id.ts'

export type Rule = CheckRule
export type RuleCounts = CheckRuleCounts
export type Checks = CheckSummary
export type Part = CheckSummary['pictures']
export type Finding = CheckFinding
export type Severity = CheckFinding['severity']
export type Ranked = CheckRankings['items'][number]

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug'>

export const isUnderWay = ({ status }: Pick<Part, 'status'>): boolean => status === 'queued' || status === 'running'

const followMs = 1500

/** What each rule measures: the program's own, the same for every dataset. */
export const checkRulesQuery = queryOptions({
  queryKey: ['check-rules'],
  queryFn: async ({ signal }) => (await client.catalog.listCheckRules({}, { signal })).rules,
  staleTime: Number.POSITIVE_INFINITY,
})

/** Looks again while a run is under way, seldom where the live stream of its project tells it. */
export const checksQuery = (datasetId: string, place?: Pick<Place, 'org_slug' | 'project_slug'>) =>
  queryOptions({
    queryKey: ['checks', datasetId],
    queryFn: async ({ signal }) => (await client.catalog.getChecks({ dataset_id: datasetId }, { signal })).item,
    refetchInterval: ({ state: { data } }) =>
      data && [data.signals, data.pictures].some(isUnderWay) ? chooseFollowMs(place, followMs) : false,
  })

/** A run as the live stream tells it. */
interface CheckRun extends Pick<Part, 'status' | 'done' | 'total' | 'message'> {
  id: string
  dataset_id: string
  revision_id: string
  parts: ('signals' | 'pictures')[]
}

/** How far it is goes straight to whoever shows it; what it found is read once it has ended. */
export function applyCheckRun(cache: QueryClient, run: CheckRun): void {
  const { queryKey } = checksQuery(run.dataset_id)
  const known = cache.getQueryData(queryKey)
  if (!isUnderWay(run) || known?.revision_id !== run.revision_id) return void refresh.checks(run.dataset_id)
  const { status, done, total, message } = run
  const moved = { status, done, total, message, job_id: run.id }
  const next = { ...known }
  for (const part of run.parts) next[part] = { ...known[part], ...moved }
  cache.setQueryData(queryKey, next)
}

/** A rule lists at most a thousand; of all rules the most severe come first. */
const mostListed = 1000

/** Of one rule, or of all; at a cut-off that is tried, or at the one in force. The list before stays until the next is there. */
export const findingsQuery = (datasetId: string, rule: string | undefined, cutOff: number | undefined) =>
  queryOptions({
    queryKey: ['check-findings', datasetId, rule, cutOff],
    queryFn: async ({ signal }) => {
      const query = { dataset_id: datasetId, limit: mostListed, offset: 0 }
      const narrowed = { ...(rule === undefined ? {} : { rule }), ...(cutOff === undefined ? {} : { cut_off: cutOff }) }
      return (await client.catalog.listCheckFindings({ ...query, ...narrowed }, { signal })).item
    },
    placeholderData: keepPreviousData,
  })

const rankingsPageSize = 10_000

/** Every episode that the rule measures, the lowest first. */
export const rankingsQuery = (datasetId: string, rule: string) =>
  queryOptions({
    queryKey: ['check-rankings', datasetId, rule],
    queryFn: async ({ signal }): Promise<Ranked[]> => {
      const ranked: Ranked[] = []
      const input = { dataset_id: datasetId, rule, order: 'lowest', offset: 0, limit: rankingsPageSize } as const
      for await (const one of client.catalog.iterateCheckRankings(input, { signal })) ranked.push(one)
      return ranked
    },
  })

/** Runs and settings, at the address of a dataset or of a version. */
export function checksOf({ id, org_slug, project_slug, slug }: Place) {
  if (isVersionId(id)) {
    const place = { org_slug, version_id: id }
    return {
      run: async (body: { pictures: boolean; again: boolean }) =>
        (await client.versions.runVersionChecks({ ...place, body })).item,
      cancel: async () => (await client.versions.cancelVersionChecks(place)).item,
      putSettings: async (body: Checks['settings']) =>
        (await client.versions.putVersionCheckSettings({ ...place, body })).item,
    }
  }
  const place = { org_slug, project_slug, dataset_slug: slug }
  return {
    run: async (body: { pictures: boolean; again: boolean }) =>
      (await client.datasets.runChecks({ ...place, body })).item,
    cancel: async () => (await client.datasets.cancelChecks(place)).item,
    putSettings: async (body: Checks['settings']) => (await client.datasets.putCheckSettings({ ...place, body })).item,
  }
}

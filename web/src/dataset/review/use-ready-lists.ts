import { useQuery } from '@tanstack/react-query'
import { findingsQuery } from '../../data/checks.ts'
import { filteringQuery, type Manifest } from '../../data/dataset.ts'
import { useEpisodeLabels } from '../../data/episodes/episode-labels.ts'
import { listBySuccess } from '../../data/episodes/label-lists.ts'
import { listOutliers } from '../../data/episodes/outliers.ts'
import { useFlags } from '../../data/flags.ts'
import type { ReviewedList } from './start-review.tsx'

/** The lists that are worth a look of their own, each once it is known. */
export function useReadyLists(dataset: Manifest): (ReviewedList & { key: string })[] {
  const findings = useQuery(findingsQuery(dataset.id, undefined, undefined))
  const flags = useFlags(dataset)
  const outliers = listOutliers(useQuery(filteringQuery(dataset.id)).data)
  const labels = useEpisodeLabels(dataset)
  const isLabelled = (index: number) => {
    const label = labels?.get(index)
    return label !== undefined && ((label.success !== null && !label.isRecorded) || label.tags.length > 0)
  }
  const all = Array.from({ length: dataset.metrics.total_episodes }, (_, index) => index)
  const lists = [
    { key: 'checks', name: 'Found by checks', indices: findings.data?.items.map((one) => one.episode_index) },
    { key: 'flags', name: 'Flagged', indices: flags.data?.map(({ episode_index }) => episode_index) },
    {
      key: 'outliers',
      name: 'What stands out',
      indices: outliers && [...outliers.lowMotion, ...outliers.highVariance],
    },
    { key: 'failed', name: 'Called a failure', indices: listBySuccess(labels, false) },
    { key: 'unlabelled', name: 'Without a label', indices: labels && all.filter((index) => !isLabelled(index)) },
    { key: 'all', name: 'All episodes', indices: all },
  ]
  return lists.flatMap(({ key, name, indices }) => {
    const once = [...new Set((indices ?? []).filter((index): index is number => index !== null))]
    return once.length > 0 ? [{ key, name, indices: once }] : []
  })
}

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { featureStatisticsQuery, type Manifest } from '../../data/dataset.ts'
import { listPlottedColumns, type PlottedColumn } from '../../data/episodes/plotted-columns.ts'

/** What can be plotted beside state and action; nothing is asked before somebody wants to know. */
export function usePlottedColumns(dataset: Manifest, isWanted: boolean): readonly PlottedColumn[] | undefined {
  const features = useQuery({ ...featureStatisticsQuery(dataset.id), enabled: isWanted })
  return useMemo(() => features.data && listPlottedColumns(dataset, features.data), [dataset, features.data])
}

import { useQueries } from '@tanstack/react-query'
import { curvePageOf, curvesQuery } from '../data/dataset.ts'

/** The motion curves of these episodes, as far as their pages are here. */
export function useCurves(datasetId: string, episodes: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const pages = [...new Set(episodes.map(curvePageOf))]
  const loaded = useQueries({ queries: pages.map((page) => curvesQuery(datasetId, page)) })
  const curves = new Map<number, readonly number[]>()
  for (const { data } of loaded)
    for (const [at, curve] of data?.curves.entries() ?? []) curves.set((data?.offset ?? 0) + at, curve)
  return curves
}

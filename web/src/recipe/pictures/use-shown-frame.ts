import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { episodesQuery, type Manifest } from '../../data/dataset.ts'
import { insightsQuery } from '../../data/insights.ts'
import { listShowable, type Recipe } from '../../data/recipe/recipe-draft.ts'
import type { StepName } from '../step.tsx'

/**
 * The frame that the previews are drawn of: the middle of an episode that the recipe keeps, until another one is chosen. What smoothing
 * does is seen best where the arm shakes most.
 */
export function useShownFrame(dataset: Manifest, recipe: Recipe, step: StepName) {
  const [chosen, setChosen] = useState<number>()
  const [frame, setFrame] = useState<number>()
  const insights = useQuery({ ...insightsQuery(dataset.id), enabled: step === 'action' && chosen === undefined })
  const total = dataset.metrics.total_episodes
  const shakiest = step === 'action' ? insights.data?.mostVariance : undefined
  const kept = useMemo(() => listShowable(recipe, total), [recipe, total])
  const isKept = useMemo(() => new Set(kept), [kept])
  const wanted = chosen ?? shakiest?.find((index) => !kept || isKept.has(index)) ?? 0
  const episode = !kept || isKept.has(wanted) ? wanted : (kept[0] ?? wanted)
  const page = useQuery(episodesQuery(dataset.id, { offset: episode, limit: 1 }))
  const lengthFrames = page.data?.items[0]?.length_frames ?? 1
  const place = kept?.indexOf(episode) ?? episode
  const go = (next: number) => {
    const index = kept ? kept[next] : next >= 0 && next < total ? next : undefined
    if (index === undefined) return undefined
    return () => {
      setChosen(index)
      setFrame(undefined)
    }
  }
  return {
    episode,
    lengthFrames,
    frame: Math.min(frame ?? Math.floor(lengthFrames / 2), lengthFrames - 1),
    setFrame,
    /** To the episodes beside it that are kept, where there are any. */
    goBack: go(place - 1),
    goOn: go(place + 1),
  }
}

export type ShownFrame = ReturnType<typeof useShownFrame>

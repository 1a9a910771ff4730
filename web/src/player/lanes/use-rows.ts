import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { type EpisodeRows, type RowRange, rowsQuery } from '../../data/episodes/episode-rows.ts'
import { recordedAction } from '../../data/episodes/lanes.ts'

interface Rows {
  /** What to draw of the window: the finest that is here. */
  rows: EpisodeRows | undefined
  /** The whole episode, decimated by the server when it is long. */
  whole: EpisodeRows | undefined
  isPending: boolean
  error: Error | null
  retry(): void
}

export const listSignals = ({ observation, action }: Pick<Manifest, 'observation' | 'action'>): string[] =>
  [observation.state?.key, action?.key].filter((key) => key !== undefined)

/** Whether a version's recipes change the action, so that the recorded one is drawn beside it. */
export const changesAction = ({ derived_version: version }: Manifest): boolean =>
  version !== null && [version, ...version.composition].some(({ recipe }) => recipe.action !== null)

/** The columns of the lanes that every dataset has. */
export const listLaneColumns = (dataset: Manifest): string[] => [
  ...listSignals(dataset),
  ...(changesAction(dataset) ? [recordedAction] : []),
]

interface RowsRequest {
  dataset: Manifest
  episode: number
  columns: readonly string[]
  frames: number
  from: number
  to: number
}

/** The rows behind the lanes: the whole episode at once, and finer ones of the part that is looked at. */
export function useRows({ dataset, episode, columns, frames, from, to }: RowsRequest): Rows {
  const coarse = useQuery(rowsQuery(dataset.id, episode, columns))
  const tile = useSettled(coarse.data?.is_decimated ? findTile(from, to, frames) : undefined)
  const fine = useQuery({
    ...rowsQuery(dataset.id, episode, columns, tile),
    enabled: tile !== undefined && columns.length > 0,
  })
  const isFine = tile !== undefined && fine.data !== undefined && covers(fine.data, episode, from, to)
  return {
    rows: isFine ? fine.data : coarse.data,
    whole: coarse.data,
    isPending: coarse.isPending && columns.length > 0,
    error: coarse.error,
    retry: () => void coarse.refetch(),
  }
}

const covers = (rows: EpisodeRows, episode: number, from: number, to: number): boolean =>
  rows.episode_index === episode && rows.start_frame <= from && rows.end_frame > to

const smallestTile = 4096

/**
 * The piece of the episode to ask for: a power of two at least twice as long as the window, on a grid of half its length. So a
 * window that is dragged or zoomed a little needs no new request, and the ones that are made can be kept.
 */
function findTile(from: number, to: number, frames: number): RowRange | undefined {
  const size = Math.max(smallestTile, 2 ** Math.ceil(Math.log2(2 * (to - from + 1))))
  if (size >= frames) return undefined
  const start = Math.floor(from / (size / 2)) * (size / 2)
  return { start, end: Math.min(frames, start + size) }
}

/** A value that has stood still for a moment: a window that is being dragged asks for nothing. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by what it says
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 120)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

import { useQuery } from '@tanstack/react-query'
import type { Manifest } from '../../data/dataset.ts'
import {
  annotationSetQuery,
  annotationSetsQuery,
  type Segment,
  saveAnnotation,
} from '../../data/episodes/episode-rows.ts'
import { refresh } from '../../data/refresh.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useChange } from '../../parts/use-change.ts'

interface SegmentEdit {
  segments: readonly Segment[]
  /** What is told when it is done, and what there was before; nothing of an undo. */
  done?: { said: string; before: readonly Segment[] }
}

/** The segments of an episode, from the dataset's first annotation set, and how to change them. Every change can be undone. */
export function useSegments(dataset: Manifest, episodeIndex: number) {
  const sets = useQuery(annotationSetsQuery(dataset))
  const setId = sets.data?.[0]?.id
  const set = useQuery(annotationSetQuery(dataset, setId, episodeIndex))
  const annotation = set.data?.episodes.find(({ episode_index }) => episode_index === episodeIndex)
  const segments = annotation?.segments ?? []
  const saving = useChange(
    async ({ segments: next }: SegmentEdit) => {
      const ordered = [...next].sort((one, other) => one.start_frame - other.start_frame)
      await saveAnnotation(dataset, setId, { ...annotation, episode_index: episodeIndex, segments: ordered })
      await refresh.annotations(dataset.id, setId)
    },
    // By the time it is done the page may show the new segments already: what was there goes with the change.
    { onDone: (_, { done }) => done && showToast(done.said, () => saving.mutate({ segments: done.before })) },
  )
  const change = (next: Segment[], said: string) => saving.mutate({ segments: next, done: { said, before: segments } })
  return {
    segments,
    add: (segment: Segment) => change([...segments, segment], `Segment ${segment.label} added`),
    replace: (old: Segment, segment: Segment) =>
      change(
        segments.map((one) => (one === old ? segment : one)),
        `Segment ${segment.label} changed`,
      ),
    remove: (segment: Segment) =>
      change(
        segments.filter((one) => one !== segment),
        `Segment ${segment.label} taken away`,
      ),
  }
}

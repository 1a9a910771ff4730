import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Manifest } from '../data/dataset.ts'
import { annotationSetQuery, annotationSetsQuery, type Segment, saveAnnotation } from '../data/episode-rows.ts'
import { showFault, showToast } from '../parts/toasts.tsx'

/** The segments of an episode, from the dataset's first annotation set, and how to change them. Every change can be undone. */
export function useSegments(dataset: Manifest, episodeIndex: number) {
  const cache = useQueryClient()
  const sets = useQuery(annotationSetsQuery(dataset))
  const setId = sets.data?.[0]?.id
  const set = useQuery(annotationSetQuery(dataset, setId, episodeIndex))
  const annotation = set.data?.episodes.find(({ episode_index }) => episode_index === episodeIndex)
  const segments = annotation?.segments ?? []
  const save = async (next: Segment[]) => {
    const ordered = [...next].sort((one, other) => one.start_frame - other.start_frame)
    await saveAnnotation(dataset, setId, { ...annotation, episode_index: episodeIndex, segments: ordered })
    await cache.invalidateQueries({ queryKey: ['annotation-sets', dataset.id] })
    await cache.invalidateQueries({ queryKey: ['annotation-set', setId] })
  }
  const change = (next: Segment[], said: string) =>
    save(next).then(() => showToast(said, () => void save(segments).catch(fail)), fail)
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

const fail = (error: unknown) => showFault(error instanceof Error ? error.message : String(error))

export const segmentTint = (segments: readonly Segment[], segment: Segment): string => {
  const labels = [...new Set(segments.map(({ label }) => label))]
  return `var(--seg-${(labels.indexOf(segment.label) % 6) + 1})`
}

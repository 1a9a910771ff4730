import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { episodesQuery } from '../data/dataset.ts'

/** The frame that the previews are drawn of: the middle of the episode, until another one is chosen. */
export function useShownFrame(datasetId: string) {
  const [episode, setEpisode] = useState(0)
  const [frame, setFrame] = useState<number>()
  const page = useQuery(episodesQuery(datasetId, { offset: episode, limit: 1 }))
  const lengthFrames = page.data?.items[0]?.length_frames ?? 1
  return {
    episode,
    lengthFrames,
    frame: Math.min(frame ?? Math.floor(lengthFrames / 2), lengthFrames - 1),
    setFrame,
    setEpisode: (next: number) => {
      setEpisode(next)
      setFrame(undefined)
    },
  }
}

export type ShownFrame = ReturnType<typeof useShownFrame>

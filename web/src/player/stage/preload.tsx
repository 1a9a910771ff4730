import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Manifest, navigationQuery } from '../../data/dataset.ts'
import { type MediaStream, mediaQuery, rowsQuery } from '../../data/episodes/episode-rows.ts'
import { posterPath } from '../../episode/poster.tsx'
import { loadPicture } from '../../parts/picture.tsx'
import { listSignals } from '../lanes/use-rows.ts'

interface PreloadProps {
  dataset: Manifest
  next: number | undefined
  previous: number | undefined
  /** Files that the page already has open. */
  open: readonly (string | null)[]
}

/** Rows of longer ones are read when they are asked for. */
const mostFrames = 20_000
const waitMs = 600

/** What [ and ] will need: addresses, first pictures, signals, and the beginning of the next files. */
export function Preload({ dataset, next, previous, open }: PreloadProps) {
  const cache = useQueryClient()
  useEffect(() => {
    const near = [next, previous].filter((one) => one !== undefined)
    for (const index of near) {
      void cache.prefetchQuery(mediaQuery(dataset.id, index))
      void cache.prefetchQuery(navigationQuery(dataset.id, index))
    }
    // The episode that was opened comes first.
    const timer = setTimeout(() => {
      for (const index of near) {
        const frames = cache.getQueryData(mediaQuery(dataset.id, index).queryKey)?.length_frames
        if (frames !== undefined && frames <= mostFrames)
          void cache.prefetchQuery(rowsQuery(dataset.id, index, listSignals(dataset)))
        for (const { key } of dataset.observation.cameras)
          preloadPicture(posterPath(dataset, index, key, 0, 640), dataset.visibility === 'public')
      }
    }, waitMs)
    return () => clearTimeout(timer)
  }, [next, previous, dataset, cache])
  const media = useQuery({ ...mediaQuery(dataset.id, next ?? 0), enabled: next !== undefined })
  const isWanted = ({ url, depth }: MediaStream) =>
    url !== null && depth?.unknown !== null && !open.some((one) => isSameFile(one, url))
  const files = media.data?.streams.filter(isWanted) ?? []
  return (
    <div hidden>
      {files.map(({ camera_key, url, from_sec }) => (
        <video key={camera_key} src={`${url?.replace(/#.*$/, '')}#t=${from_sec ?? 0}`} muted preload="auto" />
      ))}
    </div>
  )
}

/** Addresses of a file differ by the seconds they point to. */
const isSameFile = (one: string | null, other: string): boolean => one?.split('#')[0] === other.split('#')[0]

function preloadPicture(path: string, isPublic: boolean): void {
  if (isPublic) new Image().src = path
  else loadPicture(path).catch(() => {})
}

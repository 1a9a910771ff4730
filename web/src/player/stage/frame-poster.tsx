import { useEffect, useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import type { MediaStream } from '../../data/episodes/episode-rows.ts'
import { posterPath } from '../../episode/poster.tsx'
import { Picture } from '../../parts/picture.tsx'
import type { PlayerClock } from '../clock.ts'
import './cameras.css'

/** What a camera shows: which one, of which episode, and the clock that says which frame. */
export interface ShownProps {
  stream: MediaStream
  dataset: Manifest
  episode: number
  clock: PlayerClock
}

export function PosterOfFrame({ stream, dataset, episode, clock }: ShownProps) {
  const frame = useSlowFrame(clock)
  return (
    <Picture
      path={posterPath(dataset, episode, stream.camera_key, frame, 640)}
      isPublic={dataset.visibility === 'public'}
      alt=""
      className="camera-poster"
    />
  )
}

const slowMs = 120

/** The frame of the clock, but not more often than pictures can be fetched. That of another episode is never its frame. */
export function useSlowFrame(clock: PlayerClock): number {
  const [seen, setSeen] = useState({ clock, frame: clock.frame })
  useEffect(() => {
    const setFrame = (frame: number) =>
      setSeen((before) => (before.clock === clock && before.frame === frame ? before : { clock, frame }))
    let last = 0
    let timer: ReturnType<typeof setTimeout>
    const stop = clock.onFrame((next) => {
      clearTimeout(timer)
      const now = performance.now()
      if (now - last > slowMs) {
        last = now
        setFrame(next)
      } else timer = setTimeout(() => setFrame(next), slowMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [clock])
  return seen.clock === clock ? seen.frame : clock.frame
}

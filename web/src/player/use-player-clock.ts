import type { EpisodeMedia } from '@nmp/sdk/generated/records'
import { useEffect, useMemo, useRef } from 'react'
import type { PlayerSearch } from '../data/searches.ts'
import { useStore } from '../session/store.ts'
import { useAddressTime } from './address-time.ts'
import { PlayerClock } from './clock.ts'
import type { PlayerView } from './view.ts'

/** The clock of the open episode; what uses it is drawn again when anything but its frame changes. */
export function usePlayerClock(media: EpisodeMedia, view: PlayerView, { t, from, to }: PlayerSearch): PlayerClock {
  const lastClock = useRef<{ episode: number; clock: PlayerClock }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a clock is made with the speed and the place of that moment and told of later ones
  const clock = useMemo(() => {
    const made = new PlayerClock(media.fps, media.length_frames)
    made.setRate(view.rate)
    made.setLooping(view.isLooping)
    // New addresses of the same episode (they expire) leave the playhead where it is.
    const isSame = lastClock.current?.episode === media.episode_index
    made.seek(isSame ? (lastClock.current?.clock.frame ?? 0) : Math.round((t ?? 0) * media.fps))
    if (!isSame && from !== undefined && to !== undefined) made.mark(from, to - 1)
    lastClock.current = { episode: media.episode_index, clock: made }
    return made
  }, [media])
  useStore(clock.changes)
  useEffect(() => () => clock.close(), [clock])
  useAddressTime(clock, clock.isPlaying)
  return clock
}

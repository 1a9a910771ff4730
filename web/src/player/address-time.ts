import { useEffect } from 'react'
import type { PlayerClock } from './clock.ts'

const quietMs = 300

/** `?t=` follows the playhead while it stands, without a new page for every frame. */
export function useAddressTime(clock: PlayerClock, isPlaying: boolean): void {
  useEffect(() => {
    if (isPlaying) return
    let timer: ReturnType<typeof setTimeout>
    const stop = clock.onFrame(() => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const t = Number(clock.seconds.toFixed(3))
        const url = new URL(location.href)
        if (t > 0) url.searchParams.set('t', String(t))
        else url.searchParams.delete('t')
        if (url.href !== location.href) history.replaceState(history.state, '', url)
      }, quietMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [clock, isPlaying])
}

import { type RefObject, useEffect, useRef, useState } from 'react'
import { refresh } from '../../data/refresh.ts'
import { findVideoFault, type VideoFault } from './video-fault.ts'

/** What keeps a video from being shown, and the way on: an address that has ended is renewed once by itself, the rest by a press. */
export function useVideoFault(
  ref: RefObject<HTMLVideoElement | null>,
  url: string,
  datasetId: string,
  episode: number,
) {
  const [found, setFound] = useState<{ url: string; fault: VideoFault }>()
  const renewed = useRef<string>(undefined)
  const fault = found?.url === url ? found.fault : undefined
  const renew = () => void refresh.episodeMedia(datasetId, episode)
  const onError = () =>
    void findVideoFault(url).then((seen) => {
      const path = new URL(url, location.href).pathname
      if (seen === 'ended' && renewed.current !== path) {
        renewed.current = path
        renew()
      } else setFound({ url, fault: seen })
    })
  const tryAgain = () => {
    setFound(undefined)
    if (fault === 'ended') renew()
    ref.current?.load()
  }
  // Once the network is back nobody has to press.
  useEffect(() => {
    if (fault !== 'network') return
    const goOn = () => {
      setFound(undefined)
      ref.current?.load()
    }
    window.addEventListener('online', goOn)
    return () => window.removeEventListener('online', goOn)
  }, [fault, ref])
  return { fault, onError, tryAgain }
}

import { type SyntheticEvent, startTransition, useEffect, useState } from 'react'

/** A video that comes later than this keeps nobody waiting. */
const longestWaitMs = 500

/**
 * The picture is what a link to an episode was opened for, and what stands around it is three quarters of the drawing: it is drawn after
 * the first frame is seen, in slices between which the browser goes on. Everything has its place from the beginning, so nothing moves.
 */
export function useRestOfPage(hasVideo: boolean) {
  const [isWhole, setWhole] = useState(!hasVideo)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setWhole(true)), longestWaitMs)
    return () => clearTimeout(timer)
  }, [])
  const onFirstFrame = ({ target }: SyntheticEvent<HTMLElement>) => {
    if (isWhole || !(target instanceof HTMLVideoElement)) return
    const draw = () => startTransition(() => setWhole(true))
    if (target.requestVideoFrameCallback) target.requestVideoFrameCallback(draw)
    else draw()
  }
  return { isWhole, onFirstFrame }
}

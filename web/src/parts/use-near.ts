import { type RefObject, useEffect, useState } from 'react'

/** Whether an element is on the screen or nearly so: a humanoid has sixty lanes, and those far below need no drawing. */
export function useNear(element: RefObject<HTMLElement | null>, isNearAtFirst: boolean): boolean {
  const [isNear, setNear] = useState(isNearAtFirst)
  useEffect(() => {
    if (!element.current) return
    const watcher = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      rootMargin: '240px 0px',
    })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [element])
  return isNear
}

import { useEffect, useState } from 'react'
import { client } from '../session/client.ts'

interface PictureProps {
  /** A path of the media routes, unsigned. */
  path: string
  /** Public pictures are the browser's own to load and keep; private ones are fetched with the session. */
  isPublic: boolean
  alt: string
  className?: string | undefined
  width?: number | undefined
  height?: number | undefined
  style?: React.CSSProperties | undefined
}

/** A poster or sprite. While it is on its way its place is kept. */
export function Picture({ path, isPublic, alt, className, width, height, style }: PictureProps) {
  const fetched = useFetchedPicture(isPublic ? undefined : path)
  const src = isPublic ? path : fetched
  const size = { width, height }
  const [failed, setFailed] = useState<string>()
  // A picture that cannot be had leaves its place empty, not a broken sign.
  if (!src || failed === src)
    return <span className={`inline-block ${className ?? ''}`} style={{ ...size, ...style }} />
  return (
    <img
      src={src}
      alt={alt}
      className={className}
      {...size}
      style={style}
      decoding="async"
      draggable={false}
      onError={() => setFailed(src)}
    />
  )
}

const kept = new Map<string, Promise<string>>()
const mostKept = 400

export function useFetchedPicture(path: string | undefined): string | undefined {
  const [found, setFound] = useState<{ path: string; url: string }>()
  useEffect(() => {
    if (path === undefined) return
    let isWanted = true
    // Rows that fly by while scrolling ask for nothing.
    const timer = setTimeout(
      () => {
        loadPicture(path).then(
          (url) => {
            if (isWanted) setFound({ path, url })
          },
          () => {},
        )
      },
      kept.has(path) ? 0 : 60,
    )
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [path])
  return found !== undefined && found.path === path ? found.url : undefined
}

export function loadPicture(path: string): Promise<string> {
  const known = kept.get(path)
  if (known) {
    kept.delete(path)
    kept.set(path, known)
    return known
  }
  const coming = client.transport
    .send(path, { method: 'GET' })
    .then((response) => response.blob())
    .then((blob) => URL.createObjectURL(blob))
  coming.catch(() => kept.delete(path))
  kept.set(path, coming)
  const oldest = kept.keys().next().value
  if (kept.size > mostKept && oldest !== undefined) {
    void kept.get(oldest)?.then((url) => URL.revokeObjectURL(url))
    kept.delete(oldest)
  }
  return coming
}

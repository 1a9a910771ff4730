import { useEffect, useState } from 'react'
import { client } from '../session/client.ts'
import { Icon } from './icon.tsx'

interface PictureProps {
  /** A path of the media routes; or a signed address, which counts as public. */
  path: string
  /** Public pictures are the browser's own to load and keep; private ones are fetched with the session. */
  isPublic: boolean
  alt: string
  className?: string | undefined
  /** Loaded when it comes near the screen. */
  isLazy?: boolean
  width?: number | undefined
  height?: number | undefined
  style?: React.CSSProperties | undefined
}

/** A poster or sprite. While it is on its way its place is kept; one that did not come is asked for again, and marked meanwhile. */
export function Picture({ path, isPublic, alt, className, isLazy = false, width, height, style }: PictureProps) {
  const [failure, setFailure] = useState<{ path: string; attempt: number }>()
  const attempt = failure?.path === path ? failure.attempt : 0
  const { waits, retry } = useRetry(path, attempt)
  const onError = () => setFailure({ path, attempt: attempt + 1 })
  const fetched = useFetchedPicture(isPublic ? undefined : path, retry, onError)
  const src = isPublic ? path : fetched
  const size = { width, height }
  if (waits)
    return (
      <span
        className={`picture-missing ${className ?? ''}`}
        style={{ ...size, ...style }}
        role="img"
        aria-label="This picture could not be loaded"
        title="This picture could not be loaded; it is asked for again"
      >
        <Icon name="noPicture" small />
      </span>
    )
  if (!src) return <span className={`inline-block ${className ?? ''}`} style={{ ...size, ...style }} />
  return (
    <img
      key={retry}
      src={src}
      alt={alt}
      className={className}
      {...size}
      style={style}
      decoding="async"
      loading={isLazy ? 'lazy' : 'eager'}
      draggable={false}
      onError={onError}
    />
  )
}

/** Where a sprite or clip can be shown from; undefined until it is there, or while it is not wanted. */
export function usePictureUrl(path: string | undefined, isPublic: boolean): string | undefined {
  const fetched = useFetchedPicture(isPublic ? undefined : path, 0, ignoreFailure)
  return isPublic ? path : fetched
}

/** The picture below it stays. */
const ignoreFailure = () => undefined

const retrySeconds = [2, 6, 20, 60]

/** After a failure it waits a while, longer each time, and not at all once the network is back. `retry` counts the new attempts. */
function useRetry(path: string, attempt: number): { waits: boolean; retry: number } {
  const [begun, setBegun] = useState({ path, attempt: 0 })
  const retry = begun.path === path ? begun.attempt : 0
  useEffect(() => {
    if (attempt === 0 || attempt === retry) return
    const begin = () => setBegun({ path, attempt })
    const seconds = retrySeconds[attempt - 1] ?? retrySeconds.at(-1) ?? 0
    const timer = setTimeout(begin, seconds * 1000)
    window.addEventListener('online', begin)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('online', begin)
    }
  }, [path, attempt, retry])
  return { waits: attempt > retry, retry }
}

const kept = new Map<string, Promise<string>>()
const mostKept = 400

function useFetchedPicture(path: string | undefined, attempt: number, onError: () => void): string | undefined {
  const [found, setFound] = useState<{ path: string; url: string }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: one request for each attempt
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
          () => {
            if (isWanted) onError()
          },
        )
      },
      kept.has(path) ? 0 : 60,
    )
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [path, attempt])
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

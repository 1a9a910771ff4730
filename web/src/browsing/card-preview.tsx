import { useEffect, useRef, useState } from 'react'
import type { CardItem } from '../data/catalog.ts'
import { formatBytes, formatTimecode, shortName } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { useKeys } from '../session/keys.ts'
import { findPreviews } from './previews.ts'
import './card-preview.css'
import { Picture, usePictureUrl } from '../parts/picture.tsx'

const playAfterMs = 250
const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches

interface CardPreviewProps {
  item: CardItem
  /** The card has the focus by keyboard. */
  isFocused: boolean
}

/** The frame under the pointer at once; where it rests, the clip plays on from there. On touch a press does it, and no link is followed then. */
export function CardPreview({ item, isFocused }: CardPreviewProps) {
  const [camera, setCamera] = useState(0)
  const [share, setShare] = useState<number>()
  const [isPlaying, setPlaying] = useState(false)
  const [seconds, setSeconds] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const video = useRef<HTMLVideoElement>(null)
  const wasHeld = useRef(false)
  const previews = findPreviews(item, camera)
  const isPublic = item.seenBy !== 'Private'
  const isActive = share !== undefined
  const spriteUrl = usePictureUrl(isActive ? previews?.spriteUrl : undefined, isPublic)
  const clipUrl = usePictureUrl(isPlaying ? previews?.clipUrl : undefined, isPublic)
  const rest = () => {
    clearTimeout(timer.current)
    if (previews && !prefersStill()) timer.current = setTimeout(() => setPlaying(true), playAfterMs)
  }
  const leave = () => {
    clearTimeout(timer.current)
    setShare(undefined)
    setPlaying(false)
    setSeconds(0)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus alone starts and ends it
  useEffect(() => {
    if (!isFocused) return leave()
    setShare(0)
    rest()
    return undefined
  }, [isFocused])
  useKeys({ c: () => setCamera((camera + 1) % Math.max(1, item.camera_keys.length)) }, isActive)
  const follow = (event: React.PointerEvent<HTMLElement>) => {
    if (event.pointerType === 'touch' && !wasHeld.current) return
    const box = event.currentTarget.getBoundingClientRect()
    setShare(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)))
    setPlaying(false)
    rest()
  }
  const frame = share === undefined ? undefined : Math.min(7, Math.floor(share * 8))
  const duration = video.current?.duration || 0
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the card around it is the link; this only follows the pointer, C and focus do the same by key
    <div
      className="preview"
      onPointerMove={follow}
      onPointerLeave={leave}
      onPointerCancel={leave}
      onPointerDown={(event) => {
        wasHeld.current = false
        if (event.pointerType !== 'touch') return
        timer.current = setTimeout(() => {
          wasHeld.current = true
          setShare(0)
          setPlaying(!prefersStill())
        }, playAfterMs)
      }}
      onPointerUp={(event) => event.pointerType === 'touch' && leave()}
      onContextMenu={(event) => wasHeld.current && event.preventDefault()}
      onClickCapture={(event) => {
        if (!wasHeld.current) return
        event.preventDefault()
        event.stopPropagation()
        wasHeld.current = false
      }}
    >
      <div className="preview-poster">
        {previews && <Picture path={previews.posterUrl} isPublic={isPublic} isLazy alt="" />}
        {!item.poster_url && <span className="preview-none">no camera</span>}
        {frame !== undefined && spriteUrl && <SpriteFrame url={spriteUrl} frame={frame} />}
        {isPlaying && clipUrl && (
          <video
            ref={video}
            src={clipUrl}
            muted
            autoPlay
            loop
            playsInline
            onLoadedMetadata={(event) => {
              event.currentTarget.currentTime = (share ?? 0) * event.currentTarget.duration
            }}
            onTimeUpdate={(event) => setSeconds(event.currentTarget.currentTime)}
          />
        )}
        {isActive && item.camera_keys[camera] !== undefined && (
          <span className="osd row gap-4 top-right">
            <Icon name="camera" small />
            {shortName(item.camera_keys[camera])} {camera + 1}/{item.camera_keys.length}
          </span>
        )}
        {isPlaying && duration > 0 && (
          <span className="osd mono bottom-left">
            ep 0 · {formatTimecode(seconds)} / {formatTimecode(duration)}
          </span>
        )}
        <span className="osd bottom-right">{formatBytes(item.size_bytes)}</span>
      </div>
      <div className="preview-strip">
        {previews && <Picture path={previews.spriteUrl} isPublic={isPublic} isLazy alt="" />}
        {isActive && (
          <i
            className="preview-mark"
            style={{ left: `${(isPlaying && duration > 0 ? seconds / duration : (share ?? 0)) * 100}%` }}
          />
        )}
      </div>
    </div>
  )
}

/** One of the eight frames that lie side by side in a sprite. */
const SpriteFrame = ({ url, frame }: { url: string; frame: number }) => (
  <div
    className="preview-frame"
    style={{ backgroundImage: `url("${url}")`, backgroundPosition: `${(frame / 7) * 100}% 50%` }}
  />
)

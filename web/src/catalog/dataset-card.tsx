import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { formatBytes, formatCount, formatShortDuration, shortName } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { MiniHistogram } from '../parts/mini-histogram.tsx'
import { findPreviews } from './previews.ts'
import type { CatalogItem } from './queries.ts'

const playAfterMs = 250

/** Hover: the frame under the pointer at once, the clip after a quarter of a second. A tap of the same length does it on touch. */
export function DatasetCard({ item }: { item: CatalogItem }) {
  const [share, setShare] = useState<number>()
  const [playing, setPlaying] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const video = useRef<HTMLVideoElement>(null)
  const { spriteUrl, clipUrl } = findPreviews(item)
  useEffect(() => () => clearTimeout(timer.current), [])
  const follow = (event: React.PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setShare(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)))
    if (!clipUrl || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    clearTimeout(timer.current)
    if (!playing) timer.current = setTimeout(() => setPlaying(true), playAfterMs)
  }
  const leave = () => {
    clearTimeout(timer.current)
    setShare(undefined)
    setPlaying(false)
  }
  const frame = share === undefined ? undefined : Math.min(7, Math.floor(share * 8))
  return (
    <Link to="/datasets/$datasetId" params={{ datasetId: item.id }} className="card">
      <div onPointerMove={follow} onPointerLeave={leave}>
        <div className="poster">
          {item.poster_url && <img src={item.poster_url} alt="" loading="lazy" decoding="async" />}
          {!playing && frame !== undefined && spriteUrl && <SpriteFrame url={spriteUrl} frame={frame} />}
          {playing && clipUrl && (
            <video
              ref={video}
              src={clipUrl}
              muted
              autoPlay
              loop
              playsInline
              onLoadedMetadata={() => {
                if (video.current && share !== undefined) video.current.currentTime = share * video.current.duration
              }}
            />
          )}
          {share !== undefined && item.camera_keys[0] && (
            <span className="osd row gap-1" style={{ right: 6, top: 6 }}>
              <Icon name="camera" small />
              {shortName(item.camera_keys[0])} 1/{item.camera_keys.length}
            </span>
          )}
          <span className="osd" style={{ right: 6, bottom: 6 }}>
            {formatBytes(item.size_bytes)}
          </span>
        </div>
        <div className="strip">
          {spriteUrl && <img src={spriteUrl} alt="" loading="lazy" decoding="async" />}
          {share !== undefined && <i className="strip-mark" style={{ left: `${share * 100}%` }} />}
        </div>
      </div>
      <span className="card-title clip">{item.title}</span>
      <span className="card-sub">
        <span className="clip dim">{item.org_slug}</span>
        {item.robot_type && <span className="chip line tiny">{item.robot_type}</span>}
        {item.tags.slice(0, 1).map((tag) => (
          <span className="chip tiny" key={tag}>
            {tag}
          </span>
        ))}
      </span>
      <span className="card-facts">
        <span>
          <b>{formatCount(item.total_episodes)}</b> ep
        </span>
        <b>{formatShortDuration(item.total_seconds)}</b>
        <span>
          <b>{item.camera_keys.length}</b> cam
        </span>
        <span className="end" title="Episode lengths">
          <MiniHistogram counts={item.length_histogram} />
        </span>
      </span>
    </Link>
  )
}

/** One of the eight frames that lie side by side in a sprite. */
const SpriteFrame = ({ url, frame }: { url: string; frame: number }) => (
  <div
    style={{
      position: 'absolute',
      inset: 0,
      backgroundImage: `url("${url}")`,
      backgroundSize: '800% 100%',
      backgroundPosition: `${(frame / 7) * 100}% 0`,
    }}
  />
)

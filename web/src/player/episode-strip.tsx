import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { episodesQuery, type Manifest } from '../data/dataset.ts'
import type { Flag } from '../data/flags.ts'
import { useLeftOut } from '../data/recipe/recipe-draft.ts'
import { Poster } from '../episode/poster.tsx'
import { formatCount, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import './episode-strip.css'

interface EpisodeStripProps {
  dataset: Manifest
  current: number
  total: number
  /** The list it was opened from; all when undefined. */
  listed: readonly number[] | undefined
  flags: readonly Flag[]
  /** The queue that one stays in. */
  review: string | undefined
}

const pageSize = 50
const rowHeight = 76

export function EpisodeStrip({ dataset, current, total, listed, flags, review }: EpisodeStripProps) {
  const place = listed ? listed.indexOf(current) : current
  const scroll = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: listed?.length ?? total,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    initialOffset: Math.max(0, (place - 4) * rowHeight),
  })
  useEffect(() => {
    virtual.scrollToIndex(place, { align: 'auto' })
  }, [place, virtual])
  const rows = virtual.getVirtualItems().map(({ index, start }) => ({ index: listed?.[index] ?? index, start }))
  const pages = [...new Set(rows.map(({ index }) => Math.floor(index / pageSize)))]
  const loaded = useQueries({
    queries: pages.map((page) => episodesQuery(dataset.id, { offset: page * pageSize, limit: pageSize })),
  })
  const seconds = new Map<number, number>()
  const lengths = new Map<number, number>()
  for (const { data } of loaded)
    for (const { episode_index, duration_sec, length_frames } of data?.items ?? []) {
      seconds.set(episode_index, duration_sec)
      lengths.set(episode_index, length_frames)
    }
  const camera = dataset.observation.cameras[0]
  const leftOut = useLeftOut(dataset.id)
  return (
    <nav className="episode-strip desktop-only" aria-label="Episodes" ref={scroll}>
      <div className="episode-strip-head smallest dim align-center">
        {listed ? `${formatCount(listed.length)} of ${formatCount(total)}` : plural(total, 'episode')}
      </div>
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, start }) => (
          <Link
            key={index}
            className="strip-episode"
            style={{ transform: `translateY(${start}px)` }}
            to="/datasets/$datasetId/episodes/$episode"
            params={{ datasetId: dataset.id, episode: String(index) }}
            search={review ? { review } : {}}
            aria-current={index === current ? 'page' : undefined}
            data-out={leftOut.has(index)}
            replace
          >
            {camera && lengths.has(index) ? (
              <Poster
                dataset={dataset}
                episode={index}
                camera={camera.key}
                frame={Math.floor((lengths.get(index) ?? 0) * 0.45)}
                className="thumb"
                width={80}
                height={50}
              />
            ) : (
              <span className="thumb width-80 height-50" />
            )}
            <span className="strip-episode-name">
              <b>
                <span className="visually-hidden">Episode </span>
                {index}
                {leftOut.has(index) && <span className="visually-hidden"> left out of the draft</span>}
              </b>
              {flags.some((flag) => flag.episode_index === index) && <Icon name="flag" />}
              <em className="dim end">{seconds.has(index) && `${seconds.get(index)?.toFixed(1)} s`}</em>
            </span>
          </Link>
        ))}
      </div>
    </nav>
  )
}

/** As wide as the strip that is still to be drawn. */
export const StripPlace = () => (
  <div className="episode-strip desktop-only" aria-hidden>
    <div />
  </div>
)

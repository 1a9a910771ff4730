import { Link } from '@tanstack/react-router'
import { Fragment, memo, type ReactNode } from 'react'
import type { Manifest } from '../data/dataset.ts'
import type { RowEpisode } from '../data/episodes/episode-order.ts'
import type { EpisodeLabel } from '../data/episodes/label-lists.ts'
import { rankOf } from '../data/episodes/rank.ts'
import type { Flag } from '../data/flags.ts'
import type { Insights } from '../data/insights.ts'
import { Poster } from '../episode/poster.tsx'
import { segmentTint } from '../episode/segment-tint.ts'
import { Sparkline } from '../episode/sparkline.tsx'
import { SplitMarks } from '../episode/splits.tsx'
import { SpriteTile } from '../episode/sprite-tile.tsx'
import { SuccessMark } from '../episode/success-mark.tsx'
import { Check } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import type { ListColumn } from './list-columns.ts'
import './episodes.css'

interface EpisodeRowProps {
  top: number
  row: number
  episode: RowEpisode | undefined
  dataset: Manifest
  flags: Flag[] | undefined
  label: EpisodeLabel | undefined
  columns: readonly ListColumn[]
  insights: Insights | undefined
  curve: readonly number[] | undefined
  /** Rows stand in the order of their numbers: neighbours share one picture. */
  hasSprite: boolean
  isCurrent: boolean
  isSelected: boolean
  /** By the draft of the recipe. */
  isLeftOut: boolean
  onOpen(episode: number): void
  /** The pointer came to it. */
  onPoint(episode: number): void
  onToggle(episode: number): void
}

/** A row leads with its frames and its curve; its length is drawn against the longest, flagged ranges in place. */
export const EpisodeRow = memo(function EpisodeRow(props: EpisodeRowProps) {
  const { top, row, episode, dataset, flags, label, insights, curve, isCurrent, isSelected, isLeftOut } = props
  const { columns, onOpen, onPoint, onToggle } = props
  const style = { transform: `translateY(${top}px)` }
  if (!episode)
    return (
      <div className="episode-row episode-grid" style={style} role="row" aria-rowindex={row}>
        <span role="cell" className="cell-check" />
        <span role="cell" className="cell-number" />
        <span role="cell" className="cell-frames">
          <i className="skeleton width-98 height-36" />
        </span>
      </div>
    )
  const index = episode.episode_index
  const rank = episode.variance === null || !insights ? undefined : rankOf(insights.variance, episode.variance)
  const cells: Record<ListColumn, ReactNode> = {
    task: (
      <span role="cell" className="cell-task" title={episode.tasks?.join('; ')}>
        {episode.tasks === undefined ? (
          <i className="skeleton width-60-percent height-8" />
        ) : (
          <span className="clip cell-task-text">
            {episode.tasks.join('; ') || <span className="dim">no task text</span>}
          </span>
        )}
        <SplitMarks dataset={dataset} splits={episode.splits} />
      </span>
    ),
    length: (
      <span role="cell" className="cell-length">
        <LengthRail episode={episode} dataset={dataset} flags={flags} segments={label?.segments ?? []} />
        <span className="phone-only small dim">{episode.duration_sec.toFixed(2)} s</span>
      </span>
    ),
    seconds: (
      <span role="cell" className="align-right cell-seconds">
        {episode.duration_sec.toFixed(2)} s
      </span>
    ),
    curve: (
      <span role="cell" className="cell-curve">
        <Sparkline curve={curve} />
      </span>
    ),
    motion: (
      <span role="cell" className="align-right cell-motion">
        {episode.motion === null ? '–' : episode.motion.toFixed(4)}
      </span>
    ),
    variance: (
      <span role="cell" className="align-right cell-variance">
        {rank !== undefined && (
          <span className="cell-rank" title={`${rank} of 100 have less`}>
            <i style={{ left: `${rank}%` }} />
          </span>
        )}
        {episode.variance === null ? '–' : episode.variance.toFixed(4)}
      </span>
    ),
    success: (
      <span role="cell" className="cell-success">
        <SuccessMark success={label?.success} isRecorded={label?.isRecorded} />
      </span>
    ),
    flags: (
      <span role="cell" className="row gap-4 cell-flags">
        {isLeftOut && <span className="chip line">left out</span>}
        {flags?.slice(0, 1).map((flag) => (
          <span className="chip flag" key={flag.id} title={flag.note ?? undefined}>
            <Icon name="flag" />
            <span className={isLeftOut ? 'visually-hidden' : undefined}>{describeFlag(flag, dataset.metrics.fps)}</span>
          </span>
        ))}
        {flags && flags.length > 1 && <span className="text-flag small">+{flags.length - 1}</span>}
      </span>
    ),
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: J, K and Enter open rows; the number in it is a link too
    <div
      className="episode-row episode-grid"
      style={style}
      role="row"
      aria-rowindex={row}
      data-current={isCurrent}
      data-selected={isSelected}
      data-out={isLeftOut}
      onClick={() => onOpen(index)}
      onPointerEnter={() => onPoint(index)}
    >
      <span role="cell" className="cell-check flex">
        <Check
          kind="row"
          checked={isSelected}
          aria-label={`Select episode ${index}`}
          onClick={(event) => event.stopPropagation()}
          onChange={() => onToggle(index)}
        />
      </span>
      <span role="cell" className="align-right cell-number">
        <Link
          to="/datasets/$datasetId/episodes/$episode"
          params={{ datasetId: dataset.id, episode: String(index) }}
          onClick={(event) => {
            event.stopPropagation()
            // With a key held it is the browser's to open: a new tab, a new window.
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
            event.preventDefault()
            onOpen(index)
          }}
        >
          <b>
            <span className="visually-hidden">Episode </span>
            {index}
          </b>
        </Link>
      </span>
      <span role="cell" className="cell-frames">
        <Frames {...props} episode={episode} />
      </span>
      {columns.map((column) => (
        <Fragment key={column}>{cells[column]}</Fragment>
      ))}
    </div>
  )
})

const describeFlag = ({ reason, start_frame: start, end_frame: end }: Flag, fps: number): string =>
  start === null || end === null ? reason : `${reason} ${((end - start) / fps).toFixed(1)} s`

function Frames({ dataset, episode, hasSprite }: EpisodeRowProps & { episode: RowEpisode }) {
  return (
    <span className="cell-pictures">
      {dataset.observation.cameras
        .slice(0, 2)
        .map((camera) =>
          hasSprite ? (
            <SpriteTile
              key={camera.key}
              dataset={dataset}
              camera={camera}
              episode={episode.episode_index}
              width={48}
              height={36}
            />
          ) : (
            <Poster
              key={camera.key}
              dataset={dataset}
              episode={episode.episode_index}
              camera={camera.key}
              frame={Math.floor(episode.length_frames * 0.45)}
              className="thumb"
              width={48}
              height={36}
            />
          ),
        )}
    </span>
  )
}

interface LengthRailProps {
  episode: RowEpisode
  dataset: Manifest
  flags: Flag[] | undefined
  segments: EpisodeLabel['segments']
}

function LengthRail({ episode, dataset, flags, segments }: LengthRailProps) {
  const longest = dataset.statistics.longest_episode_frames || 1
  const share = (frames: number) => `${(frames / longest) * 100}%`
  return (
    <span className="rail block">
      <i style={{ width: share(episode.length_frames) }} />
      {segments.map((segment) => (
        <i
          key={`${segment.label} ${segment.start_frame}`}
          title={segment.label}
          style={{
            left: share(segment.start_frame),
            width: share(segment.end_frame - segment.start_frame),
            background: segmentTint(segments, segment),
          }}
        />
      ))}
      {flags?.map(({ id, start_frame: start, end_frame: end }) =>
        start === null || end === null ? null : (
          <i
            key={id}
            className="flag"
            style={{ left: share(start), width: share(Math.max(end - start, longest / 150)) }}
          />
        ),
      )}
    </span>
  )
}

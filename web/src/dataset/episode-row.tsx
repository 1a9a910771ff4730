import { memo } from 'react'
import { Check } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import type { Flag } from './flags-query.ts'
import type { Insights } from './insights-query.ts'
import { Poster } from './poster.tsx'
import type { Episode, Manifest } from './queries.ts'
import { rankOf } from './rank.ts'

interface EpisodeRowProps {
  top: number
  row: number
  episode: Episode | undefined
  dataset: Manifest
  flags: Flag[] | undefined
  insights: Insights | undefined
  isCurrent: boolean
  isSelected: boolean
  onOpen(episode: number): void
  onToggle(episode: number): void
}

/** A row leads with its frames; its length is drawn against the longest, flagged ranges in place. */
export const EpisodeRow = memo(function EpisodeRow(props: EpisodeRowProps) {
  const { top, row, episode, dataset, flags, insights, isCurrent, isSelected, onOpen, onToggle } = props
  const style = { transform: `translateY(${top}px)` }
  if (!episode)
    return (
      <div className="ep-row ep-grid" style={style} role="row" aria-rowindex={row}>
        <span role="cell" />
        <span role="cell" />
        <span role="cell" className="c-frames">
          <i className="sk" style={{ width: 98, height: 36 }} />
        </span>
      </div>
    )
  const index = episode.episode_index
  const longest = dataset.statistics.longest_episode_frames || 1
  const width = (episode.length_frames / longest) * 100
  const frame = Math.floor(episode.length_frames * 0.45)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: J, K and Enter open rows; the number in it is a link too
    <div
      className="ep-row ep-grid"
      style={style}
      role="row"
      aria-rowindex={row}
      data-current={isCurrent}
      data-selected={isSelected}
      onClick={() => onOpen(index)}
    >
      <span role="cell" className="c-check" style={{ display: 'flex' }}>
        <Check
          kind="row"
          checked={isSelected}
          aria-label={`Select episode ${index}`}
          onClick={(event) => event.stopPropagation()}
          onChange={() => onToggle(index)}
        />
      </span>
      <span role="cell" className="r c-number">
        <a href={`/datasets/${dataset.id}/episodes/${index}`} onClick={(event) => event.preventDefault()}>
          <b>
            <span className="vh">Episode </span>
            {index}
          </b>
        </a>
      </span>
      <span role="cell" className="c-frames">
        <span className="frames">
          {dataset.observation.cameras.slice(0, 2).map((camera) => (
            <Poster
              key={camera.key}
              dataset={dataset}
              episode={index}
              camera={camera.key}
              frame={frame}
              className="thumb"
              width={48}
              height={36}
            />
          ))}
        </span>
      </span>
      <span role="cell" className="clip task-cell" title={episode.tasks.join('; ')}>
        {episode.tasks.join('; ') || <span className="dim">no task text</span>}
      </span>
      <span role="cell" className="c-length">
        <span className="rail block">
          <i style={{ left: 0, width: `${width}%`, background: 'var(--bars)' }} />
          {flags?.map((flag) =>
            flag.start_frame === null || flag.end_frame === null ? null : (
              <i
                key={flag.id}
                style={{
                  left: `${(flag.start_frame / longest) * 100}%`,
                  width: `${Math.max(0.7, ((flag.end_frame - flag.start_frame) / longest) * 100)}%`,
                  background: 'var(--flag)',
                }}
              />
            ),
          )}
        </span>
        <span className="mob sm dim">{episode.duration_sec.toFixed(2)} s</span>
      </span>
      <span role="cell" className="r c-seconds">
        {episode.duration_sec.toFixed(2)} s
      </span>
      <span role="cell" className="r c-motion">
        {episode.motion === null ? '–' : episode.motion.toFixed(4)}
      </span>
      <span role="cell" className="r c-variance">
        {episode.variance !== null && insights && (
          <span className="place" title={`${rankOf(insights.variance, episode.variance)} of 100 have less`}>
            <i style={{ left: `${rankOf(insights.variance, episode.variance)}%` }} />
          </span>
        )}
        {episode.variance === null ? '–' : episode.variance.toFixed(4)}
      </span>
      <span role="cell" className="row gap-1 c-flags clip">
        {flags?.slice(0, 2).map((flag) => (
          <span className="chip flag" key={flag.id}>
            <Icon name="flag" />
            {flag.reason}
          </span>
        ))}
        {flags && flags.length > 2 && <span className="c-flag sm">+{flags.length - 2}</span>}
      </span>
    </div>
  )
})

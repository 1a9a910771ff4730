import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { FramesItem, Manifest } from '../../data/dataset.ts'
import type { Flag } from '../../data/flags.ts'
import { Check } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Picture } from '../../parts/picture.tsx'
import './frames.css'

interface FrameTileProps {
  dataset: Manifest
  index: number
  item: FramesItem | undefined
  view: 'first' | 'last'
  flags: readonly Flag[] | undefined
  /** What a click on the flag gives. */
  reason: string
  isCurrent: boolean
  isSelected: boolean
  /** By the draft of the recipe. */
  isLeftOut: boolean
  onSelect(): void
  onFlag: (() => void) | undefined
}

/** The frame opens its episode; the flag below it is one click, and taken away by another. */
export const FrameTile = memo(function FrameTile(props: FrameTileProps) {
  const { dataset, index, item, view, flags = [], reason, isCurrent, isSelected, isLeftOut } = props
  const { onSelect, onFlag } = props
  const [flag] = flags
  const flagText = flag && (flags.length > 1 ? `${flag.reason} +${flags.length - 1}` : flag.reason)
  const [stream] = item?.streams ?? []
  return (
    <div
      className="frame-tile"
      data-flagged={flag !== undefined}
      data-current={isCurrent}
      data-selected={isSelected}
      data-out={isLeftOut}
    >
      <Link
        to="/datasets/$datasetId/episodes/$episode"
        params={{ datasetId: dataset.id, episode: String(index) }}
        search={view === 'last' && item ? { t: Math.max(0, item.duration_sec - 1 / dataset.metrics.fps) } : {}}
        aria-label={`Episode ${index}`}
      >
        {stream ? (
          <Picture className="thumb" path={`${stream.poster_url}&width=320&format=webp`} isPublic alt="" />
        ) : (
          <span className="thumb" />
        )}
      </Link>
      <div className="frame-line">
        <Check kind="row" aria-label={`Select episode ${index}`} checked={isSelected} onChange={onSelect} />
        <b>{index}</b>
        {item && <span className="dim small">{isLeftOut ? 'left out' : `${item.duration_sec.toFixed(1)} s`}</span>}
        {onFlag ? (
          <button
            type="button"
            className={flag ? 'chip flag tiny frame-flag' : 'chip tiny frame-flag none'}
            aria-label={
              flag ? `${flagText}, remove the flag of episode ${index}` : `Flag episode ${index} as ${reason}`
            }
            title={flag ? (flag.note ?? 'Remove the flag') : `Flag as ${reason}`}
            onClick={onFlag}
          >
            <Icon name="flag" />
            {flagText}
          </button>
        ) : (
          flag && (
            <span className="chip flag tiny frame-flag">
              <Icon name="flag" />
              {flagText}
            </span>
          )
        )}
      </div>
    </div>
  )
})

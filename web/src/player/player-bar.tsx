import type { EpisodeMedia } from '@nmp/sdk/generated/records'
import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import type { EpisodeLabel } from '../data/episodes/label-lists.ts'
import type { WalkPlace } from '../data/episodes/walk.ts'
import { SuccessMark } from '../episode/success-mark.tsx'
import { Button, IconButton, Kbd } from '../parts/controls.tsx'
import { formatCount, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { useSwipe } from './stage/swipe.ts'
import './player-page.css'

interface PlayerBarProps {
  dataset: Manifest
  index: number
  total: number
  media: EpisodeMedia
  isLeftOut: boolean
  flagCount: number
  /** What is said of it. */
  label: EpisodeLabel | undefined
  /** In the list that it was opened from. */
  place: WalkPlace | undefined
  /** To the episodes beside it, where there are any. */
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onLeaveList(): void
  onFlags(): void
  isSceneOpen: boolean
  onScene(): void
  onCopyLink(): void
}

const hints = [
  ['Space', 'play'],
  [', .', 'frame'],
  ['← →', '1 s'],
  ['I O', 'in, out'],
  ['F', 'flag'],
  ['[ ]', 'episode'],
  ['Z', 'zoom'],
  ['?', 'all keys'],
] as const

const swipePixels = 60

/** Which episode this is, the ones beside it, the keys; a swipe over it opens the next. */
export function PlayerBar(props: PlayerBarProps) {
  const { dataset, index, total, media, isLeftOut, flagCount, label, place } = props
  const { onPrevious, onNext, onLeaveList, onFlags, isSceneOpen, onScene, onCopyLink } = props
  const swipe = useSwipe({ onEnd: (dx) => Math.abs(dx) > swipePixels && (dx < 0 ? onNext : onPrevious)?.() })
  return (
    <div className="subbar" {...swipe}>
      <span className="crumb desktop-only">
        <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="clip max-width-240">
          {dataset.title}
        </Link>
        <i>/</i>
      </span>
      <Link
        className="button square ghost small phone-only"
        to="/datasets/$datasetId"
        params={{ datasetId: dataset.id }}
        aria-label={`Back to ${dataset.title}`}
      >
        <Icon name="up" small />
      </Link>
      <h1>Episode {index}</h1>
      <span className="dim desktop-only nowrap">of {formatCount(total)}</span>
      <span className="row gap-2">
        <IconButton small icon="left" label="Previous episode" disabled={!onPrevious} onClick={onPrevious} />
        <IconButton small icon="right" label="Next episode" disabled={!onNext} onClick={onNext} />
      </span>
      {place && (
        <button type="button" className="chip line" title="Leave this list: [ and ] go by number" onClick={onLeaveList}>
          {formatCount(place.place)} of {formatCount(place.total)} <span className="desktop-only">{place.words}</span>
          <Icon name="close" small />
          <span className="visually-hidden">, leave this list</span>
        </button>
      )}
      <span className="chip desktop-only">
        {plural(media.length_frames, 'frame')} at {media.fps} fps
      </span>
      <SuccessMark success={label?.success} isRecorded={label?.isRecorded} />
      {isLeftOut && <span className="chip line desktop-only">left out of the draft</span>}
      <span className="end row player-hints desktop-only">
        {hints.map(([key, does]) => (
          <span key={key}>
            <Kbd>{key}</Kbd> {does}
          </span>
        ))}
      </span>
      <button type="button" className="chip flag end inspector-button" onClick={onFlags}>
        <Icon name="flag" />
        {flagCount}
        <span className="visually-hidden"> flags, open the inspector</span>
      </button>
      <Button small aria-pressed={isSceneOpen} aria-label="The robot in 3D" onClick={onScene}>
        3D
      </Button>
      <Button small icon="link" className="desktop-only" onClick={onCopyLink}>
        Copy link
      </Button>
    </div>
  )
}

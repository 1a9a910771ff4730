import { Link } from '@tanstack/react-router'
import type { Manifest } from '../../data/dataset.ts'
import { countFrames } from '../../data/recipe/frame-cuts.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import type { PlayerClock } from '../clock.ts'
import type { PlayerCuts } from './use-frame-cuts.ts'
import './cut-bar.css'

interface CutBarProps {
  dataset: Manifest
  clock: PlayerClock
  cuts: PlayerCuts
  /** In a review K keeps the episode. */
  hasKeepKey: boolean
}

/** What the draft of a recipe does with the frames of this episode. */
export function CutBar({ dataset, clock, cuts, hasKeepKey }: CutBarProps) {
  const { kept, splits, isChanged, still } = cuts
  const count = countFrames(kept)
  const title = clock.hasRange ? undefined : 'Mark a range first: in (I), out (O)'
  return (
    <div className="cut-bar" role="toolbar" aria-label="Frames of the draft">
      <Button
        small
        {...(hasKeepKey ? { shortcut: 'K' } : {})}
        disabled={!clock.hasRange}
        title={title}
        onClick={cuts.keepOnly}
      >
        Keep only this
      </Button>
      <Button small shortcut="D" disabled={!clock.hasRange} title={title} onClick={cuts.cutOut}>
        Cut this out
      </Button>
      <Button small shortcut="B" onClick={cuts.splitHere}>
        Split here
      </Button>
      {isChanged && (
        <Button small look="ghost" onClick={cuts.putBack}>
          Put all back
        </Button>
      )}
      {still.isSignedIn && (
        <Button small shortcut="H" aria-pressed={still.isOpen} onClick={still.toggle}>
          Still frames
        </Button>
      )}
      <span className="end row small nowrap">
        {(count < clock.frames || splits.length > 0) && (
          <span className="mid" data-testid="kept-frames">
            {formatCount(count)} of {plural(clock.frames, 'frame')} kept
            {splits.length > 0 && `, in ${plural(splits.length + 1, 'part')}`}
          </span>
        )}
        {(isChanged || still.isInDraft) && still.isSignedIn && (
          <Link
            className="link"
            to="/datasets/$datasetId/recipe"
            params={{ datasetId: dataset.id }}
            search={{ step: 'time' }}
          >
            Open the recipe
          </Link>
        )}
      </span>
    </div>
  )
}

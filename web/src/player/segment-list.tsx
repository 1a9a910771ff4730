import { useState } from 'react'
import type { Episode, Manifest } from '../dataset/queries.ts'
import { Field, IconButton } from '../parts/controls.tsx'
import type { PlayerClock } from './clock.ts'
import { segmentTint, useSegments } from './segments.ts'

interface SegmentListProps {
  dataset: Manifest
  episode: Episode
  clock: PlayerClock
  mayEdit: boolean
}

export function SegmentList({ dataset, episode, clock, mayEdit }: SegmentListProps) {
  const { segments, add, remove } = useSegments(dataset, episode.episode_index)
  const [label, setLabel] = useState('')
  const { inFrame, outFrame, fps } = clock
  const hasRange = inFrame !== undefined && outFrame !== undefined
  if (segments.length === 0 && !mayEdit) return null
  return (
    <>
      <h3 className="mt-3.5">Segments</h3>
      <ol className="seg-list">
        {segments.map((segment) => (
          <li key={`${segment.label}-${segment.start_frame}`} className="row gap-0">
            <button type="button" onClick={() => clock.seek(segment.start_frame)}>
              <i style={{ background: segmentTint(segments, segment) }} />
              <span className="clip">{segment.label}</span>
              <em className="end">{(segment.start_frame / fps).toFixed(2)}</em>
              <em className="dim">{((segment.end_frame - segment.start_frame) / fps).toFixed(2)} s</em>
            </button>
            {mayEdit && (
              <IconButton
                icon="close"
                label={`Take ${segment.label} away`}
                look="ghost"
                small
                onClick={() => remove(segment)}
              />
            )}
          </li>
        ))}
      </ol>
      {mayEdit &&
        (hasRange ? (
          <form
            className="mt-1"
            onSubmit={(event) => {
              event.preventDefault()
              if (!label.trim()) return
              add({ label: label.trim(), start_frame: inFrame, end_frame: outFrame + 1 })
              setLabel('')
              clock.mark(undefined, undefined)
            }}
          >
            <Field
              label="Name of the segment"
              placeholder="Name the selection, Enter"
              value={label}
              maxLength={100}
              onChange={(event) => setLabel(event.target.value)}
            />
          </form>
        ) : (
          segments.length === 0 && <p className="sm dim mt-1">None yet. Mark in and out (I, O), then name the range.</p>
        ))}
    </>
  )
}

import { useState } from 'react'
import type { Episode, Manifest } from '../../data/dataset.ts'
import type { Segment } from '../../data/episodes/episode-rows.ts'
import { segmentTint } from '../../episode/segment-tint.ts'
import { Button, Field, IconButton } from '../../parts/controls.tsx'
import type { PlayerClock } from '../clock.ts'
import { useSegments } from './segments.ts'
import './segment-list.css'

interface SegmentListProps {
  dataset: Manifest
  episode: Episode
  clock: PlayerClock
  mayEdit: boolean
}

/** Choose one and the marks lie on its edges: move them, give it another name, save. */
export function SegmentList({ dataset, episode, clock, mayEdit }: SegmentListProps) {
  const { segments, add, replace, remove } = useSegments(dataset, episode.episode_index)
  const chosen = segments.find(({ start_frame }) => start_frame === clock.chosenStart)
  const hasRange = clock.inFrame !== undefined && clock.outFrame !== undefined
  if (segments.length === 0 && !mayEdit) return null
  const choose = (segment: Segment) => {
    if (mayEdit) clock.choose(segment.start_frame, segment.end_frame - 1)
    else clock.step(segment.start_frame - clock.frame)
  }
  return (
    <>
      <h3 className="above-14">Segments</h3>
      <ol className="segment-list">
        {segments.map((segment) => (
          <li key={`${segment.label}-${segment.start_frame}`} className="row gap-0">
            <button
              type="button"
              aria-current={segment === chosen ? 'true' : undefined}
              onClick={() => choose(segment)}
            >
              <i style={{ background: segmentTint(segments, segment) }} />
              <span className="clip">{segment.label}</span>
              <em className="end">{(segment.start_frame / clock.fps).toFixed(2)}</em>
              <em className="dim">{((segment.end_frame - segment.start_frame) / clock.fps).toFixed(2)} s</em>
            </button>
            {mayEdit && (
              <IconButton
                icon="close"
                label={`Take ${segment.label} away`}
                look="ghost"
                small
                onClick={() => void remove(segment)}
              />
            )}
          </li>
        ))}
      </ol>
      {mayEdit && hasRange && (
        <SegmentForm
          key={chosen?.start_frame ?? 'new'}
          clock={clock}
          chosen={chosen}
          names={[...new Set(segments.map(({ label }) => label))]}
          onSave={(segment) => {
            void (chosen ? replace(chosen, segment) : add(segment))
            clock.mark(undefined, undefined)
          }}
        />
      )}
      {mayEdit && !hasRange && segments.length === 0 && (
        <p className="small dim above-4">None yet. Mark in and out (I, O), then name the range (S).</p>
      )}
    </>
  )
}

interface SegmentFormProps {
  clock: PlayerClock
  chosen: Segment | undefined
  /** Names used so far, to be offered again. */
  names: string[]
  onSave(segment: Segment): void
}

function SegmentForm({ clock, chosen, names, onSave }: SegmentFormProps) {
  const [label, setLabel] = useState(chosen?.label ?? '')
  const start = clock.inFrame ?? 0
  const end = (clock.outFrame ?? clock.last) + 1
  const isChanged = !chosen || chosen.label !== label.trim() || chosen.start_frame !== start || chosen.end_frame !== end
  return (
    <form
      className="above-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (label.trim()) onSave({ label: label.trim(), start_frame: start, end_frame: end })
      }}
    >
      <Field
        label={chosen ? 'New name of the segment' : 'Name of the segment'}
        placeholder="Name the selection (S)"
        value={label}
        maxLength={100}
        list="segment-names"
        data-segment-name
        onChange={(event) => setLabel(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <datalist id="segment-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit" small className="above-6 full-width" disabled={!label.trim() || !isChanged}>
        {chosen ? 'Save segment' : 'Add segment'}, {((end - start) / clock.fps).toFixed(2)} s
      </Button>
    </form>
  )
}

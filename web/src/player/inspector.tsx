import { useQuery } from '@tanstack/react-query'
import type { Episode, Manifest } from '../data/dataset.ts'
import { placeOf, placeUnit } from '../data/episodes/rank.ts'
import { type Flag, type FlagReason, flagReasons } from '../data/flags.ts'
import { insightsQuery } from '../data/insights.ts'
import { SplitMarks } from '../episode/splits.tsx'
import { Button, Field, IconButton } from '../parts/controls.tsx'
import { formatCount, formatTimecode } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Time } from '../parts/time.tsx'
import type { PlayerClock } from './clock.ts'
import { Rug } from './timeline/rug.tsx'
import { SegmentList } from './timeline/segment-list.tsx'
import './inspector.css'

interface InspectorProps {
  dataset: Manifest
  episode: Episode
  clock: PlayerClock
  flags: Flag[]
  mayFlag: boolean
  reason: FlagReason
  onReason(reason: FlagReason): void
  note: string
  onNote(note: string): void
  onFlag(): void
  onUnflag(flag: Flag): void
  /** Left out by the draft of the recipe. */
  isLeftOut: boolean
  onExclude(): void
}

export function Inspector(props: InspectorProps) {
  const { dataset, episode, clock, flags, mayFlag } = props
  return (
    <>
      <section className="inspector-task">
        <h3>Task</h3>
        <p className="task-text">{episode.tasks.join('; ') || <span className="dim">no task text</span>}</p>
        <p className="row wrap split-marks">
          <SplitMarks dataset={dataset} splits={episode.splits} />
        </p>
        <SegmentList dataset={dataset} episode={episode} clock={clock} mayEdit={mayFlag} />
      </section>
      <section className="inspector-flags">
        <p className="task-text inspector-narrow">
          {episode.tasks.join('; ')} <SplitMarks dataset={dataset} splits={episode.splits} />
        </p>
        {dataset.role && (
          <>
            <div className="row">
              <h3>Flags</h3>
              <span className="count">{flags.length}</span>
              <span className="end small dim">shared with editors</span>
            </div>
            {mayFlag && <NewFlag {...props} />}
            {flags.map((flag) => (
              <FlagSaying
                key={flag.id}
                flag={flag}
                fps={clock.fps}
                onRemove={mayFlag ? () => props.onUnflag(flag) : undefined}
              />
            ))}
          </>
        )}
        <Comparison dataset={dataset} episode={episode} />
      </section>
    </>
  )
}

function FlagSaying({ flag, fps, onRemove }: { flag: Flag; fps: number; onRemove: (() => void) | undefined }) {
  return (
    <div className="callout above-8">
      <div className="row wrap">
        <span className="chip flag">
          <Icon name="flag" />
          {flag.reason}
        </span>
        <span className="mid small">
          {flag.start_frame === null || flag.end_frame === null
            ? 'whole episode'
            : `${formatTimecode(flag.start_frame / fps)} to ${formatTimecode(flag.end_frame / fps)}`}
        </span>
        <span className="end dim small">
          {flag.created_by_name?.split(/[@ ]/)[0]}, <Time at={flag.created_at} />
        </span>
        {onRemove && <IconButton icon="close" label="Take this flag away" look="ghost" small onClick={onRemove} />}
      </div>
      {flag.note && <p className="mid">{flag.note}</p>}
    </div>
  )
}

function NewFlag({ clock, reason, onReason, note, onNote, onFlag, isLeftOut, onExclude }: InspectorProps) {
  const { inFrame, outFrame, last, fps } = clock
  const hasRange = inFrame !== undefined || outFrame !== undefined
  const seconds = ((outFrame ?? last) - (inFrame ?? 0) + 1) / fps
  return (
    <>
      <h3 className="above-12">
        New flag on{' '}
        {hasRange ? <span className="text-pick">{seconds.toFixed(2)} s selected</span> : 'the whole episode'}
      </h3>
      <div className="flag-reasons above-6">
        {flagReasons.map((one, at) => (
          <Button key={one} small aria-pressed={reason === one} shortcut={String(at + 1)} onClick={() => onReason(one)}>
            {one}
          </Button>
        ))}
      </div>
      <Field
        label="Note"
        placeholder="Note (N)"
        className="above-8"
        data-flag-note
        maxLength={2000}
        value={note}
        onChange={(event) => onNote(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFlag()
          if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <div className="row above-8">
        <Button look="primary" icon="flag" shortcut="F" className="fill" onClick={onFlag}>
          {hasRange ? 'Flag range' : 'Flag episode'}
        </Button>
        <Button shortcut="X" onClick={onExclude}>
          {isLeftOut ? 'Put back' : 'Exclude'}
        </Button>
      </div>
    </>
  )
}

function Comparison({ dataset, episode }: { dataset: Manifest; episode: Episode }) {
  const insights = useQuery(insightsQuery(dataset.id))
  // One alone is the first and the last of its kind.
  if (!insights.data || insights.data.total < 2) return null
  const { motion, variance, lengthFrames } = insights.data
  const rows = [
    ...(episode.motion === null
      ? []
      : [{ name: 'motion', values: motion, value: episode.motion, text: episode.motion.toFixed(4) }]),
    ...(episode.variance === null
      ? []
      : [{ name: 'variance', values: variance, value: episode.variance, text: episode.variance.toFixed(4) }]),
    {
      name: 'length',
      values: lengthFrames,
      value: episode.length_frames,
      text: `${episode.duration_sec.toFixed(2)} s`,
    },
  ]
  return (
    <>
      <div className="row above-14">
        <h3>Against all {formatCount(insights.data.total)} episodes</h3>
        <span className="end small dim">{placeUnit(insights.data.total)}</span>
      </div>
      {rows.map((row) => (
        <div className="rug-row" key={row.name}>
          <span className="mid">{row.name}</span>
          <Rug values={row.values} value={row.value} />
          <em>{row.text}</em>
          <em className="dim">{placeOf(row.values, row.value)}</em>
        </div>
      ))}
      {episode.still_sec !== null && episode.still_sec > 0.5 && (
        <p className="small mid above-4">
          Still for {episode.still_sec.toFixed(2)} s of {episode.duration_sec.toFixed(2)} s.
        </p>
      )}
    </>
  )
}

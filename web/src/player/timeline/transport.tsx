import { useEffect, useRef } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { hasPairs, planLanes } from '../../data/episodes/lanes.ts'
import { Button, IconButton, Segmented } from '../../parts/controls.tsx'
import { formatCount, formatTimecode, plural } from '../../parts/formats.ts'
import type { PlayerClock } from '../clock.ts'
import { ColumnPicker, LanePicker } from '../lanes/lane-picker.tsx'
import { changesAction } from '../lanes/use-rows.ts'
import type { PlayerView } from '../view.ts'
import './transport.css'

export const rates = [0.1, 0.25, 0.5, 1, 2, 4] as const

interface TransportProps {
  dataset: Manifest
  clock: PlayerClock
  view: PlayerView
  onRate(rate: number): void
  onLoop(): void
}

export function Transport({ dataset, clock, view, onRate, onLoop }: TransportProps) {
  const { inFrame, outFrame, fps } = clock
  const nextRate = rates[(rates.indexOf(clock.rate as 1) + 1) % rates.length] ?? 1
  return (
    <div className="transport" role="toolbar" aria-label="Playback" data-range={clock.hasRange}>
      <span className="row gap-2">
        <IconButton look="ghost" icon="first" label="First frame" onClick={() => clock.step(-clock.frames)} />
        <IconButton look="ghost" icon="frameBack" label="Back one frame" onClick={() => clock.step(-1)} />
        <IconButton
          look="primary"
          icon={clock.isPlaying ? 'pause' : 'play'}
          label={clock.isPlaying ? 'Pause' : 'Play'}
          onClick={() => clock.toggle()}
        />
        <IconButton look="ghost" icon="frameForward" label="Forward one frame" onClick={() => clock.step(1)} />
        <IconButton look="ghost" icon="last" label="Last frame" onClick={() => clock.step(clock.frames)} />
      </span>
      <Timecode clock={clock} />
      <span className="desktop-only">
        <Segmented
          label="Speed"
          small
          value={String(clock.rate)}
          onChange={(rate) => onRate(Number(rate))}
          options={rates.map((rate) => ({ value: String(rate), label: String(rate) }))}
        />
      </span>
      <Button
        small
        className="phone-only"
        onClick={() => onRate(nextRate)}
        aria-label={`${clock.rate}x, change the speed`}
      >
        {clock.rate}x
      </Button>
      <Button small look="ghost" className="desktop-only" icon="loop" aria-pressed={clock.isLooping} onClick={onLoop}>
        Loop
      </Button>
      <span className="end row desktop-only">
        {(inFrame !== undefined || outFrame !== undefined) && (
          <>
            {inFrame !== undefined && <span className="chip pick">in {formatTimecode(inFrame / fps)}</span>}
            {outFrame !== undefined && <span className="chip pick">out {formatTimecode(outFrame / fps)}</span>}
            {inFrame !== undefined && outFrame !== undefined && (
              <span className="mid nowrap transport-frames">{plural(outFrame - inFrame + 1, 'frame')}</span>
            )}
          </>
        )}
        <span className="legend small">
          <i className="state" />
          state
        </span>
        <span className="legend small">
          <i className="action" />
          action
        </span>
        {changesAction(dataset) && (
          <span className="legend small">
            <i />
            as recorded
          </span>
        )}
        {hasPairs(planLanes(dataset)) && (
          <Segmented
            label="Lanes show"
            small
            value={view.isDifference ? 'difference' : 'overlay'}
            onChange={(next) => {
              if ((next === 'difference') !== view.isDifference) view.toggleDifference()
            }}
            options={[
              { value: 'overlay', label: 'Overlay' },
              { value: 'difference', label: 'Difference' },
            ]}
          />
        )}
        <ColumnPicker dataset={dataset} view={view} />
        <LanePicker dataset={dataset} view={view} />
      </span>
    </div>
  )
}

/** Written straight into the page: React need not know of every frame. */
function Timecode({ clock }: { clock: PlayerClock }) {
  const time = useRef<HTMLElement>(null)
  const frame = useRef<HTMLElement>(null)
  useEffect(
    () =>
      clock.onFrame((now) => {
        if (time.current) time.current.textContent = formatTimecode(now / clock.fps)
        if (frame.current) frame.current.textContent = formatCount(now)
      }),
    [clock],
  )
  return (
    <span className="mono timecode">
      <b ref={time} data-testid="timecode" />
      <span className="dim desktop-only"> / {formatTimecode(clock.last / clock.fps)}</span>
      <span className="desktop-only">
        {'  '}
        <span className="dim">frame</span> <b ref={frame} data-testid="frame" />
        <span className="dim"> / {formatCount(clock.last)}</span>
      </span>
    </span>
  )
}

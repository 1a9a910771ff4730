import { useEffect, useRef } from 'react'
import type { Episode, Manifest } from '../../data/dataset.ts'
import type { Flag } from '../../data/flags.ts'
import { segmentTint } from '../../episode/segment-tint.ts'
import { Icon } from '../../parts/icon.tsx'
import type { PlayerClock } from '../clock.ts'
import type { PlayerView } from '../view.ts'
import { CutTrack } from './cut-marks.tsx'
import { Ruler } from './ruler.tsx'
import { useSegments } from './segments.ts'
import type { PlayerCuts } from './use-frame-cuts.ts'
import type { ZoomWindow } from './zoom.ts'
import { ZoomBar } from './zoom-bar.tsx'
import '../lanes/lanes.css'
import './timeline-head.css'

interface TimelineHeadProps {
  dataset: Manifest
  episode: Episode
  clock: PlayerClock
  flags: readonly Flag[]
  cuts: PlayerCuts
  view: PlayerView
  zoom: ZoomWindow
  from: number
  to: number
  frameAt(event: { clientX: number }): number
  /** Some state stands over its action, so that there is a difference. */
  hasPairs: boolean
  mayEdit: boolean
}

/** Ruler, segments and flags: they stay while the lanes scroll under them. */
export function TimelineHead(props: TimelineHeadProps) {
  const { dataset, episode, clock, flags, cuts, view, zoom, from, to, frameAt, hasPairs, mayEdit } = props
  const { segments } = useSegments(dataset, episode.episode_index)
  const label = useRef<HTMLDivElement>(null)
  const line = useRef<HTMLDivElement>(null)
  const percent = (frame: number) => `${((frame - from) / (to - from)) * 100}%`
  const width = (frames: number) => `${(frames / (to - from)) * 100}%`
  useEffect(
    () =>
      clock.onFrame((frame) => {
        const left = `${((frame - from) / (to - from)) * 100}%`
        const visibility = frame < from || frame > to ? 'hidden' : 'visible'
        for (const element of [line.current, label.current]) {
          if (!element) continue
          element.style.left = left
          element.style.visibility = visibility
        }
        if (label.current) label.current.textContent = (frame / clock.fps).toFixed(2)
      }),
    [clock, from, to],
  )
  return (
    <div className="tracks-head">
      <div className="lane-name" />
      <div className="relative shrinkable">
        <Ruler clock={clock} from={from} to={to} frameAt={frameAt} />
        <div className="timeline-segments" hidden={segments.length === 0}>
          {segments.map((segment) => (
            <button
              type="button"
              key={`${segment.label}-${segment.start_frame}`}
              title={`${segment.label}: ${(segment.start_frame / clock.fps).toFixed(2)} to ${(segment.end_frame / clock.fps).toFixed(2)} s${mayEdit ? '. Click to mark it.' : ''}`}
              style={{
                left: percent(segment.start_frame),
                width: width(segment.end_frame - segment.start_frame),
                background: segmentTint(segments, segment),
              }}
              onClick={() => {
                if (mayEdit) clock.choose(segment.start_frame, segment.end_frame - 1)
                else clock.step(segment.start_frame - clock.frame)
              }}
            >
              {segment.label}
            </button>
          ))}
        </div>
        <div className="timeline-flags" hidden={flags.length === 0}>
          {flags.map((flag) => (
            <span
              className="timeline-flag"
              key={flag.id}
              title={flag.note ?? flag.reason}
              style={{
                left: percent(flag.start_frame ?? 0),
                width: width((flag.end_frame ?? clock.frames) - (flag.start_frame ?? 0)),
              }}
            >
              <Icon name="flag" />
              {flag.reason}
            </span>
          ))}
        </div>
        <CutTrack clock={clock} cuts={cuts} from={from} to={to} />
        <ZoomBar zoom={zoom} from={from} to={to} frames={clock.frames} fps={clock.fps} />
        <div className="head-line" ref={line} />
        <div className="playhead-label" ref={label} />
      </div>
      <div className="lane-values desktop-only">
        {view.isDifference ? <span /> : <span>state</span>}
        {view.isDifference ? <span /> : <span>action</span>}
        {hasPairs ? <span>diff</span> : <span />}
      </div>
    </div>
  )
}

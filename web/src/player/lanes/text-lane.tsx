import { useMemo } from 'react'
import type { EpisodeRows } from '../../data/episodes/episode-rows.ts'
import type { LaneSpec } from '../../data/episodes/lanes.ts'
import { listTextSpans } from '../../data/episodes/plotted-columns.ts'
import { segmentTint } from '../../episode/segment-tint.ts'
import './lanes.css'

interface TextLaneProps {
  lane: LaneSpec
  rows: EpisodeRows | undefined
  frames: number
  from: number
  to: number
}

/** A column of words: each where it holds. */
export function TextLane({ lane, rows, frames, from, to }: TextLaneProps) {
  const spans = useMemo(() => {
    const values: readonly unknown[] = rows?.series.find(({ name }) => name === lane.column?.name)?.values[0] ?? []
    const found = listTextSpans(rows?.frame_index ?? [], values, frames)
    return found.map((span) => ({ ...span, label: span.text }))
  }, [rows, lane, frames])
  const share = (frame: number) => ((frame - from) / (to - from)) * 100
  return (
    <div className="lane lane-text" data-lane={lane.label}>
      <div className="lane-name">
        <b title={lane.label}>{lane.label.replaceAll('_', ' ')}</b>
      </div>
      <div className="lane-plot">
        {spans
          .filter((span) => span.to > from && span.from < to)
          .map((span) => (
            <span
              key={span.from}
              className="lane-word"
              title={span.text}
              style={{
                left: `${Math.max(0, share(span.from))}%`,
                right: `${Math.max(0, 100 - share(span.to))}%`,
                background: segmentTint(spans, span),
              }}
            >
              {span.text}
            </span>
          ))}
      </div>
      <div className="lane-values" />
    </div>
  )
}

import { intersect } from '../../data/recipe/frame-cuts.ts'
import type { PlayerClock } from '../clock.ts'
import type { PlayerCuts } from './use-frame-cuts.ts'
import './cut-marks.css'

interface CutMarksProps {
  clock: PlayerClock
  cuts: PlayerCuts
  from: number
  to: number
}

/** A frame is as wide as the way to the next one, and lies around its own time. */
function placeRange([start, end]: readonly [number, number], from: number, to: number, last: number) {
  const left = Math.max(0, start - 0.5)
  const right = Math.min(last, end - 0.5)
  return { left: `${((left - from) / (to - from)) * 100}%`, width: `${((right - left) / (to - from)) * 100}%` }
}

/** Over the lanes: frames that go are dimmed, and a line stands where a part begins. */
export function CutShades({ clock, cuts, from, to }: CutMarksProps) {
  return (
    <>
      {cuts.gone.map((range) => (
        <div
          key={range[0]}
          className="gone-frames"
          data-testid="gone-frames"
          style={placeRange(range, from, to, clock.last)}
        />
      ))}
      {cuts.splits.map((frame) => (
        <div key={frame} className="split-line" style={{ left: `${((frame - 0.5 - from) / (to - from)) * 100}%` }} />
      ))}
    </>
  )
}

/** In the head of the timeline: what is kept as a bar, rests hatched, parts counted. */
export function CutTrack({ clock, cuts, from, to }: CutMarksProps) {
  const place = (range: readonly [number, number]) => placeRange(range, from, to, clock.last)
  const hasCuts = cuts.gone.length > 0 || cuts.splits.length > 0
  const parts = hasCuts ? listParts(cuts, clock.frames) : []
  return (
    <div className="cut-track">
      {parts.map(({ range, number }) => (
        <span key={range[0]} className="kept-frames" style={place(range)} title={`Kept: ${sayRange(range, clock.fps)}`}>
          {cuts.splits.length > 0 && number}
        </span>
      ))}
      {cuts.rests.map((range) => (
        <i
          key={range[0]}
          className="rest-frames"
          data-testid="rest-frames"
          style={place(range)}
          title={`Still: ${sayRange(range, clock.fps)}`}
        />
      ))}
    </div>
  )
}

const sayRange = ([start, end]: readonly [number, number], fps: number): string =>
  `frames ${start} to ${end - 1}, ${((end - start) / fps).toFixed(2)} s`

/** The kept ranges, cut where a part begins; each with the number of its part. */
function listParts({ kept, splits }: PlayerCuts, frames: number) {
  const bounds = [0, ...splits, frames]
  return bounds
    .slice(0, -1)
    .flatMap((start, place) =>
      intersect(kept, [[start, bounds[place + 1] ?? frames]]).map((range) => ({ range, number: place + 1 })),
    )
}

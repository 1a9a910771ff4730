import './episode-strips.css'

interface KeptFramesProps {
  ranges: readonly (readonly number[])[]
  /** Frames of the longer one. */
  whole: number
}

/** The longer episode as a bar, what the shorter one has of it in colour. */
export function KeptFrames({ ranges, whole }: KeptFramesProps) {
  const said = ranges.map(([start = 0, end = 0]) => `${start} to ${end - 1}`).join(', ')
  return (
    <div className="strip-kept" role="img" aria-label={`Frames ${said} of ${whole} are kept`} title={`Frames ${said}`}>
      {ranges.map(([start = 0, end = 0]) => (
        <i key={start} style={{ left: `${(100 * start) / whole}%`, width: `${(100 * (end - start)) / whole}%` }} />
      ))}
    </div>
  )
}

/** The shape of the episode lengths, as small as a word. */
export function MiniHistogram({
  counts,
  width = 64,
  height = 16,
}: {
  counts: readonly number[]
  width?: number
  height?: number
}) {
  const most = Math.max(1, ...counts)
  // A few bins stand at the right, as narrow as many would.
  const step = Math.min(6, width / Math.max(1, counts.length))
  const left = width - step * counts.length
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {counts.map((count, index) => {
        const tall = count === 0 ? 0.75 : Math.max(1.5, (count / most) * height)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
            key={index}
            x={left + index * step}
            y={height - tall}
            width={Math.max(1, step - 1)}
            height={tall}
            fill="var(--bars)"
          />
        )
      })}
    </svg>
  )
}

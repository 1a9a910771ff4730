import { formatCount } from './formats.ts'

interface LengthHistogramProps {
  bins: readonly { label: string; count: number }[]
  meanText?: string | undefined
  /** 0 to 1 along the axis. */
  meanAt?: number | undefined
  height?: number
}

/** The server's own bins; grey is everybody. */
export function LengthHistogram({ bins, meanText, meanAt, height = 96 }: LengthHistogramProps) {
  const width = 256
  const plot = height - 18
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const step = width / Math.max(1, bins.length)
  const first = bins[0]
  const last = bins.at(-1)
  return (
    <svg
      className="plot"
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      role="img"
      aria-label={`Lengths from ${first?.label ?? ''} to ${last?.label ?? ''}, at most ${most} in one bin`}
    >
      <path className="grid-line" d={`M0 10H${width}M0 ${(plot + 10) / 2}H${width}`} />
      {bins.map(({ label, count }, index) => {
        const tall = count === 0 ? 0 : Math.max(1.5, (count / most) * (plot - 10))
        return (
          <rect
            key={label}
            className="bar"
            x={index * step + 0.5}
            y={plot - tall}
            width={Math.max(1, step - 1)}
            height={tall}
          >
            <title>{`${label}: ${formatCount(count)}`}</title>
          </rect>
        )
      })}
      <path d={`M0 ${plot + 0.5}H${width}`} stroke="var(--line-2)" />
      {meanAt !== undefined && Number.isFinite(meanAt) && (
        <>
          <path d={`M${meanAt * width} 0V${plot}`} stroke="var(--ink)" strokeDasharray="2 2" />
          <text
            className="ink"
            x={meanAt > 0.6 ? meanAt * width - 5 : meanAt * width + 5}
            y={9}
            textAnchor={meanAt > 0.6 ? 'end' : 'start'}
          >
            {meanText}
          </text>
        </>
      )}
      <text x={width} y={9} textAnchor="end">
        {formatCount(most)}
      </text>
      <text x={0} y={height - 3}>
        {first?.label.split(/\s*(?:to|–|-)\s*/)[0]}
      </text>
      <text x={width} y={height - 3} textAnchor="end">
        {last?.label.split(/\s*(?:to|–|-)\s*/).at(-1)}
      </text>
    </svg>
  )
}

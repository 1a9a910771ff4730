import './sparkline.css'

interface SparklineProps {
  /** 0 to 255, the same scale for all rows. */
  curve: readonly number[] | undefined
  width?: number
  height?: number
}

/** How an episode moves from its start to its end; the base line is standing still. Its mean stands beside it as a number. */
export function Sparkline({ curve, width = 116, height = 24 }: SparklineProps) {
  if (!curve || curve.length < 2) return <span className="inline-block" style={{ width, height }} />
  const step = width / (curve.length - 1)
  const points = curve.map(
    (value, at) => `${(at * step).toFixed(1)} ${(height - 1.5 - (value / 255) * (height - 3)).toFixed(1)}`,
  )
  return (
    <svg className="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path d={`M0 ${height - 0.5}H${width}`} className="sparkline-base" />
      <path d={`M${points.join('L')}`} className="sparkline-line" />
    </svg>
  )
}

/** Log dimensionless jerk of a speed profile: less negative is smoother. Null where nothing moves. */
export function measureLdlj(speed: Float64Array, fps: number): number | null {
  let [peak, squares] = [0, 0]
  for (const value of speed) peak = Math.max(peak, Math.abs(value))
  for (let at = 1; at + 1 < speed.length; at++) {
    const bend = (speed[at + 1] as number) - 2 * (speed[at] as number) + (speed[at - 1] as number)
    squares += (bend * fps * fps) ** 2
  }
  const jerk = (((speed.length / fps) ** 3 / peak ** 2) * squares) / fps
  return peak > 0 && jerk > 0 && Number.isFinite(jerk) ? -Math.log(jerk) : null
}

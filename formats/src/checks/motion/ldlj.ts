/** Log dimensionless jerk of a speed profile: less negative is smoother. Null where nothing moves. */
export function measureLdlj(speed: Float64Array, fps: number): number | null {
  let peak = 0
  let squares = 0
  for (let at = 0; at < speed.length; at++) {
    const here = Math.abs(speed[at] as number)
    if (!(here <= peak)) peak = here
    if (at === 0 || at + 1 === speed.length) continue
    const bend = ((speed[at + 1] as number) - 2 * (speed[at] as number) + (speed[at - 1] as number)) * fps * fps
    squares += bend * bend
  }
  const jerk = (((speed.length / fps) ** 3 / peak ** 2) * squares) / fps
  return peak > 0 && jerk > 0 && Number.isFinite(jerk) ? -Math.log(jerk) : null
}

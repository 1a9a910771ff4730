const turns = [2 * Math.PI, 360] as const
const nearly = 0.1
const shortest = turns[0] * (1 - nearly)

/** A step without the turn that an angle takes back where it wraps, in radians or degrees. */
export function unwrapStep(step: number): number {
  const length = Math.abs(step)
  // Nearly every step of every recording: worth a way of its own.
  return length <= shortest ? step : unwrapLong(step, length)
}

function unwrapLong(step: number, length: number): number {
  for (const turn of turns) if (Math.abs(length - turn) < turn * nearly) return step - Math.sign(step) * turn
  return step
}

const turns = [2 * Math.PI, 360] as const
const nearly = 0.1
const shortest = turns[0] * (1 - nearly)

/** A step without the turn that an angle takes back where it wraps, in radians or degrees. */
export function unwrapStep(step: number): number {
  const length = Math.abs(step)
  // Nearly every step of every recording: worth a way of its own. The other way ends in a subtraction, so that V8 knows that both give
  // numbers: as a call whose answer it had never seen, it made an object of every step.
  return length <= shortest ? step : step - Math.sign(step) * findTurn(length)
}

function findTurn(length: number): number {
  for (const turn of turns) if (Math.abs(length - turn) < turn * nearly) return turn
  return 0
}

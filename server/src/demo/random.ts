/** Numbers that look random and are the same in every run: the demo is one dataset, not one per machine. */
export interface Random {
  /** From `low` up to `high`. */
  between(low: number, high: number): number
  /** About normally distributed around 0. */
  noise(scale: number): number
}

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (low, high) => low + (high - low) * next(),
    noise: (scale) => (next() + next() + next() + next() - 2) * scale * 1.73,
  }
}

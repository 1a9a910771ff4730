interface Turn {
  readonly cosines: Float64Array
  readonly sines: Float64Array
}

/** Cosines and sines of a full turn by size, half a turn of them: episodes are of some few lengths. */
const turns = new Map<number, Turn>()
/** Larger ones are made anew: 2 MB at most are kept. */
const maxKept = 2 ** 16
/** Memory that the next call uses again, by its size: 3 MB at most. */
const kept = new Map<number, { real: Float64Array; imaginary: Float64Array; magnitudes: Float64Array }>()

/**
 * Magnitudes of the first half of the discrete Fourier transform of real values, padded with zeros to `size`, a power of two. They
 * are gone with the next call.
 */
export function listMagnitudes(values: Float64Array, size: number): Float64Array {
  const half = size / 2
  const turn = findTurn(size)
  const { real, imaginary, magnitudes } = takeScratch(half)
  const repeated = placePairs(values, half, real, imaginary)
  for (let joined = repeated; joined < half; joined *= 2) joinHalves(real, imaginary, joined, turn)
  splitPairs(real, imaginary, turn, magnitudes)
  return magnitudes
}

/** What the transform of every two values taken as one complex number says of the values themselves. */
function splitPairs(
  real: Float64Array,
  imaginary: Float64Array,
  { cosines, sines }: Turn,
  magnitudes: Float64Array,
): void {
  const half = real.length
  magnitudes[0] = Math.abs((real[0] as number) + (imaginary[0] as number))
  magnitudes[half] = Math.abs((real[0] as number) - (imaginary[0] as number))
  for (let at = 1, mirrored = half - 1; at < half; at++, mirrored--) {
    const evenRe = ((real[at] as number) + (real[mirrored] as number)) / 2
    const evenIm = ((imaginary[at] as number) - (imaginary[mirrored] as number)) / 2
    const oddRe = ((imaginary[at] as number) + (imaginary[mirrored] as number)) / 2
    const oddIm = ((real[mirrored] as number) - (real[at] as number)) / 2
    const cosine = cosines[at] as number
    const sine = sines[at] as number
    const re = evenRe + oddRe * cosine + oddIm * sine
    const im = evenIm + oddIm * cosine - oddRe * sine
    magnitudes[at] = Math.sqrt(re * re + im * im)
  }
}

/** Every two values as one complex number, in the order in which they are joined. Gives how many of them are joined already. */
function placePairs(values: Float64Array, size: number, real: Float64Array, imaginary: Float64Array): number {
  const pairs = Math.min(size, Math.ceil(values.length / 2))
  // Where all but the first values are zeros, the first rounds only repeat what is there.
  let repeated = 1
  while (pairs * repeated * 2 <= size) repeated *= 2
  real.fill(0)
  imaginary.fill(0)
  // Counts up with its bits in reverse.
  let at = 0
  for (let pair = 0; pair < pairs; pair++) {
    const [re, im] = [values[2 * pair] as number, 2 * pair + 1 < values.length ? (values[2 * pair + 1] as number) : 0]
    for (let copy = at; copy < at + repeated; copy++) {
      real[copy] = re
      imaginary[copy] = im
    }
    let bit = size >> 1
    while (bit > 0 && at & bit) {
      at ^= bit
      bit >>= 1
    }
    at |= bit
  }
  return repeated
}

/** One round of the transform: blocks of `half` values become blocks of twice as many. */
function joinHalves(real: Float64Array, imaginary: Float64Array, half: number, { cosines, sines }: Turn): void {
  const stride = real.length / half
  for (let block = 0; block < real.length; block += 2 * half)
    for (let a = block, place = 0; a < block + half; a++, place += stride) {
      const b = a + half
      const cosine = cosines[place] as number
      const sine = sines[place] as number
      const re = real[b] as number
      const im = imaginary[b] as number
      const turnedRe = re * cosine + im * sine
      const turnedIm = im * cosine - re * sine
      real[b] = (real[a] as number) - turnedRe
      imaginary[b] = (imaginary[a] as number) - turnedIm
      real[a] = (real[a] as number) + turnedRe
      imaginary[a] = (imaginary[a] as number) + turnedIm
    }
}

function findTurn(size: number): Turn {
  const known = turns.get(size)
  if (known) return known
  const angle = (2 * Math.PI) / size
  const [cosines, sines] = [new Float64Array(size / 2), new Float64Array(size / 2)]
  for (let at = 0; at < size / 2; at++) {
    cosines[at] = Math.cos(angle * at)
    sines[at] = Math.sin(angle * at)
  }
  if (size <= maxKept) turns.set(size, { cosines, sines })
  return { cosines, sines }
}

function takeScratch(size: number): { real: Float64Array; imaginary: Float64Array; magnitudes: Float64Array } {
  const known = kept.get(size)
  if (known) return known
  const made = {
    real: new Float64Array(size),
    imaginary: new Float64Array(size),
    magnitudes: new Float64Array(size + 1),
  }
  if (size <= maxKept) kept.set(size, made)
  return made
}

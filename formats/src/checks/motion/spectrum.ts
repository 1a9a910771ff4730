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
  let joined = repeated
  for (; 4 * joined <= half; joined *= 4) joinQuarters(real, imaginary, joined, turn)
  if (joined < half) joinHalves(real, imaginary, joined, turn)
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
  // A value and its mirror image at once: they are made of the same four numbers.
  for (let at = 1, mirrored = half - 1; at <= mirrored; at++, mirrored--) {
    const evenRe = ((real[at] as number) + (real[mirrored] as number)) / 2
    const evenIm = ((imaginary[at] as number) - (imaginary[mirrored] as number)) / 2
    const oddRe = ((imaginary[at] as number) + (imaginary[mirrored] as number)) / 2
    const oddIm = ((real[mirrored] as number) - (real[at] as number)) / 2
    const cosine = cosines[at] as number
    const sine = sines[at] as number
    const re = evenRe + oddRe * cosine + oddIm * sine
    const im = evenIm + oddIm * cosine - oddRe * sine
    magnitudes[at] = Math.sqrt(re * re + im * im)
    const otherCosine = cosines[mirrored] as number
    const otherSine = sines[mirrored] as number
    const otherRe = evenRe + oddRe * otherCosine - oddIm * otherSine
    const otherIm = evenIm + oddIm * otherCosine + oddRe * otherSine
    magnitudes[mirrored] = Math.sqrt(otherRe * otherRe + otherIm * otherIm)
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

/** Two rounds at once: blocks of `quarter` values become blocks of four times as many, and each value is fetched once for both. */
function joinQuarters(real: Float64Array, imaginary: Float64Array, quarter: number, { cosines, sines }: Turn): void {
  const stride = real.length / (2 * quarter)
  const half = real.length / 2
  for (let block = 0; block < real.length; block += 4 * quarter)
    for (let a = block, place = 0; a < block + quarter; a++, place += stride) {
      const b = a + quarter
      const c = b + quarter
      const d = c + quarter
      const cosine = cosines[2 * place] as number
      const sine = sines[2 * place] as number
      const bRe = (real[b] as number) * cosine + (imaginary[b] as number) * sine
      const bIm = (imaginary[b] as number) * cosine - (real[b] as number) * sine
      const dRe = (real[d] as number) * cosine + (imaginary[d] as number) * sine
      const dIm = (imaginary[d] as number) * cosine - (real[d] as number) * sine
      const sumRe = (real[a] as number) + bRe
      const sumIm = (imaginary[a] as number) + bIm
      const restRe = (real[a] as number) - bRe
      const restIm = (imaginary[a] as number) - bIm
      const otherSumRe = (real[c] as number) + dRe
      const otherSumIm = (imaginary[c] as number) + dIm
      const otherRestRe = (real[c] as number) - dRe
      const otherRestIm = (imaginary[c] as number) - dIm
      const first = cosines[place] as number
      const firstSine = sines[place] as number
      const second = cosines[place + half] as number
      const secondSine = sines[place + half] as number
      const cRe = otherSumRe * first + otherSumIm * firstSine
      const cIm = otherSumIm * first - otherSumRe * firstSine
      const eRe = otherRestRe * second + otherRestIm * secondSine
      const eIm = otherRestIm * second - otherRestRe * secondSine
      real[a] = sumRe + cRe
      imaginary[a] = sumIm + cIm
      real[c] = sumRe - cRe
      imaginary[c] = sumIm - cIm
      real[b] = restRe + eRe
      imaginary[b] = restIm + eIm
      real[d] = restRe - eRe
      imaginary[d] = restIm - eIm
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

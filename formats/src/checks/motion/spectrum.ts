interface Turn {
  readonly cosines: Float64Array
  readonly sines: Float64Array
}

/** Cosines and sines of a full turn by size, half a turn of them: episodes are of some few lengths. */
const turns = new Map<number, Turn>()
/** Larger ones are made anew: 2 MB at most are kept. */
const maxKept = 2 ** 16
let scratch = { real: new Float64Array(0), imaginary: new Float64Array(0) }
let lastMagnitudes = new Float64Array(0)

/**
 * Magnitudes of the first half of the discrete Fourier transform of real values, padded with zeros to `size`, a power of two. They
 * are gone with the next call.
 */
export function listMagnitudes(values: Float64Array, size: number): Float64Array {
  const half = size / 2
  const { cosines, sines } = findTurn(size)
  const { real, imaginary } = transformPairs(values, half)
  if (lastMagnitudes.length !== half + 1) lastMagnitudes = new Float64Array(half + 1)
  const magnitudes = lastMagnitudes
  const [sum, difference] = [real[0] as number, imaginary[0] as number]
  magnitudes[0] = Math.abs(sum + difference)
  magnitudes[half] = Math.abs(sum - difference)
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
  return magnitudes
}

/** The transform of every two values taken as one complex number: half as long as that of the values, which it holds. */
function transformPairs(values: Float64Array, size: number): { real: Float64Array; imaginary: Float64Array } {
  const { real, imaginary } = takeScratch(size)
  const { cosines, sines } = findTurn(2 * size)
  const bits = Math.log2(size)
  const pairs = Math.min(size, Math.ceil(values.length / 2))
  // Where all but the first values are zeros, the first rounds only repeat what is there.
  let repeated = 1
  while (pairs * repeated * 2 <= size) repeated *= 2
  for (let pair = 0; pair < pairs; pair++) {
    const at = reverseBits(pair, bits)
    real.fill(values[2 * pair] as number, at, at + repeated)
    imaginary.fill(
      2 * pair + 1 < Math.min(values.length, 2 * size) ? (values[2 * pair + 1] as number) : 0,
      at,
      at + repeated,
    )
  }
  for (let half = repeated; half < size; half *= 2) {
    const stride = size / half
    for (let block = 0; block < size; block += 2 * half)
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
  return { real, imaginary }
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

/** Zeros, in memory that the next call uses again. */
function takeScratch(size: number): typeof scratch {
  if (size > maxKept) return { real: new Float64Array(size), imaginary: new Float64Array(size) }
  if (scratch.real.length !== size) scratch = { real: new Float64Array(size), imaginary: new Float64Array(size) }
  else for (const values of [scratch.real, scratch.imaginary]) values.fill(0)
  return scratch
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit++) reversed = (reversed << 1) | ((value >> bit) & 1)
  return reversed
}

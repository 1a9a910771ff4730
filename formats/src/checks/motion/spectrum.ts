/** Magnitudes of the first half of the discrete Fourier transform of real values, padded with zeros to `size`, a power of two. */
export function listMagnitudes(values: Float64Array, size: number): Float64Array {
  const real = new Float64Array(size)
  const imaginary = new Float64Array(size)
  const bits = Math.log2(size)
  for (let at = 0; at < Math.min(values.length, size); at++) real[reverseBits(at, bits)] = values[at] as number
  for (let half = 1; half < size; half *= 2) {
    const angle = -Math.PI / half
    for (let offset = 0; offset < half; offset++) {
      const [cosine, sine] = [Math.cos(angle * offset), Math.sin(angle * offset)]
      for (let a = offset; a < size; a += 2 * half) {
        const b = a + half
        const [re, im] = [real[b] as number, imaginary[b] as number]
        const turnedRe = re * cosine - im * sine
        const turnedIm = re * sine + im * cosine
        real[b] = (real[a] as number) - turnedRe
        imaginary[b] = (imaginary[a] as number) - turnedIm
        real[a] = (real[a] as number) + turnedRe
        imaginary[a] = (imaginary[a] as number) + turnedIm
      }
    }
  }
  return Float64Array.from({ length: size / 2 + 1 }, (_, at) => Math.hypot(real[at] ?? 0, imaginary[at] ?? 0))
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit++) reversed = (reversed << 1) | ((value >> bit) & 1)
  return reversed
}

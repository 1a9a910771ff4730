import type { DepthPixels, Pixels } from '@nmp/formats/image'

/** Red, green and blue of viridis as polynomials of the sixth degree: the colours of the player's depth view, which a test holds to matplotlib's too. */
const viridis = [
  [0.2777273272, 0.1050930431, -0.3308618287, -4.634230499, 6.2282699363, 4.7763849977, -5.4354558559],
  [0.0054073445, 1.4046135299, 0.2148475595, -5.7991009734, 14.1799333668, -13.7451453777, 4.6458526122],
  [0.3340998053, 1.3845901626, 0.095095163, -19.3324409563, 56.6905526007, -65.3530326334, 26.3124352496],
] as const

const tableSize = 256
const table = Uint8Array.from({ length: tableSize * 3 }, (_, index) => {
  const at = Math.floor(index / 3) / (tableSize - 1)
  const share = (viridis[index % 3] as readonly number[]).reduceRight((sum, factor) => sum * at + factor, 0)
  return Math.round(Math.min(1, Math.max(0, share)) * 255)
})

/** Near is dark, over the span of the frame; black is where nothing was measured. */
export function paintDepth({ width, height, data }: DepthPixels): Pixels {
  let [near, far] = [Number.POSITIVE_INFINITY, 0]
  for (const value of data) {
    if (value > 0 && value < near) near = value
    if (value > far) far = value
  }
  const scale = far > near ? (tableSize - 1) / (far - near) : 0
  const painted = new Uint8Array(width * height * 3)
  for (let at = 0; at < data.length; at++) {
    const value = data[at] as number
    if (value === 0) continue
    const place = Math.round((value - near) * scale) * 3
    for (let channel = 0; channel < 3; channel++) painted[at * 3 + channel] = table[place + channel] as number
  }
  return { width, height, channels: 3, data: painted }
}

/** What a bar-code picture of the HDF5 sets says (golden/hdf5/pictures.py, and the fixtures of that form). */

export interface Bands {
  readonly frameIndex: number
  /** episode * 256 + camera. */
  readonly owner: number
  readonly left: string
  readonly right: string
  readonly bottom: string
}

interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: ArrayLike<number>
}

export function readBands(picture: Pixels): Bands {
  const { width, height } = picture
  const band = Math.max(6, Math.floor(height / 8))
  const middle = Math.floor((2 * band + height - band) / 2)
  return {
    frameIndex: readNumber(picture, Math.floor(band / 2)),
    owner: readNumber(picture, band + Math.floor(band / 2)),
    left: nameMost(picture, 0, Math.floor(width / 2), middle),
    right: nameMost(picture, Math.floor(width / 2), width, middle),
    bottom: nameColour(picture, Math.floor(width / 2), height - 2),
  }
}

function readNumber({ width, data }: Pixels, row: number): number {
  let number = 0
  for (let bit = 0; bit < 16; bit++) {
    const at = (row * width + Math.floor(((bit + 0.5) * width) / 16)) * 3
    number = number * 2 + ((data[at + 1] ?? 0) > 127 ? 1 : 0)
  }
  return number
}

/** A pale square moves through some of the pictures: the commonest colour of a stretch counts. */
function nameMost(picture: Pixels, startX: number, endX: number, y: number): string {
  const counts = new Map<string, number>()
  for (let x = startX + 1; x < endX - 1; x++) {
    for (const row of [y - 6, y, y + 6]) {
      const name = nameColour(picture, x, row)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'none'
}

function nameColour({ width, data }: Pixels, x: number, y: number): string {
  const at = (y * width + x) * 3
  const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]]
  if (red > 120 && green < 110 && blue < 110) return 'red'
  if (blue > 120 && red < 110 && green < 110) return 'blue'
  if (green > 110 && red < 90 && blue < 90) return 'green'
  return red > 150 && green > 150 && blue > 150 ? 'white' : red < 60 && green < 60 && blue < 60 ? 'black' : 'other'
}

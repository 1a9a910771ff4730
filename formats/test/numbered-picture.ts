/** Pictures that carry their own number, so that a wrong frame shows: 16 blocks across the top, white = 1, highest bit left. */

export function drawNumberedPicture(width: number, height: number, number: number): Uint8Array {
  const data = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = (number >> (15 - Math.floor((x * 16) / width))) & 1
      const value = y < 8 ? bit * 255 : (x * 3 + y * 2 + number * 5) % 200
      data.set([value, value, y < 8 ? value : 255 - value], (y * width + x) * 3)
    }
  }
  return data
}

export function readPictureNumber(picture: { width: number; data: ArrayLike<number> }, row = 4): number {
  let number = 0
  for (let bit = 0; bit < 16; bit++) {
    const x = Math.floor(((bit + 0.5) * picture.width) / 16)
    number = number * 2 + ((picture.data[(row * picture.width + x) * 3] ?? 0) > 127 ? 1 : 0)
  }
  return number
}

export async function* drawNumberedPictures(
  width: number,
  height: number,
  count: number,
  first = 0,
): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield drawNumberedPicture(width, height, first + index)
}

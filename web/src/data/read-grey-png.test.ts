import { expect, test } from 'vitest'
import { readGreyPng } from './read-grey-png.ts'

/** Written by Pillow 12, which foretells its lines in four ways. */
const written =
  'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAOEAAAAABuRn5zAAAAsklEQVR42nWMMWoCQQBF35+ZJVPZyiLuIBIWERFXgoQQRESWICIiEtJ5GA9guzdKDmBpE0gZprVME0iR3f/Kx3+CLIYaXJWGNIvB/1H54INXUYQY4v+XdOauDkPDGoUja0oldShpECTWfuhdF33pppZyszSfxtmB2cmeaNOlrwFjHnhioZINe9lvpQTuGTJhpmeWvLDVQe5Ihx45I015ZM5Ka3a8yl3pqs9vSAtKNtrz9gMJBC/YjQTV2wAAAABJRU5ErkJggg=='
const bytes = Uint8Array.from(atob(written), (letter) => letter.charCodeAt(0))

function valueAt(x: number, y: number): number {
  if (y < 3) return (x * 7919 + y * 104_729) % 65_536
  if (y < 6) return 400 + x * 7
  return y < 9 ? 400 + x * 7 + y * 5 : 400 + x * x * 3 + y * y * 5 + x * y * 2
}

test('a grey PNG is read with all of its 16 bits, however its lines were packed', async () => {
  const { width, height, values } = await readGreyPng(bytes)
  expect([width, height]).toEqual([12, 14])
  const expected = Array.from({ length: 12 * 14 }, (_, at) => valueAt(at % 12, Math.floor(at / 12)))
  expect([...values]).toEqual(expected)
})

test('what is no such picture is refused', async () => {
  await expect(readGreyPng(new Uint8Array(40))).rejects.toThrow('no PNG')
  const coloured = bytes.slice()
  coloured[25] = 2
  await expect(readGreyPng(coloured)).rejects.toThrow('another form')
})

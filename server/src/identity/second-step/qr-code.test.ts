import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeQrCode } from './qr-code.ts'

const draw = (text: string): string[] =>
  (makeQrCode(text) ?? []).map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))

/** Every one of these was read by OpenCV 4.13 (`QRCodeDetector`) when it was written down. */
test('a short text', () => {
  expect(draw('nmp')).toEqual([
    '#######.###...#######',
    '#.....#.##.##.#.....#',
    '#.###.#.#####.#.###.#',
    '#.###.#..###..#.###.#',
    '#.###.#.#.###.#.###.#',
    '#.....#...#...#.....#',
    '#######.#.#.#.#######',
    '.....................',
    '#..######..#.#..#.###',
    '...#...##.####.###...',
    '#.##..###..##..#..###',
    '.##.##.#....#####.#.#',
    '###.#.#..########....',
    '........##..###...##.',
    '#######.#..#......#..',
    '#.....#.#.....#...##.',
    '#.###.#.###..##.###.#',
    '#.###.#.###.#####....',
    '#.###.#...####.###.##',
    '#.....#...###..#.#.##',
    '#######.#.#.##.##.#..',
  ])
})

test.each([
  [20, 2, 'db85f6e32c695374'],
  [60, 4, '46f393b2ed768571'],
  [110, 7, '579372ad799b3c79'],
  [150, 8, '44b8834a78380a32'],
  [230, 11, 'ca90b6dbbeafb4ac'],
  [600, 19, '732cfabba892fd0a'],
])('%s letters are version %s, with its blocks, alignments and its name', (length, version, hash) => {
  const drawn = draw('nmp-'.repeat(200).slice(0, length))
  expect(drawn).toHaveLength(17 + 4 * version)
  expect(createHash('sha256').update(drawn.join('\n')).digest('hex').slice(0, 16)).toBe(hash)
})

test('what no version holds has no code', () => {
  expect(makeQrCode('x'.repeat(700))).toBeUndefined()
})

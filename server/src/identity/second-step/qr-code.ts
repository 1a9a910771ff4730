/**
 * Texts as QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 20. Ours, since what is drawn is a secret that no package
 * should see, and the part of the standard that this needs is small.
 */

/** By version: error correction codewords of a block, and blocks. */
const correction = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

const sideOf = (version: number): number => 17 + 4 * version

/** Where alignment patterns have their centres, along both axes. */
function listAlignments(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2
  const last = sideOf(version) - 7
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - step * index).reverse()]
}

function countCodewords(version: number): number {
  const marks = listAlignments(version).length
  const patterns = version === 1 ? 0 : (25 * marks - 10) * marks - 55
  return Math.floor(((16 * version + 128) * version + 64 - patterns - (version < 7 ? 0 : 36)) / 8)
}

const exponents: number[] = []
const logarithms: number[] = []
for (let power = 0, value = 1; power < 255; power++) {
  exponents[power] = value
  logarithms[value] = power
  value = value < 128 ? value * 2 : (value * 2) ^ 0x11d
}
const multiply = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (exponents[((logarithms[a] ?? 0) + (logarithms[b] ?? 0)) % 255] ?? 0)

/** Reed-Solomon: the remainder of the data by the product of (x - 2^i). */
function correct(data: readonly number[], length: number): number[] {
  let generator = [1]
  for (let power = 0; power < length; power++)
    generator = [...generator, 0].map((value, at) => value ^ multiply(generator[at - 1] ?? 0, exponents[power] ?? 0))
  const rest = [...data, ...Array<number>(length).fill(0)]
  for (let at = 0; at < data.length; at++) {
    const factor = rest[at] ?? 0
    for (const [index, value] of generator.entries())
      rest[at + index] = (rest[at + index] ?? 0) ^ multiply(value, factor)
  }
  return rest.slice(data.length)
}

const toBits = (value: number, length: number): string => value.toString(2).padStart(length, '0')

/** The codewords of a text in the smallest version that holds it, interleaved as they are drawn. */
function encode(text: string): { version: number; codewords: number[] } | undefined {
  const bytes = [...new TextEncoder().encode(text)]
  const version = blocks.findIndex((count, index) => {
    const room = countCodewords(index + 1) - count * (correction[index] ?? 0)
    return bytes.length + (index < 9 ? 2 : 3) <= room
  })
  if (version === -1) return undefined
  const [count, length] = [blocks[version] ?? 0, correction[version] ?? 0]
  const total = countCodewords(version + 1)
  const room = total - count * length
  const head = `0100${toBits(bytes.length, version < 9 ? 8 : 16)}`
  const bits = `${head}${bytes.map((byte) => toBits(byte, 8)).join('')}0000`
  const data = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  for (let pad = 0xec; data.length < room; pad ^= 0xfd) data.push(pad)
  const shorter = count - (room % count)
  let at = 0
  const parts = Array.from({ length: count }, (_, index) => {
    const part = data.slice(at, at + Math.floor(room / count) + (index < shorter ? 0 : 1))
    at += part.length
    return part
  })
  const interleave = (lists: readonly number[][]): number[] =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, index) =>
      lists.flatMap((list) => list[index] ?? []),
    ).flat()
  return {
    version: version + 1,
    codewords: [...interleave(parts), ...interleave(parts.map((part) => correct(part, length)))],
  }
}

/** Dark, light, or not drawn yet; by row and column. */
type Grid = (boolean | undefined)[][]

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** A few bits and the remainder that guards them. */
function guard(value: number, length: number, generator: number): number {
  let rest = value
  for (let bit = 0; bit < length; bit++) rest = (rest << 1) ^ ((rest >>> (length - 1)) * generator)
  return (value << length) | rest
}

function drawPatterns(version: number, mask: number): Grid {
  const side = sideOf(version)
  const grid: Grid = Array.from({ length: side }, () => Array<boolean | undefined>(side).fill(undefined))
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = grid[y]
    if (row && x >= 0 && x < side) row[x] = isDark
  }
  const drawRings = (centreX: number, centreY: number, radius: number, isLight: (ring: number) => boolean): void => {
    for (let y = -radius; y <= radius; y++)
      for (let x = -radius; x <= radius; x++)
        set(centreX + x, centreY + y, !isLight(Math.max(Math.abs(x), Math.abs(y))))
  }
  for (let at = 0; at < side; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [side - 4, 3],
    [3, side - 4],
  ] as const)
    drawRings(x, y, 4, (ring) => ring === 2 || ring === 4)
  const alignments = listAlignments(version)
  const last = alignments.at(-1)
  for (const x of alignments)
    for (const y of alignments)
      if (!((x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6)))
        drawRings(x, y, 2, (ring) => ring === 1)
  const format = guard(mask, 10, 0x537) ^ 0x5412
  for (let bit = 0; bit < 15; bit++) {
    const isDark = ((format >>> bit) & 1) === 1
    if (bit < 8) set(8, bit < 6 ? bit : bit + 1, isDark)
    else set(bit === 8 ? 7 : 14 - bit, 8, isDark)
    if (bit < 8) set(side - 1 - bit, 8, isDark)
    else set(8, side - 15 + bit, isDark)
  }
  set(8, side - 8, true)
  if (version < 7) return grid
  const named = guard(version, 12, 0x1f25)
  for (let bit = 0; bit < 18; bit++) {
    const isDark = ((named >>> bit) & 1) === 1
    set(side - 11 + (bit % 3), Math.floor(bit / 3), isDark)
    set(Math.floor(bit / 3), side - 11 + (bit % 3), isDark)
  }
  return grid
}

/** In pairs of columns from the right, up and down by turns, around what is drawn. */
function drawCodewords(grid: Grid, codewords: readonly number[], mask: number): boolean[][] {
  const side = grid.length
  const bits = codewords.map((codeword) => toBits(codeword, 8)).join('')
  let next = 0
  for (let right = side - 1, pair = 0; right > 0; right -= 2, pair++) {
    if (right === 6) right = 5
    for (let step = 0; step < side; step++)
      for (const x of [right, right - 1]) {
        const y = pair % 2 === 0 ? side - 1 - step : step
        const row = grid[y] ?? []
        if (row[x] === undefined) row[x] = (bits[next++] === '1') !== masks[mask]?.(x, y)
      }
  }
  return grid as boolean[][]
}

/** What makes a picture hard to read: long runs, blocks, what looks like a corner, more of one colour. */
function judge(grid: readonly boolean[][]): number {
  const lines = (rows: readonly boolean[][]): string[] =>
    rows.map((row) => row.map((dark) => (dark ? '1' : '0')).join(''))
  const columns = grid.map((_, x) => grid.map((row) => row[x] ?? false))
  let points = 0
  for (const line of [...lines(grid), ...lines(columns)]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2
    points += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length
  }
  for (let y = 1; y < grid.length; y++)
    for (let x = 1; x < grid.length; x++) {
      const square = [grid[y]?.[x], grid[y]?.[x - 1], grid[y - 1]?.[x], grid[y - 1]?.[x - 1]]
      if (square.every((dark) => dark === square[0])) points += 3
    }
  const dark = grid.flat().filter(Boolean).length / grid.length ** 2
  return points + 10 * Math.floor(Math.abs(dark - 0.5) * 20)
}

/** The modules of a text by row, dark ones true; undefined for one that is too long. */
export function makeQrCode(text: string): boolean[][] | undefined {
  const encoded = encode(text)
  if (!encoded) return undefined
  const { version, codewords } = encoded
  const drawn = masks.map((_, mask) => drawCodewords(drawPatterns(version, mask), codewords, mask))
  const points = drawn.map(judge)
  return drawn[points.indexOf(Math.min(...points))]
}

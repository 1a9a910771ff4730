import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createByteSource, FilePool, holdHead } from './bytes.ts'

test('what holds the head of a file answers every range as the file does, and reads its beginning once', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251)
  const whole = createByteSource(bytes)
  const asked: [number, number][] = []
  const held = holdHead({
    length: () => whole.length(),
    read: (start, end) => {
      asked.push([start, end])
      return whole.read(start, end)
    },
  })
  for (const [start, end] of [
    [0, 16],
    [24, 131_072],
    [100, 100],
    [131_000, 131_100],
    [299_990, 300_000],
  ] as const)
    expect(await held.read(start, end)).toEqual(bytes.subarray(start, end))
  expect(asked).toEqual([
    [0, 131_072],
    [131_000, 131_100],
    [299_990, 300_000],
  ])
  const short = holdHead(createByteSource(bytes.subarray(0, 10)))
  expect(await short.read(2, 10)).toEqual(bytes.subarray(2, 10))
  await expect(short.read(8, 16)).rejects.toThrow('bytes 8 to 16 are outside its 10 bytes')
})

test('a pool answers small and large pieces of its files as they are, and refuses what lies beyond their end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bytes-'))
  await using pool = new FilePool()
  try {
    const files = await Promise.all(
      [10, 5000, 200_000, 400_000, 131_072, 1].map(async (length, place) => {
        const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + place) % 251)
        await writeFile(join(folder, String(place)), bytes)
        return { bytes, source: pool.createSource(join(folder, String(place))) }
      }),
    )
    for (const start of [0, 3, 4990, 131_070, 199_990, 262_143, 399_999, 12])
      for (const { bytes, source } of files)
        for (const count of [1, 8, 20_000, 140_000]) {
          if (start >= bytes.length) await expect(source.read(start, start + count)).rejects.toThrow('are outside its')
          const end = Math.min(bytes.length, start + count)
          if (start < end) expect(Buffer.compare(await source.read(start, end), bytes.subarray(start, end))).toBe(0)
        }
    for (const { bytes, source } of files) expect(await source.length()).toBe(bytes.length)
  } finally {
    await rm(folder, { recursive: true })
  }
})

import { expect, test } from 'vitest'
import { createByteSource, holdHead } from './bytes.ts'

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

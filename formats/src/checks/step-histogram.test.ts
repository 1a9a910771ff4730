import { expect, test } from 'vitest'
import { StepHistogram } from './step-histogram.ts'

test('the fast step is the same whether slower ones were still counted by their length or not', () => {
  const [episodes, frames] = [40, 100]
  const histogram = new StepHistogram(episodes * frames)
  const lengths: number[] = []
  for (let episode = 0; episode < episodes; episode++) {
    // The later, the slower; the last ones are fast again.
    const speed = episode < 36 ? 1 / (1 + episode) : 1
    const rows = Float64Array.from({ length: frames }, (_, frame) => speed * Math.sin(frame * (1 + (frame % 7))))
    histogram.add(rows, 0, 1)
    histogram.endEpisode()
    for (let frame = 1; frame < frames; frame++)
      lengths.push(Math.abs((rows[frame] as number) - (rows[frame - 1] as number)))
  }
  const sorted = Float64Array.from(lengths.filter((length) => length > 0)).sort()
  const fast = sorted[Math.ceil(sorted.length * 0.99) - 1] as number
  expect(histogram.findFast()).toBe(2 ** ((Math.floor(Math.log2(fast) * 8) + 1) / 8))
})

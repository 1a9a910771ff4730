import { EpisodeStatistics, presentStatistics } from '@nmp/formats/statistics/episode'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ReadModel } from '../../datasets/read-model/model.ts'
import { measureSelection, orderColumn } from './ordered-column.ts'

test('any selection of episodes has the statistics that its rows give when they are sorted', async () => {
  const value = fc.oneof(fc.float(), fc.constantFrom(0, -0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY))
  const episode = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(episode, fc.boolean()), { minLength: 1, maxLength: 8 }), async (episodes) => {
      const lengths = episodes.map(([rows]) => rows.length)
      const starts = lengths.map((_, index) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0))
      const column = Float32Array.from(episodes.flatMap(([rows]) => rows.flat()))
      const columns = { lengthFrames: Uint32Array.from(lengths), fromIndex: Float64Array.from(starts) }
      const model = { columns, episodeCount: episodes.length } as unknown as ReadModel
      const selected = Uint32Array.from(episodes.flatMap(([, isKept], index) => (isKept ? [index] : [])))
      const expected = new EpisodeStatistics(2)
      for (const index of selected) {
        const from = starts[index] ?? 0
        expected.add(column.subarray(from * 2, (from + (lengths[index] ?? 0)) * 2), lengths[index] ?? 0)
      }
      const { moments, quantiles } = measureSelection(await orderColumn(model, column, 2), selected, episodes.length)
      const sorted = expected.finish()
      const want = presentStatistics(sorted.moments, sorted.quantiles)
      for (const [key, values] of Object.entries(presentStatistics(moments, quantiles)))
        for (const [at, found] of values.entries()) {
          const wanted = want[key]?.[at] ?? Number.NaN
          expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(wanted)))
        }
    }),
  )
})

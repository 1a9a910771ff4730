import { expect, test } from 'vitest'
import type { Block } from '../../dataset.ts'
import { readAhead } from './blocks-ahead.ts'

/** Episodes of two blocks; what was begun and ended is noted. Episode 3 cannot be read. */
function openEpisodes(count: number) {
  const seen: string[] = []
  const read = readAhead(
    async function* read(position) {
      try {
        for (const startFrame of [0, 1]) {
          seen.push(`${position}.${startFrame}`)
          if (position === 3) throw new Error('episode 3 is damaged')
          yield { startFrame, frameCount: 1, columns: new Map([['episode', [String(position)]]]) } satisfies Block
        }
      } finally {
        seen.push(`${position} ended`)
      }
    },
    (position) => position + 1 < count,
  )
  const take = async (position: number, columns?: string[]) => {
    const blocks: string[] = []
    for await (const { startFrame, columns: values } of read(position, columns ? { columns } : {}))
      blocks.push(`${values.get('episode')}.${startFrame}`)
    return blocks
  }
  return { seen, take, read }
}

test('in order, the next episode is begun while one is worked on, and every one is read once', async () => {
  const { seen, take } = openEpisodes(3)
  for (const position of [0, 1, 2]) expect(await take(position)).toEqual([`${position}.0`, `${position}.1`])
  expect(seen.indexOf('2.0')).toBeLessThan(seen.indexOf('1.1'))
  expect(seen.toSorted()).toEqual(['0 ended', '0.0', '0.1', '1 ended', '1.0', '1.1', '2 ended', '2.0', '2.1'])
})

test('out of order, or by other columns, nothing is read that was not asked for', async () => {
  const { seen, take } = openEpisodes(9)
  for (const position of [7, 2, 5]) expect(await take(position)).toEqual([`${position}.0`, `${position}.1`])
  expect(await take(6, ['action'])).toEqual(['6.0', '6.1'])
  expect(seen.filter((what) => what.endsWith('.0'))).toEqual(['7.0', '2.0', '5.0', '6.0'])
})

test('whoever comes to a damaged episode is told, and nobody else', async () => {
  const { take } = openEpisodes(6)
  expect(await take(1)).toEqual(['1.0', '1.1'])
  expect(await take(2)).toEqual(['2.0', '2.1'])
  await expect(take(3)).rejects.toThrow('episode 3 is damaged')
  expect(await take(4)).toEqual(['4.0', '4.1'])
})

test('an episode that is given up is ended', async () => {
  const { seen, read } = openEpisodes(6)
  for await (const _ of read(0, {})) break
  expect(seen).toEqual(['0.0', '0 ended'])
})

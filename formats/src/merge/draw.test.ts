import { expect, test } from 'vitest'
import { drawEpisodes } from './draw.ts'

const list = (place: number, count: number) => Array.from({ length: count }, (_, episode) => ({ place, episode }))
const drawn = (place: number, seed: number) => drawEpisodes(list(place, 8), 3, seed).map(({ episode }) => episode)

test('a seed draws the same episodes for ever: versions that were made must be made again', () => {
  expect([drawn(0, 0), drawn(0, 1), drawn(1, 0)]).toEqual([
    [7, 0, 5],
    [6, 2, 3],
    [5, 6, 1],
  ])
})

test('more of them begin with the fewer', () => {
  expect(drawEpisodes(list(0, 8), 5, 7).slice(0, 2)).toEqual(drawEpisodes(list(0, 8), 2, 7))
})

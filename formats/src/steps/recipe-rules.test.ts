import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { placeResized } from '../containers/codec/filter.ts'
import { planTransform, type Resize, sizeAfter } from './crop-resize.ts'
import { apply as selectEpisodes } from './select-episodes.ts'

/** Cases of `make_recipes.py`, which the console's `web/src/recipe/recipe-rules.test.ts` runs as well. */
const readCases = <Case>(name: string): Case[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../test/golden/recipes', name), 'utf8')) as Case[]

interface PixelCase {
  width: number
  height: number
  crop: { left_pct: number; top_pct: number; width_pct: number; height_pct: number } | null
  resize: Resize | null
  cut: { left: number; top: number; width: number; height: number }
  size: { width: number; height: number }
  placed?: { scaled: { width: number; height: number }; left: number; top: number }
}

interface SelectionCase {
  splits_of_episodes: string[][]
  selected?: number[]
  excluded?: number[]
  splits?: string[]
  first?: number
  kept: number[]
}

describe('crop and resize', () => {
  test.each(readCases<PixelCase>('pixels.json'))(
    '$width x $height, crop $crop, resize $resize',
    ({ width, height, crop, resize, cut, size, placed }) => {
      const settings = {
        crop: crop && { left: crop.left_pct, top: crop.top_pct, width: crop.width_pct, height: crop.height_pct },
        resize,
      }
      const transform = planTransform({ width, height }, settings)
      expect(transform?.crop ?? { left: 0, top: 0, width, height }).toEqual(cut)
      expect(sizeAfter({ width, height }, transform)).toEqual(size)
      if (resize) expect(placeResized(cut, resize)).toEqual(placed)
    },
  )
})

describe('selection', () => {
  test.each(readCases<SelectionCase>('selections.json'))('%j', ({ splits_of_episodes, kept, ...selection }) => {
    const episodes = splits_of_episodes.map((splits) => ({ length: 3, tasks: ['task'], splits, columns: new Map() }))
    const result = selectEpisodes(createMemoryDataset([], episodes), selection)
    const found = Array.from({ length: result.episodeCount }, (_, at) => result.getEpisode(at).sourceIndex)
    expect({ found, frames: result.frameCount }).toEqual({ found: kept, frames: kept.length * 3 })
  })
})

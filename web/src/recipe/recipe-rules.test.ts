import { describe, expect, test } from 'vitest'
import pixels from '../../../formats/test/golden/recipes/pixels.json' with { type: 'json' }
import selections from '../../../formats/test/golden/recipes/selections.json' with { type: 'json' }
import { placeFrame, toPixels } from '../data/recipe/crop-box.ts'
import { emptyRecipe, findShownEpisode, noCondition, type Resize } from '../data/recipe/recipe-draft.ts'

/** The rules that the server has too, by the cases that `formats/src/steps/recipe-rules.test.ts` runs. */
describe('crop and resize', () => {
  test.each(pixels)(
    '$width x $height, crop $crop, resize $resize',
    ({ width, height, crop, resize, cut, size, ...more }) => {
      const box = toPixels(crop, width, height)
      expect(box).toEqual(cut)
      const place = placeFrame(box, resize as Resize | null)
      expect({ width: place.width, height: place.height }).toEqual(size)
      const placed = 'placed' in more ? more.placed : undefined
      if (!placed || !resize) {
        expect({ cut: place.cut, drawn: place.drawn }).toEqual({ cut, drawn: { left: 0, top: 0, ...size } })
        return
      }
      const { scaled, left, top } = placed
      if (resize.mode === 'fit') {
        expect({ cut: place.cut, drawn: place.drawn }).toEqual({ cut, drawn: { left, top, ...scaled } })
        return
      }
      // The same window over the scaled frame, said in pixels of the source.
      const [perX, perY] = [scaled.width / cut.width, scaled.height / cut.height]
      expect(place.drawn).toEqual({ left: 0, top: 0, ...size })
      expect((place.cut.left - cut.left) * perX).toBeCloseTo(left, 6)
      expect((place.cut.top - cut.top) * perY).toBeCloseTo(top, 6)
      expect(place.cut.width * perX).toBeCloseTo(size.width, 6)
      expect(place.cut.height * perY).toBeCloseTo(size.height, 6)
    },
  )
})

describe('the episode that a preview shows', () => {
  test.each(selections)('%j', ({ splits_of_episodes, kept, selected, excluded, splits, first }) => {
    const recipe = {
      ...emptyRecipe,
      selected_episode_indices: selected ?? null,
      excluded_episode_indices: excluded ?? null,
      first_n_episodes: first ?? null,
      where: splits ? { ...noCondition, splits_any: splits } : null,
    }
    // Which episodes are in a split is the server's to say.
    for (const wanted of splits_of_episodes.keys())
      expect(findShownEpisode(recipe, splits_of_episodes.length, wanted)).toBe(
        splits ? undefined : kept.includes(wanted) ? wanted : kept[0],
      )
  })
})

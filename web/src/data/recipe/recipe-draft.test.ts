import { beforeEach, expect, test, vi } from 'vitest'
import type * as Draft from './recipe-draft.ts'

/** The browser's store; each test opens the page anew on it. */
const kept = new Map<string, string>()
vi.stubGlobal('localStorage', {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
})
let pages = 0
const openPage = (): Promise<typeof Draft> => import(`./recipe-draft.ts?page=${++pages}`)
const readStored = () => JSON.parse(kept.get('nmp.recipe.ds_1') ?? '{}') as Draft.Draft

let page: typeof Draft
beforeEach(async () => {
  kept.clear()
  page = await openPage()
})

test('a draft outlives the page, and a key that is newer than it is unset', async () => {
  page.changeDraft('ds_1', { name: 'Short ones' })
  page.changeRecipe('ds_1', { first_n_episodes: 5 })
  const next = await openPage()
  next.changeDraft('ds_1', { slug: 'short' })
  expect(readStored()).toMatchObject({ name: 'Short ones', slug: 'short', recipe: { first_n_episodes: 5, crop: null } })
})

test('a store that is full keeps the draft for the page', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })
  expect(() => page.excludeEpisodes('ds_2', [1])).not.toThrow()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
  page.excludeEpisodes('ds_2', [4])
  expect(kept.get('nmp.recipe.ds_2')).toContain('"excluded_episode_indices":[1,4]')
})

test('episodes are left out once each, in order, and every step can be taken back', () => {
  page.excludeEpisodes('ds_1', [7, 3])
  const undo = page.excludeEpisodes('ds_1', [3, 5])
  expect(readStored().recipe.excluded_episode_indices).toEqual([3, 5, 7])
  undo()
  expect(readStored().recipe.excluded_episode_indices).toEqual([3, 7])
  const undoBack = page.includeEpisodes('ds_1', [3, 7, 9])
  expect(readStored().recipe.excluded_episode_indices).toBeNull()
  undoBack()
  expect(readStored().recipe.excluded_episode_indices).toEqual([3, 7])
})

test('what is kept is not left out as well', () => {
  page.excludeEpisodes('ds_1', [1, 2])
  const undo = page.keepOnlyEpisodes('ds_1', [4, 2, 4])
  expect(readStored().recipe).toMatchObject({ selected_episode_indices: [2, 4], excluded_episode_indices: [1] })
  undo()
  expect(readStored().recipe).toMatchObject({ selected_episode_indices: null, excluded_episode_indices: [1, 2] })
})

test('a list that was chosen under the other meaning is turned around', () => {
  page.excludeEpisodes('ds_1', [1, 2])
  const undo = page.turnSelectionAround('ds_1')
  expect(readStored().recipe).toMatchObject({ selected_episode_indices: [1, 2], excluded_episode_indices: null })
  undo()
  expect(readStored().recipe).toMatchObject({ selected_episode_indices: null, excluded_episode_indices: [1, 2] })
})

test('previews are drawn of what is kept, where that can be told', () => {
  const recipe = { ...page.emptyRecipe, excluded_episode_indices: [0, 2], first_n_episodes: 2 }
  expect(page.listShowable(recipe, 6)).toEqual([1, 3])
  expect([3, 2].map((wanted) => page.findShownEpisode(recipe, 6, wanted))).toEqual([3, 1])
  const asked = { ...recipe, where: { ...page.noCondition, success: true } }
  expect(page.listShowable(asked, 6)).toBeUndefined()
})

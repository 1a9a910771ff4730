import type { Recipe } from '../../data/recipe/recipe-draft.ts'

type ListName = 'selected_episode_indices' | 'excluded_episode_indices'

/** What was typed into a list of episodes and cannot be read. It is no part of the recipe, so nothing is made while it stands there. */
export type UnreadLists = Partial<Record<ListName, { text: string; over: Recipe[ListName] }>>

/** Undefined again once the list itself is another one, as by a button. */
export function findUnread(unread: UnreadLists, recipe: Recipe, list: ListName): string | undefined {
  const found = unread[list]
  return found?.over === recipe[list] ? found?.text : undefined
}

export function nameUnread(unread: UnreadLists, recipe: Recipe): string | undefined {
  if (findUnread(unread, recipe, 'selected_episode_indices') !== undefined)
    return 'The list of episodes to keep cannot be read.'
  if (findUnread(unread, recipe, 'excluded_episode_indices') !== undefined)
    return 'The list of episodes to leave out cannot be read.'
  return undefined
}

import * as selectEpisodes from './select-episodes.ts'

/** Every step of a recipe, in the order they are applied. */
export const steps = [{ name: 'select-episodes', ...selectEpisodes }] as const

import type { ModelPart } from './model.ts'

/** Which part an episode is in. */
export const findPart = (parts: readonly ModelPart[], episode: number): ModelPart =>
  parts.findLast(({ start }) => start <= episode) as ModelPart

/** What the whole calls a file of one of its parts: two of them may have files of one name. */
export const nameFile = (place: number, path: string): string => `sources/${place}/${path}`

/** The part that a file is in, and what it is called there. */
export function findFile(parts: readonly ModelPart[], named: string): { part: ModelPart; path: string } | undefined {
  const [, place = '', path = ''] = /^sources\/(\d+)\/(.+)$/.exec(named) ?? []
  const part = place === '' ? undefined : parts[Number(place)]
  return part && { part, path }
}

import type { Recipe } from './recipe-draft.ts'

export type FeaturesStep = NonNullable<Recipe['features']>

const noFeatures: FeaturesStep = { drop: null, rename: null, dimensions: null }

/** What asks for nothing is left out of the recipe. */
function change(step: FeaturesStep | null, next: Partial<FeaturesStep>): FeaturesStep | null {
  const { drop, rename, dimensions } = { ...noFeatures, ...step, ...next }
  const tidied = {
    drop: drop?.length ? drop : null,
    rename: rename && Object.keys(rename).length > 0 ? rename : null,
    dimensions: dimensions && Object.keys(dimensions).length > 0 ? dimensions : null,
  }
  return tidied.drop || tidied.rename || tidied.dimensions ? tidied : null
}

const without = <T>(entries: Record<string, T> | null | undefined, key: string): Record<string, T> => {
  const { [key]: _, ...others } = entries ?? {}
  return others
}

/** Left out, or back. What is left out has neither a new name nor an order. */
export function toggleFeature(step: FeaturesStep | null, name: string): FeaturesStep | null {
  const drop = step?.drop ?? []
  if (drop.includes(name)) return change(step, { drop: drop.filter((one) => one !== name) })
  return change(step, {
    drop: [...drop, name],
    rename: without(step?.rename, name),
    dimensions: without(step?.dimensions, name),
  })
}

/** Nothing is asked of these any more. */
export const forgetFeatures = (step: FeaturesStep | null, names: readonly string[]): FeaturesStep | null =>
  change(step, {
    drop: step?.drop?.filter((name) => !names.includes(name)) ?? null,
    rename: names.reduce((entries, name) => without(entries, name), { ...step?.rename }),
    dimensions: names.reduce((entries, name) => without(entries, name), { ...step?.dimensions }),
  })

/** An empty name, or its own, is no new one. */
export const renameFeature = (step: FeaturesStep | null, name: string, to: string): FeaturesStep | null =>
  change(step, {
    rename: to.trim() === '' || to === name ? without(step?.rename, name) : { ...step?.rename, [name]: to.trim() },
  })

function setDimensions(step: FeaturesStep | null, name: string, all: readonly string[], kept: string[]) {
  const isAll = kept.length === all.length && kept.every((one, at) => one === all[at])
  const dimensions = isAll ? without(step?.dimensions, name) : { ...step?.dimensions, [name]: kept }
  return change(step, { dimensions })
}

/** Left out, or back at the end; the last one stays. */
export function toggleDimension(step: FeaturesStep | null, name: string, all: readonly string[], dimension: string) {
  const kept = step?.dimensions?.[name] ?? [...all]
  const next = kept.includes(dimension) ? kept.filter((one) => one !== dimension) : [...kept, dimension]
  return next.length > 0 ? setDimensions(step, name, all, next) : step
}

export function moveDimension(
  step: FeaturesStep | null,
  name: string,
  all: readonly string[],
  dimension: string,
  by: -1 | 1,
) {
  const kept = [...(step?.dimensions?.[name] ?? all)]
  const at = kept.indexOf(dimension)
  const other = kept[at + by]
  if (at < 0 || other === undefined) return step
  kept[at] = other
  kept[at + by] = dimension
  return setDimensions(step, name, all, kept)
}

/** The kept ones in their new order, then those that are left out. */
export const listDimensions = (all: readonly string[], kept: readonly string[] | undefined) => [
  ...(kept ?? all).map((name, place) => ({ name, isKept: true, place })),
  ...all.filter((name) => kept && !kept.includes(name)).map((name) => ({ name, isKept: false, place: -1 })),
]

import type { FeatureSettings } from '@nmp/formats/steps/feature-plan'
import { type Static, Type } from 'typebox'
import { nullable } from '../../http/schemas.ts'

const maybe = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))
const featureName = Type.String({ minLength: 1, maxLength: 200 })
const byFeature = <S extends Parameters<typeof nullable>[0]>(schema: S, description: string) =>
  Type.Record(featureName, schema, { description })

/** What a recipe does to features: columns and cameras, by the names that the source has for them. */
export const featuresBody = Type.Object(
  {
    drop: maybe(Type.Array(featureName, { maxItems: 1000, description: 'Features that are left out.' })),
    rename: maybe(
      byFeature(
        Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$' }),
        'New names by the old ones: letters, digits, dots, hyphens and underscores.',
      ),
    ),
    dimensions: maybe(
      byFeature(
        Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 10_000 }),
        'By feature: the names of the dimensions that are kept, in their new order. Where dimensions have no names they are called 0, 1, 2, …',
      ),
    ),
  },
  { additionalProperties: false, description: 'Features that are dropped, renamed, or keep some dimensions.' },
)

export const featuresRecord = Type.Object({
  drop: nullable(Type.Array(Type.String())),
  rename: nullable(Type.Record(Type.String(), Type.String())),
  dimensions: nullable(Type.Record(Type.String(), Type.Array(Type.String()))),
})
export type FeaturesRecipe = Static<typeof featuresRecord>

export const normalizeFeatures = (asked: Static<typeof featuresBody> | null | undefined): FeaturesRecipe | null =>
  asked ? { drop: asked.drop ?? null, rename: sortKeys(asked.rename), dimensions: sortKeys(asked.dimensions) } : null

const sortKeys = <T>(entries: Record<string, T> | null | undefined): Record<string, T> | null =>
  entries
    ? Object.fromEntries(Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))
    : null

/** For the digest of a recipe: nothing where nothing is asked for, and equal words for equal wishes. */
export function listFeaturesMeaning(asked: FeaturesRecipe | null): { features?: object } {
  const rename = Object.entries(asked?.rename ?? {}).filter(([from, to]) => from !== to)
  const meaning = {
    drop: [...new Set(asked?.drop ?? [])].sort(),
    rename: Object.fromEntries(rename),
    dimensions: asked?.dimensions ?? {},
  }
  return Object.values(meaning).some((part) => Object.keys(part).length > 0) ? { features: meaning } : {}
}

export const toFeatureSettings = (asked: FeaturesRecipe | null): FeatureSettings => ({
  drop: asked?.drop ?? [],
  rename: new Map(Object.entries(asked?.rename ?? {})),
  dimensions: new Map(Object.entries(asked?.dimensions ?? {})),
})

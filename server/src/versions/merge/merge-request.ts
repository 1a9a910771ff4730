import type { SourceMap } from '@nmp/formats/merge/source-map'
import { Type } from 'typebox'
import { nullable, oneOf } from '../../http/schemas.ts'
import { recipeBody } from '../recipe/recipe.ts'

const name = Type.String({ minLength: 1, maxLength: 200 })
const text = Type.String({ maxLength: 2000 })
const names = Type.Array(name, { maxItems: 1000 })
const unit = Type.Array(Type.String({ minLength: 1, maxLength: 20 }), { minItems: 2, maxItems: 2 })

const featureMap = Type.Object({
  from: Type.Optional(name),
  dimensions: Type.Optional(names),
  names: Type.Optional(names),
  unit: Type.Optional(Type.Union([unit, Type.Record(Type.String(), unit)])),
  fill: Type.Optional(Type.Union([Type.Number(), text, Type.Array(Type.Number(), { maxItems: 1000 })])),
})

const sourceMapForm = Type.Object(
  {
    cameras: Type.Optional(
      Type.Record(Type.String(), nullable(name), { description: 'Their camera to ours, or null.' }),
    ),
    features: Type.Optional(
      Type.Record(Type.String(), nullable(featureMap), {
        description: 'Our feature to what it is made of; null leaves it out of the result.',
      }),
    ),
    tasks: Type.Optional(
      Type.Record(Type.String(), text, { description: 'Their task text to ours; `*` is any other text.' }),
    ),
    robot_type: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  },
  { $id: 'SourceMap' },
)

export const sourceMap = Type.Unsafe<SourceMap>(sourceMapForm)

export const mergeSource = Type.Object(
  {
    dataset_kind: oneOf(['catalog', 'project', 'version']),
    dataset_id: Type.String({ minLength: 1, maxLength: 100 }),
    revision_id: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'A revision of the dataset, which may be an older one; the one that it shows now if absent.',
        }),
      ),
    ),
    recipe: Type.Optional(recipeBody),
    map: Type.Optional(sourceMap),
    weight: Type.Optional(
      nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1e6,
          description: 'Its share of the frames that a sampler draws.',
        }),
      ),
    ),
    sample: Type.Optional(
      nullable(Type.Integer({ minimum: 1, description: 'So many of its episodes, drawn by the seed.' })),
    ),
    confirm: Type.Optional(
      Type.Array(oneOf(['units']), {
        maxItems: 1,
        description: '`units`: ranges that do not overlap are of one unit.',
      }),
    ),
  },
  { $id: 'MergeSource' },
)

export const mergeFields = {
  sources: Type.Optional(
    Type.Array(mergeSource, {
      minItems: 1,
      maxItems: 64,
      description: 'Several sources instead of `source`, one after the other in the result.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Of what `sample` draws; 0 by default.' }),
  ),
  task_samples: Type.Optional(
    Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description:
        'By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay.',
    }),
  ),
  task_weights: Type.Optional(
    Type.Record(Type.String(), Type.Number({ exclusiveMinimum: 0, maximum: 1e6 }), {
      description: 'Shares of the frames that a sampler draws, by task text, instead of by source.',
    }),
  ),
}

import { type Static, Type } from 'typebox'

const count = Type.Integer({ minimum: 0 })

/** Kept in the summary of the revision; absent in those made before losses were counted. */
export const losses = Type.Object(
  {
    episodes_found: count,
    episodes_left_out: count,
    dropped: Type.Integer({
      minimum: 0,
      description:
        'Cameras, features, splits and files missing from the dataset although their episodes were imported.',
    }),
    first_reason: Type.String(),
  },
  {
    $id: 'ImportLosses',
    description: "What the source had and the dataset lacks. The import's report has the details.",
  },
)
export type Losses = Static<typeof losses>

import { type Static, Type } from 'typebox'

const count = Type.Integer({ minimum: 0 })

/** Kept in the summary of the revision; absent in those made before losses were counted. */
export const losses = Type.Object(
  {
    episodes_found: count,
    episodes_left_out: count,
    dropped: Type.Integer({
      minimum: 0,
      description: 'Cameras, features, splits and files that the dataset lacks though their episodes are there.',
    }),
    first_reason: Type.String(),
  },
  {
    $id: 'ImportLosses',
    description: 'What the source has and the dataset has not. The report of the import says all.',
  },
)
export type Losses = Static<typeof losses>

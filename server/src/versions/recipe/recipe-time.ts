import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '../../http/schemas.ts'

const maybe = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))
const frame = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
const episodeNumber = '^(0|[1-9][0-9]{0,9})$'
const byEpisode = <S extends Parameters<typeof nullable>[0]>(schema: S, description: string) =>
  Type.Record(Type.String({ pattern: episodeNumber }), schema, { description })

const ranges = Type.Array(Type.Array(frame, { minItems: 2, maxItems: 2 }), { minItems: 1, maxItems: 1000 })
const insideModes = ['drop', 'split'] as const

const idleBody = Type.Object(
  {
    from: maybe(
      oneOf(['start', 'end', 'both', 'anywhere'], {
        description: 'Where still frames go: at the start of an episode (default), at its end, at both, or anywhere.',
      }),
    ),
    inside: maybe(
      oneOf(insideModes, {
        description:
          'Where still frames inside an episode go: `drop` joins what is left into one episode (default), `split` makes an episode of each piece.',
      }),
    ),
    signal: maybe(
      oneOf(['action', 'observation.state', 'both'], {
        description:
          'What must be still. As Insights measures if absent: the state, or the action where there is none.',
      }),
    ),
    min_idle_frames: maybe(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Shorter rests stay; half a second if absent.' }),
    ),
    keep_frames: maybe(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Still frames that stay beside motion; 0 if absent.',
      }),
    ),
    threshold: maybe(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 10,
        description: 'Share of the usual (median) step below which the robot is still; as Insights measures if absent.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Still frames are found by rule and cut.' },
)

/** Keys of a recipe that say which frames are kept. */
export const trimBody = Type.Object(
  {
    ranges: maybe(
      byEpisode(
        ranges,
        "By the source's episode number: the frames to keep, as `[from, to]` without `to`, ascending. Episodes that are not named stay whole.",
      ),
    ),
    inside: maybe(
      oneOf(insideModes, {
        description:
          'Several ranges of an episode: `drop` joins them into one episode (default), `split` makes one of each.',
      }),
    ),
    idle: maybe(idleBody),
  },
  { additionalProperties: false, description: 'Which frames of an episode are kept.' },
)

export const splitBody = byEpisode(
  Type.Object(
    {
      at: Type.Array(frame, {
        minItems: 1,
        maxItems: 1000,
        description: 'Frames of the source at which a new part begins, ascending.',
      }),
      tasks: maybe(
        Type.Array(Type.String({ minLength: 1, maxLength: 10_000 }), {
          description: 'A task text for each part: one more than there are cuts.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  "By the source's episode number: where an episode is cut in parts, each of which becomes an episode.",
)

export const fpsBody = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Frames per second of the result, a whole number as LeRobot needs it, at most those of the source. A divisor takes every n-th frame, any other rate the frame that is nearest in time.',
})

export const trimRecord = Type.Object({
  ranges: nullable(Type.Record(Type.String(), Type.Array(Type.Array(Type.Integer())))),
  inside: nullable(oneOf(insideModes)),
  idle: nullable(
    Type.Object({
      from: nullable(oneOf(['start', 'end', 'both', 'anywhere'])),
      inside: nullable(oneOf(insideModes)),
      signal: nullable(oneOf(['action', 'observation.state', 'both'])),
      min_idle_frames: nullable(Type.Integer()),
      keep_frames: nullable(Type.Integer()),
      threshold: nullable(Type.Number()),
    }),
  ),
})
export type IdleRule = NonNullable<Static<typeof trimRecord>['idle']>

export const splitRecord = Type.Record(
  Type.String(),
  Type.Object({ at: Type.Array(Type.Integer()), tasks: nullable(Type.Array(Type.String())) }),
)

export interface TimeBody {
  trim?: Static<typeof trimBody> | null
  split?: Static<typeof splitBody> | null
}

export interface TimeRecipe {
  trim: Static<typeof trimRecord> | null
  split: Static<typeof splitRecord> | null
}

/** Every key, in one order, episodes ascending. */
export const normalizeTime = ({ trim, split }: TimeBody): TimeRecipe => ({
  trim: trim
    ? {
        ranges: trim.ranges ? sortEpisodes(trim.ranges) : null,
        inside: trim.inside ?? null,
        idle: trim.idle ? normalizeIdle(trim.idle) : null,
      }
    : null,
  split: split
    ? sortEpisodes(
        Object.fromEntries(Object.entries(split).map(([key, { at, tasks }]) => [key, { at, tasks: tasks ?? null }])),
      )
    : null,
})

const normalizeIdle = (idle: Static<typeof idleBody>): IdleRule => ({
  from: idle.from ?? null,
  inside: idle.inside ?? null,
  signal: idle.signal ?? null,
  min_idle_frames: idle.min_idle_frames ?? null,
  keep_frames: idle.keep_frames ?? null,
  threshold: idle.threshold ?? null,
})

const sortEpisodes = <T>(entries: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([one], [other]) => Number(one) - Number(other)))

const isEmpty = (entries: object | null | undefined): boolean => !entries || Object.keys(entries).length === 0

/** Only what asks for something, so that recipes without it keep their digest. */
export const listTimeMeaning = ({ trim, split }: TimeRecipe): Partial<TimeRecipe> => {
  const ranges = isEmpty(trim?.ranges) ? null : (trim?.ranges ?? null)
  const idle = trim?.idle
    ? {
        ...trim.idle,
        from: trim.idle.from ?? 'start',
        inside: trim.idle.inside ?? 'drop',
        keep_frames: trim.idle.keep_frames ?? 0,
      }
    : null
  return {
    ...(ranges || idle ? { trim: { ranges, inside: ranges ? (trim?.inside ?? 'drop') : null, idle } } : {}),
    ...(isEmpty(split) ? {} : { split }),
  }
}

export const asksForTime = (recipe: TimeRecipe): boolean => Object.keys(listTimeMeaning(recipe)).length > 0

type Refuse = (path: string[], sentence: string, input: unknown) => void

/** What can be said without the dataset. */
export function checkTimeForm({ trim, split }: TimeBody, refuse: Refuse): void {
  for (const [episode, kept] of Object.entries(trim?.ranges ?? {}))
    for (const [place, range] of kept.entries()) {
      const path = ['trim', 'ranges', episode, String(place)]
      const [from = 0, to = 0] = range
      const before = place > 0 ? (kept[place - 1]?.[1] ?? 0) : 0
      if (to <= from) refuse(path, `frames ${from} to ${to} are no frame: a range ends after it begins`, range)
      else if (from < before)
        refuse(path, `the range overlaps the one before, which ends at frame ${before}, or comes before it`, range)
    }
  for (const [episode, { at, tasks }] of Object.entries(split ?? {})) {
    for (const [place, cut] of at.entries())
      if (cut === 0 || (place > 0 && cut <= (at[place - 1] as number)))
        refuse(['split', episode, 'at', String(place)], 'cuts are ascending frames after frame 0', cut)
    if (tasks && tasks.length !== at.length + 1)
      refuse(
        ['split', episode, 'tasks'],
        `${at.length + 1} parts need ${at.length + 1} task texts, not ${tasks.length}`,
        tasks,
      )
  }
}

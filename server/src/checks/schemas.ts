import { type Static, Type } from 'typebox'
import { nullable, oneOf, truth } from '../http/schemas.ts'

const count = Type.Integer()
const families = ['signals', 'motion', 'pictures', 'sets'] as const
const severities = ['error', 'warning', 'info'] as const
const family = oneOf(families)
const severity = oneOf(severities)

const checkRule = Type.Object(
  {
    id: Type.String(),
    family,
    kind: oneOf(['flag', 'ranking'], {
      description: 'A ranking gives every episode a value; none is wrong by itself.',
    }),
    severity,
    unit: Type.String({ description: 'Of values and of the cut-off.' }),
    cut_off: nullable(Type.Number({ description: "The rule's own; null where nothing can be set." })),
    direction: nullable(oneOf(['above', 'below'], { description: 'On which side of the cut-off something is found.' })),
    inclusive: Type.Boolean({ description: 'Whether the cut-off itself is found too.' }),
    loosest: nullable(
      Type.Number({
        description:
          'Findings are kept down to this cut-off, or to a looser one that was set: `cut_off` of a request may be anything stricter. Null: another cut-off needs another run.',
      }),
    ),
    of_set: Type.Boolean({ description: 'It tells of the whole set: a recipe cannot select episodes by it.' }),
    sentence: Type.String(),
    remedy: Type.String(),
  },
  { $id: 'CheckRule' },
)

export const rulesReply = Type.Object({ rule_set_version: count, rules: Type.Array(checkRule) })

const partStatus = Type.Object(
  {
    status: oneOf(['none', 'queued', 'running', 'succeeded', 'failed', 'canceled', 'skipped']),
    done: Type.Integer({ description: 'Episodes.' }),
    total: count,
    message: Type.String({ description: 'What it is at, or why there is no result.' }),
    job_id: nullable(Type.String()),
    rule_set_version: nullable(
      Type.Integer({
        description: 'Of the results that are shown: a newer run may be under way. Null: there are none.',
      }),
    ),
  },
  { $id: 'CheckPartStatus' },
)

const ruleCounts = Type.Object(
  {
    id: Type.String(),
    family: nullable(family),
    kind: oneOf(['flag', 'ranking']),
    severity,
    findings: count,
    episodes: Type.Integer({ description: 'In which something was found.' }),
    unlisted: Type.Integer({ description: 'Findings beyond those that are listed.' }),
    worst: nullable(Type.Number({ description: 'The value farthest beyond the cut-off.' })),
    cut_off: nullable(Type.Number({ description: 'In force.' })),
    needs_run: Type.Boolean({
      description: 'The cut-off in force cannot be told from stored results: the counts are of the last run.',
    }),
    failed: nullable(Type.String({ description: 'Why the rule gave no result.' })),
  },
  { $id: 'CheckRuleCounts' },
)

const setValue = Type.Object(
  {
    rule: Type.String(),
    camera: nullable(Type.String()),
    value: Type.Number({ description: "In the rule's unit." }),
    confidence: Type.Number({ description: '0 to 1.' }),
    agreeing: Type.Integer({ description: 'Episodes that measure the same.' }),
    measured: Type.Integer({ description: 'Episodes that could be measured.' }),
    sentence: Type.String(),
  },
  { $id: 'CheckSetValue' },
)

const counted = Type.Object({ findings: count, episodes: count })

export const checkSummary = Type.Object(
  {
    dataset_id: Type.String(),
    revision_id: Type.String({ description: 'Of a version, its id.' }),
    revision_number: count,
    rule_set_version: Type.Integer({ description: 'Of the program; results may be of an earlier one.' }),
    signals: partStatus,
    pictures: partStatus,
    episodes: nullable(count),
    frames: nullable(count),
    cut_offs: Type.Record(Type.String(), Type.Number(), { description: 'By rule, as they are in force.' }),
    settings: Type.Object({
      cut_offs: Type.Record(Type.String(), Type.Number(), { description: "Set here; others are the rules' own." }),
      pictures: oneOf(['auto', 'always', 'never'], {
        description: '`auto`: pictures of imports up to NMP_CHECK_PICTURES_MAX_BYTES are looked at.',
      }),
    }),
    rules: Type.Array(ruleCounts, { description: 'Those that have a result, and findings of reading the files.' }),
    families: Type.Record(Type.String(), counted),
    severities: Type.Object({ error: counted, warning: counted, info: counted }),
    set_values: Type.Array(setValue, {
      description: 'What all episodes together measure: by how many frames the state follows the action (`lag`).',
    }),
    look_first: Type.Array(
      Type.Object({ episode_index: count, score: Type.Number(), reasons: Type.Array(Type.String()) }),
    ),
  },
  { $id: 'CheckSummary' },
)

const checkFinding = Type.Object(
  {
    rule: Type.String(),
    severity,
    episode_index: nullable(Type.Integer({ description: 'Null: it concerns the whole set.' })),
    frame_from: nullable(count),
    frame_to: nullable(Type.Integer({ description: 'The frame after the last.' })),
    camera: nullable(Type.String()),
    feature: nullable(Type.String()),
    value: nullable(Type.Number()),
    cut_off: nullable(Type.Number()),
    sentence: Type.String(),
    elsewhere: nullable(
      Type.Object(
        { dataset_id: Type.String(), dataset_slug: Type.String(), episode_index: count },
        { description: 'Where the same is, of rules that look at other datasets of the project.' },
      ),
    ),
  },
  { $id: 'CheckFinding' },
)

const paged = { offset: count, limit: count, total: count }
export const findingsPage = Type.Object({ ...paged, items: Type.Array(checkFinding) }, { $id: 'CheckFindings' })

const ranking = Type.Object(
  {
    rule: Type.String(),
    episode_index: count,
    value: Type.Number(),
    rank: Type.Integer({ description: '1 is the lowest of the set; equal values share one.' }),
    of: Type.Integer({ description: 'Episodes that the rule measures.' }),
    percentile: Type.Number({ description: '0 is the lowest of the set, 100 the highest.' }),
    confidence: nullable(Type.Number({ description: 'Of rules that measure how sure they are.' })),
  },
  { $id: 'CheckRanking' },
)

export const rankingsPage = Type.Object({ ...paged, items: Type.Array(ranking) }, { $id: 'CheckRankings' })

export const episodeChecks = Type.Object(
  {
    dataset_id: Type.String(),
    revision_id: Type.String({ description: 'Of a version, its id.' }),
    episode_index: count,
    findings: Type.Array(checkFinding, { description: 'The most severe first.' }),
    rankings: Type.Array(ranking, { description: 'What every rule that ranks measures of it, and its place.' }),
    look_first: nullable(
      Type.Object(
        {
          place: Type.Integer({ description: '1 is to be looked at before all others.' }),
          score: Type.Number(),
          reasons: Type.Array(Type.String()),
        },
        { description: 'Null: nothing says that it should be looked at, or a hundred others come first.' },
      ),
    ),
  },
  { $id: 'EpisodeChecks' },
)

const offset = Type.Integer({ minimum: 0, default: 0, 'x-place': true })
const limit = Type.Integer({ minimum: 1, maximum: 10_000, default: 200 })
const ruleId = Type.String({ minLength: 1, maxLength: 100 })

export const findingsQuery = Type.Object({
  rule: Type.Optional(ruleId),
  family: Type.Optional(family),
  severity: Type.Optional(severity),
  episode_index: Type.Optional(Type.Integer({ minimum: 0, 'x-place': true })),
  cut_off: Type.Optional(
    Type.Number({ description: 'Of `rule`, which must be named, instead of the one in force; up to `loosest`.' }),
  ),
  offset,
  limit,
})
export type FindingsQuery = Static<typeof findingsQuery>

export const rankingsQuery = Type.Object({
  rule: Type.Optional(ruleId),
  episode_index: Type.Optional(Type.Integer({ minimum: 0, 'x-place': true })),
  order: Type.Optional(oneOf(['episode', 'lowest', 'highest'], { default: 'episode' })),
  offset,
  limit,
})
export type RankingsQuery = Static<typeof rankingsQuery>

export const runBody = Type.Object(
  {
    pictures: Type.Optional(truth({ default: true, description: 'Whether pictures are decoded and looked at too.' })),
    again: Type.Optional(
      truth({ default: false, description: 'Also where there are results of these rules and cut-offs already.' }),
    ),
  },
  { $id: 'RunChecks', additionalProperties: false },
)

export const settingsBody = Type.Object(
  {
    cut_offs: Type.Optional(
      Type.Record(Type.String(), Type.Number(), { description: "By rule; what is left out is the rule's own." }),
    ),
    pictures: Type.Optional(oneOf(['auto', 'always', 'never'], { default: 'auto' })),
  },
  { $id: 'CheckSettings', additionalProperties: false },
)

import type { JsonObject } from '../json.ts'

/** What README.md of a dataset says: the front matter that the Hub knows, and the text below it. */
export interface DatasetCard {
  readonly title: string | null
  readonly description: string | null
  /** An id as the Hub writes them (`cc-by-4.0`), several by comma, or a name of one's own. */
  readonly licence: string | null
  readonly tags: readonly string[]
  /** ISO 639 codes. */
  readonly language: readonly string[]
  readonly citation: string | null
  /** The text below the front matter. */
  readonly markdown: string | null
  readonly workName: string | null
  readonly taskName: string | null
  readonly robotType: string | null
  readonly embodiment: string | null
  readonly robotDescriptionUri: string | null
  /** Keys of the front matter that have no meaning here; they are written back as they are. */
  readonly more: JsonObject
}

/** Longest texts and lists that are kept, in characters: what people may write in the console, too. */
export const cardBounds = {
  title: 200,
  description: 10_000,
  licence: 200,
  tag: 60,
  tags: 50,
  language: 35,
  languages: 50,
  citation: 10_000,
  markdown: 200_000,
  name: 200,
  task: 1_000,
  uri: 2_000,
  more: 20_000,
} as const

/** Under these keys a card names the robot and the work; ours, the Hub has none for them. */
export const factKeys = {
  work_name: { field: 'workName', most: cardBounds.name },
  task_name: { field: 'taskName', most: cardBounds.task },
  robot_type: { field: 'robotType', most: cardBounds.name },
  embodiment: { field: 'embodiment', most: cardBounds.name },
  robot_description_uri: { field: 'robotDescriptionUri', most: cardBounds.uri },
} as const

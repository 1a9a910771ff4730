import type { DatasetCard } from '@nmp/formats/card/dataset-card'
import type { RevisionSummary } from './revision-summary.ts'

/** What is written beside a dataset: by the card and the files of the revision it shows, unless a person said otherwise. */
export interface ShownFields {
  title: string
  description: string
  tags: string[]
  language: string[]
  licence: string | null
  citation: string | null
  cardMarkdown: string | null
  workName: string | null
  taskName: string | null
  robotType: string | null
  embodiment: string | null
  robotDescriptionUri: string | null
}

/** By the names that the API and `edited_fields` have for them. */
const shownFields = {
  title: 'title',
  description: 'description',
  tags: 'tags',
  language: 'language',
  licence: 'licence',
  citation: 'citation',
  card_markdown: 'cardMarkdown',
  work_name: 'workName',
  task_name: 'taskName',
  robot_type: 'robotType',
  embodiment: 'embodiment',
  robot_description_uri: 'robotDescriptionUri',
} as const satisfies Record<string, keyof ShownFields>

export type FieldName = keyof typeof shownFields
export const shownFieldNames = Object.keys(shownFields) as FieldName[]
type Shown<Name extends FieldName> = ShownFields[(typeof shownFields)[Name]]

/** Null takes a field back to what the source says; an empty text or list says that there is none. */
export type FieldChange = { [Name in FieldName]?: Shown<Name> | null | undefined }

const findTaskName = ({ tasks }: RevisionSummary): string | null => tasks.find((task) => task !== '') ?? null

/** People write cards, so what a card says of the robot counts before what is found in the files. */
export const listSaid = (slug: string, card: DatasetCard | null, summary: RevisionSummary): ShownFields => ({
  title: card?.title ?? slug,
  description: card?.description ?? '',
  tags: [...(card?.tags ?? [])],
  language: [...(card?.language ?? [])],
  licence: card?.licence ?? null,
  citation: card?.citation ?? null,
  cardMarkdown: card?.markdown ?? null,
  workName: card?.workName ?? summary.work_name ?? null,
  taskName: card?.taskName ?? findTaskName(summary),
  robotType: card?.robotType ?? summary.robot_type,
  embodiment: card?.embodiment ?? summary.embodiment ?? null,
  robotDescriptionUri: card?.robotDescriptionUri ?? summary.robot_description_uri ?? null,
})

export type HeldFields = ShownFields & { editedFields: FieldName[] }

/** What is shown from now on, and which of it a person set. */
export function chooseShown(held: HeldFields, said: ShownFields, change: FieldChange): HeldFields {
  const edited = new Set<FieldName>(held.editedFields)
  const take = <Name extends FieldName>(name: Name): Shown<Name> => {
    const given = change[name]
    if (given === null) edited.delete(name)
    else if (given !== undefined) edited.add(name)
    const field = shownFields[name]
    return (edited.has(name) ? (given ?? held[field]) : said[field]) as Shown<Name>
  }
  const takeText = (name: FieldName) => (take(name) as string | null) || null
  const robotType = takeText('robot_type')
  const shown: ShownFields = {
    title: take('title'),
    description: take('description'),
    tags: [...new Set(take('tags'))],
    language: [...new Set(take('language'))],
    licence: takeText('licence'),
    citation: takeText('citation'),
    cardMarkdown: takeText('card_markdown'),
    workName: takeText('work_name'),
    taskName: takeText('task_name'),
    robotType,
    embodiment: takeText('embodiment'),
    robotDescriptionUri: takeText('robot_description_uri'),
  }
  // Where nothing more is said, the type of the robot is its embodiment.
  if (!edited.has('embodiment')) shown.embodiment ??= robotType
  return { ...shown, editedFields: shownFieldNames.filter((field) => edited.has(field)) }
}

/** Where nobody edits: as the source says it. */
export const showSaid = (said: ShownFields): ShownFields => chooseShown({ ...said, editedFields: [] }, said, {})

/** As a card again, without what the stored files say by themselves; `source` is the card of the revision, whose other keys go on. */
export function toCard(
  shown: HeldFields & { slug: string },
  source: DatasetCard | null,
  summary: RevisionSummary,
): DatasetCard {
  const { license_link: link, ...more } = source?.more ?? {}
  const isLinked = link !== undefined && !shown.editedFields.includes('licence')
  return {
    title: shown.title === shown.slug ? null : shown.title,
    description: shown.description || null,
    licence: shown.licence,
    tags: shown.tags,
    language: shown.language,
    citation: shown.citation,
    markdown: shown.cardMarkdown,
    workName: shown.workName,
    taskName: shown.taskName === findTaskName(summary) ? null : shown.taskName,
    robotType: shown.robotType === summary.robot_type ? null : shown.robotType,
    embodiment: shown.embodiment === shown.robotType ? null : shown.embodiment,
    robotDescriptionUri: shown.robotDescriptionUri,
    more: isLinked ? { ...more, license_link: link } : more,
  }
}

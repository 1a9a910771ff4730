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
  card_markdown: string | null
  work_name: string | null
  task_name: string | null
  robot_type: string | null
  embodiment: string | null
  robot_description_uri: string | null
}

export const shownFieldNames = [
  'title',
  'description',
  'tags',
  'language',
  'licence',
  'citation',
  'card_markdown',
  'work_name',
  'task_name',
  'robot_type',
  'embodiment',
  'robot_description_uri',
] as const satisfies readonly (keyof ShownFields)[]

/** Null takes a field back to what the source says; an empty text or list says that there is none. */
export type FieldChange = { [Field in keyof ShownFields]?: ShownFields[Field] | null | undefined }

const findTaskName = ({ tasks }: RevisionSummary): string | null => tasks.find((task) => task !== '') ?? null

/** People write cards, so what a card says of the robot counts before what is found in the files. */
export const listSaid = (slug: string, card: DatasetCard | null, summary: RevisionSummary): ShownFields => ({
  title: card?.title ?? slug,
  description: card?.description ?? '',
  tags: [...(card?.tags ?? [])],
  language: [...(card?.language ?? [])],
  licence: card?.licence ?? null,
  citation: card?.citation ?? null,
  card_markdown: card?.markdown ?? null,
  work_name: card?.workName ?? summary.work_name ?? null,
  task_name: card?.taskName ?? findTaskName(summary),
  robot_type: card?.robotType ?? summary.robot_type,
  embodiment: card?.embodiment ?? summary.embodiment ?? null,
  robot_description_uri: card?.robotDescriptionUri ?? summary.robot_description_uri ?? null,
})

export type HeldFields = ShownFields & { edited_fields: (keyof ShownFields)[] }

/** What is shown from now on, and which of it a person set. */
export function chooseShown(held: HeldFields, said: ShownFields, change: FieldChange): HeldFields {
  const edited = new Set<keyof ShownFields>(held.edited_fields)
  const take = <Field extends keyof ShownFields>(field: Field): ShownFields[Field] => {
    const given = change[field]
    if (given === null) edited.delete(field)
    else if (given !== undefined) edited.add(field)
    if (!edited.has(field)) return said[field]
    return (given ?? held[field]) as ShownFields[Field]
  }
  const takeText = (field: keyof ShownFields) => (take(field) as string | null) || null
  const robotType = takeText('robot_type')
  const shown: ShownFields = {
    title: take('title'),
    description: take('description'),
    tags: [...new Set(take('tags'))],
    language: [...new Set(take('language'))],
    licence: takeText('licence'),
    citation: takeText('citation'),
    card_markdown: takeText('card_markdown'),
    work_name: takeText('work_name'),
    task_name: takeText('task_name'),
    robot_type: robotType,
    embodiment: takeText('embodiment'),
    robot_description_uri: takeText('robot_description_uri'),
  }
  // Where nothing more is said, the type of the robot is its embodiment.
  if (!edited.has('embodiment')) shown.embodiment ??= robotType
  return { ...shown, edited_fields: shownFieldNames.filter((field) => edited.has(field)) }
}

/** Where nobody edits: as the source says it. */
export const showSaid = (said: ShownFields): ShownFields => chooseShown({ ...said, edited_fields: [] }, said, {})

/** As a card again, without what the stored files say by themselves; `source` is the card of the revision, whose other keys go on. */
export function toCard(
  shown: HeldFields & { slug: string },
  source: DatasetCard | null,
  summary: RevisionSummary,
): DatasetCard {
  const { license_link: link, ...more } = source?.more ?? {}
  const isLinked = link !== undefined && !shown.edited_fields.includes('licence')
  return {
    title: shown.title === shown.slug ? null : shown.title,
    description: shown.description || null,
    licence: shown.licence,
    tags: shown.tags,
    language: shown.language,
    citation: shown.citation,
    markdown: shown.card_markdown,
    workName: shown.work_name,
    taskName: shown.task_name === findTaskName(summary) ? null : shown.task_name,
    robotType: shown.robot_type === summary.robot_type ? null : shown.robot_type,
    embodiment: shown.embodiment === shown.robot_type ? null : shown.embodiment,
    robotDescriptionUri: shown.robot_description_uri,
    more: isLinked ? { ...more, license_link: link } : more,
  }
}

import { sql } from 'kysely'
import type { Transaction } from '../../db/database.ts'
import type { RevisionSummary } from '../revision-summary.ts'
import { classOf, listTasks, splitWords } from './entry-words.ts'

/** Brings the entry of a dataset to what its rows say now: there while it is public and not about to be deleted. */
export const refreshEntry = async (trx: Transaction, datasetId: string): Promise<void> => {
  await sql`delete from catalog_entries where dataset_id = ${datasetId}`.execute(trx)
  const { rows } = await sql<EntryContent>`
    select coalesce(dataset.published_at, now()) as "publishedAt", dataset.title, dataset.tags, revision.summary,
      revision.source_kind as "sourceKind", dataset.robot_type as "robotType", dataset.task_name as "taskName",
      concat_ws(' ', dataset.title, dataset.slug, org.slug, revision.hf_repo_id, dataset.work_name, dataset.robot_type,
        dataset.embodiment, dataset.description) as text
    from datasets dataset
    join dataset_revisions revision on revision.id = dataset.current_revision_id
    join projects project on project.id = dataset.project_id
    join organizations org on org.id = project.org_id
    where dataset.id = ${datasetId} and dataset.visibility = 'public' and dataset.deletion_requested_at is null`.execute(
    trx,
  )
  const [row] = rows
  if (row) await insertEntry(trx, { dataset_id: datasetId, version_id: null }, row)
}

/** The same of a version, from what everybody is shown of it; nothing is shown of one that is not public. */
export const putVersionEntry = async (
  trx: Transaction,
  versionId: string,
  content: EntryContent | undefined,
): Promise<void> => {
  await sql`delete from catalog_entries where version_id = ${versionId}`.execute(trx)
  if (content) await insertEntry(trx, { dataset_id: null, version_id: versionId }, content)
}

export interface EntryContent {
  publishedAt: Date
  title: string
  tags: string[]
  sourceKind: string
  summary: RevisionSummary
  robotType: string | null
  taskName: string | null
  text: string
}

async function insertEntry(
  trx: Transaction,
  subject: { dataset_id: string | null; version_id: string | null },
  { publishedAt, title, tags, sourceKind, summary, robotType, taskName, text }: EntryContent,
): Promise<void> {
  const tasks = listTasks(taskName, summary)
  const words = splitWords([text, ...tags, ...tasks].join(' '))
  // A Date has milliseconds, and so has the cursor made of it: finer ones would be skipped or repeated.
  await sql`
    insert into catalog_entries (dataset_id, version_id, published_at, robot_type, tags, tasks, size_class, words, title,
      total_seconds, total_episodes, size_bytes, camera_count, source_kind)
    values (${subject.dataset_id}, ${subject.version_id}, ${publishedAt}, ${robotType}, ${tags}::text[],
      ${tasks}::text[], ${classOf(summary.total_episodes)}, array_to_tsvector(${words}::text[]), ${title},
      ${summary.total_seconds}, ${summary.total_episodes}, ${summary.size_bytes}, ${summary.camera_keys.length},
      ${sourceKind})`.execute(trx)
}

import { sql } from 'kysely'
import type { RevisionSummary } from '../datasets/revision-summary.ts'
import type { Database, Transaction } from '../db/database.ts'

/** What browsing may narrow down to. */
export interface BrowseFilter {
  /** Lower-case words, letters and digits only; each must begin a word of the entry. */
  words: readonly string[]
  robotType?: string | undefined
  tag?: string | undefined
  task?: string | undefined
  size?: string | undefined
}

export const facetNames = ['robot_type', 'tag', 'task', 'size'] as const
export type FacetName = (typeof facetNames)[number]

export const sizeClasses = ['under-100', '100-to-1k', '1k-to-10k', 'over-10k'] as const

/** Brings the entry of a dataset to what its rows say now: there while it is public and not about to be deleted. */
export const refreshEntry = async (trx: Transaction, datasetId: string): Promise<void> => {
  await sql`delete from catalog_entries where dataset_id = ${datasetId}`.execute(trx)
  const { rows } = await sql<{ publishedAt: Date; tags: string[]; summary: RevisionSummary; text: string }>`
    select coalesce(dataset.published_at, now()) as "publishedAt", dataset.tags, revision.summary,
      concat_ws(' ', dataset.title, dataset.slug, org.slug, revision.hf_repo_id, dataset.description) as text
    from datasets dataset
    join dataset_revisions revision on revision.id = dataset.current_revision_id
    join projects project on project.id = dataset.project_id
    join organizations org on org.id = project.org_id
    where dataset.id = ${datasetId} and dataset.visibility = 'public' and dataset.deletion_requested_at is null`.execute(
    trx,
  )
  const [row] = rows
  if (!row) return
  const { publishedAt, tags, summary } = row
  const words = splitWords([row.text, ...tags, ...summary.tasks, summary.robot_type ?? ''].join(' '))
  // A Date has milliseconds, and so has the cursor made of it: finer ones would be skipped or repeated.
  await sql`
    insert into catalog_entries (dataset_id, published_at, robot_type, tags, tasks, size_class, words)
    values (${datasetId}, ${publishedAt}, ${summary.robot_type}, ${tags}::text[], ${summary.tasks}::text[],
      ${classOf(summary.total_episodes)}, array_to_tsvector(${words}::text[]))`.execute(trx)
}

/** Letters and digits of any script, made by us: PostgreSQL's own split depends on the locale of the database. */
export const splitWords = (text: string): string[] => {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
  return [...new Set(words.filter((word) => word !== '').map((word) => word.slice(0, 100)))].slice(0, maxWords)
}

const maxWords = 2_000

const classOf = (episodeCount: number): (typeof sizeClasses)[number] =>
  episodeCount < 100
    ? 'under-100'
    : episodeCount < 1_000
      ? '100-to-1k'
      : episodeCount < 10_000
        ? '1k-to-10k'
        : 'over-10k'

/** Newest first. */
export const listEntries = async (
  db: Database,
  filter: BrowseFilter,
  limit: number,
  after: { publishedAt: Date; datasetId: string } | undefined,
): Promise<{ datasetId: string; publishedAt: Date }[]> => {
  const { rows } = await sql<{ datasetId: string; publishedAt: Date }>`
    select dataset_id as "datasetId", published_at as "publishedAt" from catalog_entries
    where ${whereOf(filter)}
      and ${after ? sql`(published_at, dataset_id) < (${after.publishedAt}, ${after.datasetId})` : sql`true`}
    order by published_at desc, dataset_id desc limit ${limit}`.execute(db)
  return rows
}

export const countEntries = async (db: Database, filter: BrowseFilter): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from catalog_entries where ${whereOf(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** How many entries each value would leave, by the other filters: its own is not counted in, so that one can change one's mind. */
export const countFacet = async (
  db: Database,
  filter: BrowseFilter,
  facet: FacetName,
  limit: number,
): Promise<{ value: string; count: number }[]> => {
  const others = {
    robot_type: { ...filter, robotType: undefined },
    tag: { ...filter, tag: undefined },
    task: { ...filter, task: undefined },
    size: { ...filter, size: undefined },
  }[facet]
  const value = {
    robot_type: sql`robot_type as value from catalog_entries`,
    tag: sql`value from catalog_entries cross join unnest(tags) as value`,
    task: sql`value from catalog_entries cross join unnest(tasks) as value`,
    size: sql`size_class as value from catalog_entries`,
  }[facet]
  const { rows } = await sql<{ value: string; count: number }>`
    select value, count(*) as count from (select ${value} where ${whereOf(others)}) found
    where value is not null and value <> '' group by value order by count desc, value limit ${limit}`.execute(db)
  return rows
}

const whereOf = ({ words, robotType, tag, task, size }: BrowseFilter) => {
  const conditions = [sql`true`]
  if (words.length > 0) conditions.push(sql`words @@ ${words.map((word) => `'${word}':*`).join(' & ')}::tsquery`)
  if (robotType !== undefined) conditions.push(sql`robot_type = ${robotType}`)
  if (tag !== undefined) conditions.push(sql`tags @> array[${tag}]::text[]`)
  if (task !== undefined) conditions.push(sql`tasks @> array[${task}]::text[]`)
  if (size !== undefined) conditions.push(sql`size_class = ${size}`)
  return sql.join(conditions, sql` and `)
}

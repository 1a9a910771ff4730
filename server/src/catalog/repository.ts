import { sql } from 'kysely'
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
  await sql`
    insert into catalog_entries (dataset_id, published_at, robot_type, tags, tasks, size_class, words)
    select dataset.id, date_trunc('milliseconds', coalesce(dataset.published_at, now())),
      revision.summary ->> 'robot_type', dataset.tags, tasks.list,
      case when episodes.count < 100 then 'under-100' when episodes.count < 1000 then '100-to-1k'
        when episodes.count < 10000 then '1k-to-10k' else 'over-10k' end,
      to_tsvector('simple', left(regexp_replace(concat_ws(' ', dataset.title, dataset.slug, org.slug, dataset.description,
        array_to_string(dataset.tags, ' '), array_to_string(tasks.list, ' '), revision.summary ->> 'robot_type',
        revision.hf_repo_id), '[^[:alnum:]]+', ' ', 'g'), 20000))
    from datasets dataset
    join dataset_revisions revision on revision.id = dataset.current_revision_id
    join projects project on project.id = dataset.project_id
    join organizations org on org.id = project.org_id
    cross join lateral (select coalesce(array_agg(value), '{}') as list
      from jsonb_array_elements_text(revision.summary -> 'tasks')) tasks
    cross join lateral (select (revision.summary ->> 'total_episodes')::bigint as count) episodes
    where dataset.id = ${datasetId} and dataset.visibility = 'public' and dataset.deletion_requested_at is null`.execute(
    trx,
  )
}

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
  if (words.length > 0)
    conditions.push(sql`words @@ to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(' & ')})`)
  if (robotType !== undefined) conditions.push(sql`robot_type = ${robotType}`)
  if (tag !== undefined) conditions.push(sql`tags @> array[${tag}]::text[]`)
  if (task !== undefined) conditions.push(sql`tasks @> array[${task}]::text[]`)
  if (size !== undefined) conditions.push(sql`size_class = ${size}`)
  return sql.join(conditions, sql` and `)
}

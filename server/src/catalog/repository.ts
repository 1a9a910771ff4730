import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** What browsing may narrow down to. */
export interface BrowseFilter {
  /** Lower-case words, letters and digits only; each must begin a word of the entry. */
  words: readonly string[]
  robotType?: string | undefined
  tag?: string | undefined
  task?: string | undefined
  size?: string | undefined
  cameras?: string | undefined
  sourceKind?: string | undefined
  ranges?: Partial<Record<MeasureName, Range>> | undefined
}

interface Range {
  low?: number | undefined
  high?: number | undefined
}

export const facetNames = ['robot_type', 'tag', 'task', 'size', 'cameras', 'source_kind'] as const
export type FacetName = (typeof facetNames)[number]

export const cameraClasses = ['0', '1', '2', '3', '4-or-more'] as const

/** What has a histogram and can be narrowed to a range. */
export const measureNames = ['seconds', 'bytes', 'episodes'] as const
export type MeasureName = (typeof measureNames)[number]
const measures = {
  seconds: sql.ref('total_seconds'),
  bytes: sql.ref('size_bytes'),
  episodes: sql.ref('total_episodes'),
}

export const browseSorts = ['newest', 'name', 'recorded', 'episodes', 'size'] as const
export type BrowseSort = (typeof browseSorts)[number]

/** Each ends in the id, so that equal ones have an order and a page its end. */
const orders = {
  newest: { key: sql`published_at`, type: sql`timestamptz`, isDown: true },
  name: { key: sql`lower(title) collate "C"`, type: sql`text`, isDown: false },
  recorded: { key: sql`total_seconds`, type: sql`double precision`, isDown: true },
  episodes: { key: sql`total_episodes`, type: sql`bigint`, isDown: true },
  size: { key: sql`size_bytes`, type: sql`bigint`, isDown: true },
} as const

export interface EntryPlace {
  /** What the list is sorted by, as text. */
  key: string
  id: string
}

export const listEntries = async (
  db: Database,
  filter: BrowseFilter,
  sort: BrowseSort,
  limit: number,
  after: EntryPlace | undefined,
): Promise<{ id: string; publishedAt: Date; key: string | number | Date }[]> => {
  const { key, type, isDown } = orders[sort]
  const direction = isDown ? sql`desc` : sql`asc`
  const beyond = after ? sql`(${key}, id) ${isDown ? sql`<` : sql`>`} (${after.key}::${type}, ${after.id})` : sql`true`
  const { rows } = await sql<{ id: string; publishedAt: Date; key: string | number | Date }>`
    select id, published_at as "publishedAt", ${key} as key from catalog_entries
    where ${whereOf(filter)} and ${beyond}
    order by ${key} ${direction}, id ${direction} limit ${limit}`.execute(db)
  return rows
}

export interface EntryTotals {
  count: number
  episodes: number
  seconds: number
  bytes: number
}

export const sumEntries = async (db: Database, filter: BrowseFilter): Promise<EntryTotals> => {
  const { rows } = await sql<EntryTotals>`
    select count(*) as count, coalesce(sum(total_episodes), 0)::double precision as episodes,
      coalesce(sum(total_seconds), 0) as seconds, coalesce(sum(size_bytes), 0)::double precision as bytes
    from catalog_entries where ${whereOf(filter)}`.execute(db)
  return rows[0] ?? { count: 0, episodes: 0, seconds: 0, bytes: 0 }
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
    cameras: { ...filter, cameras: undefined },
    source_kind: { ...filter, sourceKind: undefined },
  }[facet]
  const value = {
    robot_type: sql`robot_type as value from catalog_entries`,
    tag: sql`value from catalog_entries cross join unnest(tags) as value`,
    task: sql`value from catalog_entries cross join unnest(array_remove(tasks, '')) as value`,
    size: sql`size_class as value from catalog_entries`,
    cameras: sql`${cameraClass} as value from catalog_entries`,
    source_kind: sql`source_kind as value from catalog_entries`,
  }[facet]
  const { rows } = await sql<{ value: string; count: number }>`
    select value, count(*) as count from (select ${value} where ${whereOf(others)}) found
    where value is not null and value <> '' group by value order by count desc, value limit ${limit}`.execute(db)
  return rows
}

const cameraClass = sql`case when camera_count > 3 then '4-or-more' else camera_count::text end`

/** Bins of half a power of ten from 1 on; bin n begins at 10 ^ (n / 2). Like facets, each without its own filter. */
export const countBins = async (
  db: Database,
  filter: BrowseFilter,
): Promise<{ name: MeasureName; bin: number; count: number }[]> => {
  const values = measureNames.map((name) => sql`(${sql.lit(name)}, ${measures[name]}::double precision)`)
  const ranges = measureNames.flatMap((name) => {
    const range = filter.ranges?.[name]
    return range ? [sql`(name = ${sql.lit(name)} or (${insideOf(name, range)}))`] : []
  })
  const { rows } = await sql<{ name: MeasureName; bin: number; count: number }>`
    select name, floor(log(greatest(value, 1)) * 2)::integer as bin, count(*) as count
    from catalog_entries cross join lateral (values ${sql.join(values)}) as measured (name, value)
    where ${sql.join([whereOf({ ...filter, ranges: undefined }), ...ranges], sql` and `)}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** As double precision: a bound may be a fraction, and beyond what a count's type holds. */
const insideOf = (name: MeasureName, { low = 0, high }: Range) => {
  const atMost = high === undefined ? sql`true` : sql`${measures[name]} <= ${high}::double precision`
  return sql`${measures[name]} >= ${low}::double precision and ${atMost}`
}

const whereOf = ({ words, robotType, tag, task, size, cameras, sourceKind, ranges = {} }: BrowseFilter) => {
  const conditions = [sql`true`]
  if (words.length > 0) conditions.push(sql`words @@ ${words.map((word) => `'${word}':*`).join(' & ')}::tsquery`)
  if (robotType !== undefined) conditions.push(sql`robot_type = ${robotType}`)
  if (tag !== undefined) conditions.push(sql`tags @> array[${tag}]::text[]`)
  if (task !== undefined) conditions.push(sql`tasks @> array[${task}]::text[]`)
  if (size !== undefined) conditions.push(sql`size_class = ${size}`)
  if (cameras !== undefined) conditions.push(sql`${cameraClass} = ${cameras}`)
  if (sourceKind !== undefined) conditions.push(sql`source_kind = ${sourceKind}`)
  for (const name of measureNames) {
    const range = ranges[name]
    if (range) conditions.push(insideOf(name, range))
  }
  return sql.join(conditions, sql` and `)
}

import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

/** What browsing may narrow down to. */
export interface BrowseFilter {
  /** Lower-case words, letters and digits only; each must begin a word of the entry. */
  words: readonly string[]
  facets: Partial<Record<FacetName, string>>
  ranges: Partial<Record<MeasureName, Range>>
}

export interface Range {
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

/** What is counted of an entry. A facet may have no value, or several; tags and tasks do. */
export type EntryRow = { number: number } & Record<MeasureName, number> & Record<FacetName, readonly string[]>

/** Of all numbers: another one where an entry has come, gone or changed. */
export const getEntryMark = async (db: Database): Promise<string> => {
  const { rows } = await sql<{ mark: string }>`
    select count(*) || ' ' || coalesce(bit_xor(hashint8extended(number, 0)), 0) as mark from catalog_entries`.execute(
    db,
  )
  return rows[0]?.mark ?? ''
}

/** Ascending; of all entries, or of those that have the words. As one text: a hundred thousand rows are slow to read. */
export const listEntryNumbers = async (db: Database, words: readonly string[] = []): Promise<Float64Array> => {
  const { rows } = await sql<{ numbers: string | null }>`
    select string_agg(number::text, ' ') as numbers from catalog_entries where ${hasWords(words)}`.execute(db)
  return parseNumbers(rows[0]?.numbers ?? '').sort()
}

/** Of digits and single spaces: splitting such a text takes ten times as long. */
function parseNumbers(text: string): Float64Array {
  if (text === '') return new Float64Array(0)
  const space = 32
  let count = 1
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === space) count++
  const numbers = new Float64Array(count)
  let [place, number] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === space) {
      numbers[place++] = number
      number = 0
    } else number = number * 10 + code - 48
  }
  numbers[place] = number
  return numbers
}

/** Those of them that are still there, ascending. */
export const listEntryRows = async (db: Database, numbers: Float64Array): Promise<EntryRow[]> => {
  const { rows } = await sql<{ found: EntryRow[] | null }>`
    select json_agg(json_build_object('number', number, 'seconds', total_seconds, 'bytes', size_bytes,
      'episodes', total_episodes, 'robot_type', array_remove(array[coalesce(robot_type, '')], ''), 'tag', tags,
      'task', array_remove(tasks, ''), 'size', array[size_class], 'cameras', array[${cameraClass}],
      'source_kind', array[source_kind]) order by number) as found
    from catalog_entries where number = any(${[...numbers]}::bigint[])`.execute(db)
  return rows[0]?.found ?? []
}

const cameraClass = sql`case when camera_count > 3 then '4-or-more' else camera_count::text end`

/** As double precision: a bound may be a fraction, and beyond what a count's type holds. */
const insideOf = (name: MeasureName, { low = 0, high }: Range) => {
  const atMost = high === undefined ? sql`true` : sql`${measures[name]} <= ${high}::double precision`
  return sql`${measures[name]} >= ${low}::double precision and ${atMost}`
}

const hasWords = (words: readonly string[]) =>
  words.length === 0 ? sql`true` : sql`words @@ ${words.map((word) => `'${word}':*`).join(' & ')}::tsquery`

const hasValue: Record<FacetName, (value: string) => ReturnType<typeof insideOf>> = {
  robot_type: (value) => sql`robot_type = ${value}`,
  tag: (value) => sql`tags @> array[${value}]::text[]`,
  task: (value) => sql`tasks @> array[${value}]::text[]`,
  size: (value) => sql`size_class = ${value}`,
  cameras: (value) => sql`${cameraClass} = ${value}`,
  source_kind: (value) => sql`source_kind = ${value}`,
}

const whereOf = ({ words, facets, ranges }: BrowseFilter) => {
  const values = facetNames.flatMap((name) => (facets[name] === undefined ? [] : [hasValue[name](facets[name])]))
  const inside = measureNames.flatMap((name) => (ranges[name] ? [insideOf(name, ranges[name])] : []))
  return sql.join([hasWords(words), ...values, ...inside], sql` and `)
}

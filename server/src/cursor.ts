import { invalidValue } from './errors.ts'

/** Where a page ended. It names a place, never a right: whoever sends it sees only what they may see anyway. */
const encodeCursor = (place: string): string => Buffer.from(place).toString('base64url')

export function decodeCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const place = Buffer.from(cursor, 'base64url').toString()
  if (place === '' || place.includes('\0') || encodeCursor(place) !== cursor)
    throw invalidValue(['query', 'cursor'], 'send the next_cursor of the previous page unchanged', cursor)
  return place
}

/** Cuts a query that asked for one row more than the page, and names the place where the next one starts. */
export function cutPage<Row>(
  rows: Row[],
  limit: number,
  placeOf: (row: Row) => string,
): { rows: Row[]; nextCursor: string | null } {
  const last = rows[limit - 1]
  if (rows.length <= limit || last === undefined) return { rows, nextCursor: null }
  return { rows: rows.slice(0, limit), nextCursor: encodeCursor(placeOf(last)) }
}

export interface ListRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

const pageLimit = 200
const readAtOnce = 1_000

/** A page where one is asked for; else everything, read a thousand rows at a time. `read` gives rows after a place, in the order of their places. */
export async function readList<Row>(
  { limit, cursor }: ListRequest,
  read: (limit: number, after: string | undefined) => Promise<Row[]>,
  placeOf: (row: Row) => string,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  if (limit !== undefined || cursor !== undefined) {
    const size = limit ?? pageLimit
    return cutPage(await read(size + 1, decodeCursor(cursor)), size, placeOf)
  }
  const rows: Row[] = []
  for (let last: Row | undefined; ; last = rows.at(-1)) {
    const more = await read(readAtOnce, last === undefined ? undefined : placeOf(last))
    for (const row of more) rows.push(row)
    if (more.length < readAtOnce) return { rows, nextCursor: null }
  }
}

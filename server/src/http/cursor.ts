import { invalidValue } from '../errors.ts'

/** Where a page ended. It names a place, never a right: whoever sends it sees only what they may see anyway. */
const encodeCursor = (place: string): string => Buffer.from(place).toString('base64url')

export function decodeCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const place = Buffer.from(cursor, 'base64url').toString()
  if (place === '' || place.includes('\0') || encodeCursor(place) !== cursor)
    throw invalidValue(['query', 'cursor'], 'send the next_cursor of the page before, unchanged', cursor)
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

import { createHash } from 'node:crypto'
import { ValidationError } from './errors.ts'

/** A list whose pages follow each other: a cursor of one is refused by every other, also of the same kind. */
export interface Cursors {
  /** The place after which a page starts; undefined for the first one. */
  decode(cursor: string | undefined): string | undefined
  /** Cuts a query that asked for one row more than the page, and names the place where the next one starts. */
  cut<Row>(rows: Row[], limit: number, placeOf: (row: Row) => string): { rows: Row[]; nextCursor: string | null }
  refusal(cursor: string | undefined): ValidationError
}

const markCharacters = 8

/**
 * Of the list that these words name: its kind, whose it is, its order. A cursor names a place in it and never a right: whoever sends it
 * sees only what they may see anyway.
 */
export function cursorsOf(...list: readonly string[]): Cursors {
  const mark = createHash('sha256').update(list.join('\0')).digest('base64url').slice(0, markCharacters)
  const encode = (place: string): string => mark + Buffer.from(place).toString('base64url')
  const refusal = (cursor: string | undefined): ValidationError =>
    new ValidationError([
      {
        loc: ['query', 'cursor'],
        msg: 'Value error, send the next_cursor of the previous page of this list unchanged',
        type: 'invalid_cursor',
        input: cursor,
      },
    ])
  return {
    refusal,
    decode(cursor) {
      if (cursor === undefined) return undefined
      const place = Buffer.from(cursor.slice(markCharacters), 'base64url').toString()
      if (place === '' || place.includes('\0') || encode(place) !== cursor) throw refusal(cursor)
      return place
    },
    cut(rows, limit, placeOf) {
      const last = rows[limit - 1]
      if (rows.length <= limit || last === undefined) return { rows, nextCursor: null }
      return { rows: rows.slice(0, limit), nextCursor: encode(placeOf(last)) }
    },
  }
}

export interface ListRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

const pageLimit = 200
const readAtOnce = 1_000

/** A page where one is asked for; else everything, read a thousand rows at a time. `read` gives rows after a place, in the order of their places. */
export async function readList<Row>(
  cursors: Cursors,
  { limit, cursor }: ListRequest,
  read: (limit: number, after: string | undefined) => Promise<Row[]>,
  placeOf: (row: Row) => string,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  if (limit !== undefined || cursor !== undefined) {
    const size = limit ?? pageLimit
    return cursors.cut(await read(size + 1, cursors.decode(cursor)), size, placeOf)
  }
  const rows: Row[] = []
  for (let last: Row | undefined; ; last = rows.at(-1)) {
    const more = await read(readAtOnce, last === undefined ? undefined : placeOf(last))
    for (const row of more) rows.push(row)
    if (more.length < readAtOnce) return { rows, nextCursor: null }
  }
}

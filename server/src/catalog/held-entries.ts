import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import { EntryColumns } from './entry-columns.ts'
import { countColumns, type EntryCounts } from './entry-counts.ts'
import { type BrowseFilter, type EntryRow, getEntryMark, listEntryNumbers, listEntryRows } from './repository.ts'

/** Of more entries than this, what is held is looked after when it is older than `freshMs`, and waited for only after `heldMs`. */
const manyEntries = 20_000
const freshMs = 10_000
const heldMs = 300_000
const rowsAtOnce = 5_000

interface Held {
  columns: EntryColumns
  /** Of the numbers that the columns were brought to. */
  mark: string
  lookedAt: number
  looking: Promise<void> | undefined
}
const heldOf = new WeakMap<object, Held>()

/**
 * Counting in the database goes through every entry that is left, for each facet: most of a second with a hundred thousand. A process
 * holds what is counted, and asks the database only whether entries have come or gone since, and which have the words.
 */
export async function countEntries(context: Context, filter: BrowseFilter): Promise<EntryCounts> {
  const held = await holdEntries(context)
  if (filter.words.length === 0) return countColumns(held.columns, filter)
  const found = await context.replica.read((db) => listEntryNumbers(db, filter.words))
  return countColumns(held.columns, filter, markFound(held.columns, found))
}

/** Also for the start of a program: who comes first need not wait until all entries are read. */
export async function holdEntries(context: Context): Promise<Held> {
  const held = heldOf.get(context.db) ?? {
    columns: new EntryColumns(),
    mark: '',
    lookedAt: Number.NEGATIVE_INFINITY,
    looking: undefined,
  }
  heldOf.set(context.db, held)
  const age = Date.now() - held.lookedAt
  const isLarge = held.columns.count > manyEntries
  if (isLarge && age <= freshMs) return held
  if (isLarge && age <= heldMs) {
    // Who asks next looks again, and is told what went wrong when what is held is too old.
    beginLook(context, held).catch(() => undefined)
    return held
  }
  // One that is under way may have begun before what this asker knows of.
  await held.looking?.catch(() => undefined)
  await beginLook(context, held)
  return held
}

function beginLook(context: Context, held: Held): Promise<void> {
  held.looking ??= look(context, held).finally(() => {
    held.looking = undefined
  })
  return held.looking
}

async function look(context: Context, held: Held): Promise<void> {
  await context.replica.read(async (db) => {
    const mark = await getEntryMark(db)
    if (mark === held.mark) return
    await bringUp(db, held)
    held.mark = mark
  })
  held.lookedAt = Date.now()
}

/** Numbers only grow, but a transaction may end after a later one: from the first number that is missing on all is read again. */
async function bringUp(db: Database, held: Held): Promise<void> {
  const wanted = await listEntryNumbers(db)
  const { columns } = held
  const isKept = new Uint8Array(columns.count)
  let [place, at] = [0, 0]
  for (; place < wanted.length; place++) {
    while (at < columns.count && (columns.numbers[at] as number) < (wanted[place] as number)) at++
    if (at === columns.count || columns.numbers[at] !== wanted[place]) break
    isKept[at] = 1
  }
  // Names of entries that are gone stay in the columns: these are made anew before they are mostly that.
  const isNew = columns.count === 0 || columns.droppedCount > columns.count
  if (isNew) held.columns = await readColumns(db, wanted)
  else {
    const rows: EntryRow[] = []
    for await (const some of readRows(db, wanted.subarray(place))) rows.push(...some)
    // Both at once: others count meanwhile.
    columns.keep(isKept)
    columns.add(rows)
  }
}

async function readColumns(db: Database, numbers: Float64Array): Promise<EntryColumns> {
  const columns = new EntryColumns()
  for await (const rows of readRows(db, numbers)) columns.add(rows)
  return columns
}

async function* readRows(db: Database, numbers: Float64Array): AsyncGenerator<EntryRow[]> {
  for (let from = 0; from < numbers.length; from += rowsAtOnce)
    yield await listEntryRows(db, numbers.subarray(from, from + rowsAtOnce))
}

/** Both are ascending. */
function markFound({ numbers, count }: EntryColumns, found: Float64Array): Uint8Array {
  const isFound = new Uint8Array(count)
  let at = 0
  for (const number of found) {
    while (at < count && (numbers[at] as number) < number) at++
    if (at < count && numbers[at] === number) isFound[at] = 1
  }
  return isFound
}

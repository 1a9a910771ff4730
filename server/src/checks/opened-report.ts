import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Context } from '../context.ts'
import * as repository from './repository.ts'
import { type StoredReport, unpackReport } from './stored-report.ts'
import type { CheckPart } from './tables.ts'

/** While somebody drags a cut-off, the same report is read many times. */
const mostHeld = 16
const held = new WeakMap<Context, BoundedMap<string, Promise<StoredReport | undefined>>>()

export function openReport(
  context: Context,
  subjectId: string,
  { part, hasReport, updatedAt }: repository.PartRow,
): Promise<StoredReport | undefined> {
  if (!hasReport) return Promise.resolve(undefined)
  const known = held.get(context) ?? new BoundedMap<string, Promise<StoredReport | undefined>>(mostHeld)
  held.set(context, known)
  const key = `${subjectId} ${part} ${updatedAt.getTime()}`
  const opened = known.get(key) ?? readReport(context, subjectId, part)
  known.set(key, opened)
  opened.catch(() => known.delete(key))
  return opened
}

async function readReport({ db }: Context, subjectId: string, part: CheckPart): Promise<StoredReport | undefined> {
  const bytes = await repository.findReport(db, subjectId, part)
  return bytes && unpackReport(bytes)
}

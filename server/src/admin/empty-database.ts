import type pg from 'pg'
import {
  findUsedTable,
  lockTables,
  type SequenceState,
  setSequence,
  suspendRules,
  type TableShape,
} from './backup-catalog.ts'

/** Throws where a program has been: rows of two databases would be mixed. */
export async function requireEmpty(
  client: pg.ClientBase,
  tables: readonly TableShape[],
  remedy: string,
): Promise<void> {
  const used = await findUsedTable(client, tables)
  if (used !== undefined)
    throw new Error(`The database is not empty (${used} has rows): ${remedy} Nothing was changed.`)
}

/** Everything that `load` brings, or nothing: one transaction, in which tables come in any order. `load` answers the sequences. */
export async function fillEmptyDatabase(
  client: pg.PoolClient,
  tables: readonly TableShape[],
  remedy: string,
  load: () => Promise<readonly SequenceState[]>,
): Promise<void> {
  await client.query('begin')
  try {
    await lockTables(client, tables, 'access exclusive')
    await requireEmpty(client, tables, remedy)
    const resumeRules = await suspendRules(client)
    for (const sequence of await load()) await setSequence(client, sequence)
    await resumeRules()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
  await client.query('analyze')
}

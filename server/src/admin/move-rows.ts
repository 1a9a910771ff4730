import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import {
  describeCopy,
  inLongSession,
  listSequences,
  listTables,
  lockTables,
  type TableShape,
} from './backup-catalog.ts'
import { fillEmptyDatabase, requireEmpty } from './empty-database.ts'

const remedy = 'everything is moved into a new one. Name another in NMP_DATABASE_URL or NMP_DATA_DIR of the settings.'

export const requireNewDatabase = (pool: pg.Pool): Promise<void> =>
  inLongSession(pool, async (client) => requireEmpty(client, await listTables(client), remedy))

/** Every table as of one moment, straight from one server into the other: all of them, or none. */
export async function moveRows(from: pg.Pool, to: pg.Pool): Promise<{ tables: number; rows: number }> {
  return inLongSession(from, (source) =>
    inLongSession(to, async (target) => {
      await source.query('begin isolation level repeatable read read only')
      const tables = await listTables(source)
      await lockTables(source, tables, 'access share')
      let rows = 0
      await fillEmptyDatabase(target, tables, remedy, async () => {
        for (const table of tables) rows += await moveTable(source, target, table)
        return listSequences(source)
      })
      await source.query('commit')
      return { tables: tables.length, rows }
    }),
  )
}

async function moveTable(source: pg.PoolClient, target: pg.PoolClient, table: TableShape): Promise<number> {
  const read = source.query(copyTo(`${describeCopy(source, table)} to stdout`))
  const written = target.query(copyFrom(`${describeCopy(target, table)} from stdin`))
  await pipeline(read, written)
  // The number of rows comes after the last of them; whatever is asked next is answered after that.
  await source.query('select')
  if (written.rowCount !== read.rowCount)
    throw new Error(`${table.name} came to ${written.rowCount} rows instead of ${read.rowCount}. No row was moved.`)
  return read.rowCount
}

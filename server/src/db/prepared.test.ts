import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { prepared } from './prepared.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 1 })
})
afterAll(() => database.close())

const listPrepared = async () => {
  const { rows } = await database.pool.query(
    'select name, generic_plans + custom_plans as runs from pg_prepared_statements',
  )
  return rows
}

test('a marked statement is prepared once and run by its name; others are not prepared', async () => {
  for (const value of [1, 2, 3]) {
    const { rows } = await sql`${prepared('twice')} select ${value}::int * 2 as double`.execute(database.db)
    expect(rows).toEqual([{ double: value * 2 }])
  }
  await sql`select ${1}::int`.execute(database.db)
  expect(await listPrepared()).toEqual([{ name: 'twice', runs: 3 }])
})

test('the pool is answered too, as well as by a statement without a mark', async () => {
  const { rows } = await database.pool.query('/* prepared by-pool */ select $1::int as value', [7])
  expect(rows).toEqual([{ value: 7 }])
})

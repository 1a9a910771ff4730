import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { inTransaction } from './database.ts'
import { migrateDatabase, migrationFolder, readSchemaVersion } from './migrations.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'nmp-migrations-'))
  await cp(migrationFolder, folder, { recursive: true })
})

afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const refusal = (): Promise<string> =>
  migrateDatabase(database.pool, folder).then(
    () => 'accepted',
    (error: Error) => error.message,
  )

test('a migrated database stays as it is, also when many programs start at once', async () => {
  const versions = await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(database.pool)))
  expect(new Set(versions)).toEqual(new Set([await readSchemaVersion()]))
})

test('programs that start together on an empty database apply each file once', async () => {
  await writeFile(join(folder, '9000_counted.sql'), 'create table counted (n int); insert into counted values (1);')
  await Promise.all(Array.from({ length: 5 }, () => migrateDatabase(database.pool, folder)))
  expect((await database.pool.query('select count(*) from counted')).rows).toEqual([{ count: 1 }])
})

test('a file that fails leaves nothing behind and says which it was', async () => {
  await writeFile(join(folder, '9001_broken.sql'), 'create table half (n int); select no_such_function();')
  expect(await refusal()).toMatch(/Migration 9001_broken\.sql failed and was undone: .*no_such_function/)
  expect((await database.pool.query("select to_regclass('half') as half")).rows).toEqual([{ half: null }])
  await rm(join(folder, '9001_broken.sql'))
})

test('a newer schema, an edited file and a late file are refused', async () => {
  await expect(migrateDatabase(database.pool)).rejects.toThrow(/has schema version 9000, and this program knows/)
  await writeFile(join(folder, '9000_counted.sql'), 'create table counted (n bigint);')
  expect(await refusal()).toMatch('9000_counted.sql was changed after it ran on this database')
  await writeFile(join(folder, '8999_late.sql'), 'select 1;')
  expect(await refusal()).toMatch('ran 9000_counted.sql where this program has 8999_late.sql')
})

test('a transaction is run again after a deadlock, and both sides come through', async () => {
  await database.pool.query('create table pair (id int primary key, n int); insert into pair values (1, 0), (2, 0)')
  const add = (first: number, second: number) =>
    inTransaction(database.db, async (trx) => {
      for (const id of [first, second]) {
        await sql`update pair set n = n + 1 where id = ${id}`.execute(trx)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })
  await Promise.all([add(1, 2), add(2, 1)])
  expect((await database.pool.query('select id, n from pair order by id')).rows).toEqual([
    { id: 1, n: 2 },
    { id: 2, n: 2 },
  ])
})

import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
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

test('what a row leads to can be deleted without reading every row that might: foreign keys have indices', async () => {
  const current = await createTestDatabase()
  const { rows } = await current.pool.query(`
    select conrelid::regclass || ': ' || string_agg(attname, ', ') as lacking
    from pg_constraint key join pg_attribute part on part.attrelid = conrelid and part.attnum = any(conkey)
    where contype = 'f' and not exists (
      select from pg_index held where held.indrelid = conrelid and held.indkey[0] = conkey[1]
        and (held.indpred is null or pg_get_expr(held.indpred, indrelid) = format('(%I IS NOT NULL)', attname)))
    group by key.oid order by 1`)
  await current.close()
  expect(rows.map(({ lacking }) => lacking)).toEqual([])
})

/** A database as a program of that time left it. */
async function openOlder(before: number): Promise<TestDatabase> {
  const older = await createTestDatabase({ isEmpty: true })
  const part = await mkdtemp(join(tmpdir(), 'nmp-migrations-'))
  for (const name of await readdir(migrationFolder))
    if (Number(name.slice(0, 4)) < before) await cp(join(migrationFolder, name), join(part, name))
  await migrateDatabase(older.pool, part)
  await rm(part, { recursive: true })
  return older
}

test('0023: what older datasets show counts as what people wrote; robot and task come from the revision shown', async () => {
  const older = await openOlder(23)
  const { pool } = older
  const digest = 'a'.repeat(64)
  await pool.query("insert into organizations (id, slug, name) values ('org', 'acme', 'Acme')")
  await pool.query("insert into projects (id, org_id, slug, name) values ('prj', 'org', 'lab', 'Lab')")
  const addDataset = async (slug: string, columns: Record<string, unknown>, summary: object) => {
    const names = Object.keys(columns)
    await pool.query(
      `insert into datasets (id, project_id, slug, ${names.join(', ')})
        values ($1, 'prj', $1, ${names.map((_, at) => `$${at + 2}`).join(', ')})`,
      [slug, ...Object.values(columns)],
    )
    for (const [number, shown] of [[1, { robot_type: 'older', tasks: ['Older'] }] as const, [2, summary] as const])
      await pool.query(
        `insert into dataset_revisions (id, dataset_id, number, source_kind, digest, read_model_digest, summary)
          values ($1, $2, $3, 'lerobot', $4, $4, $5)`,
        [`${slug}-${number}`, slug, number, digest, JSON.stringify(shown)],
      )
    await pool.query('update datasets set current_revision_id = $2 where id = $1', [slug, `${slug}-2`])
  }
  const said = { description: 'Picks.', tags: ['arm'], licence: 'mit', citation: '@misc{}', card_markdown: '# Arm' }
  await addDataset('said', { title: 'The arm', ...said }, { robot_type: 'so101', tasks: ['', 'Pick', 'Place'] })
  await addDataset('silent', { title: 'silent' }, { robot_type: null, tasks: [''] })
  await addDataset('named', { title: 'Named', licence: null }, { robot_type: 'h1', tasks: [] })
  await pool.query("insert into datasets (id, project_id, slug, title) values ('empty', 'prj', 'empty', 'empty')")
  for (const [id, title] of [
    ['imp_1', 'The arm'],
    ['imp_2', 'slug'],
  ]) {
    await pool.query("insert into jobs (id, org_id, kind) values ($1, 'org', 'import')", [id])
    await pool.query(
      `insert into imports (id, project_id, dataset_slug, title, source_kind, fingerprint)
        values ($1, 'prj', 'slug', $2, 'lerobot', $3)`,
      [id, title, digest],
    )
  }
  const addSet = async (id: string, versions: object[][]) => {
    await pool.query(
      `insert into annotation_sets (id, revision_id, name, latest_version) values ($1, 'said-2', $1, $2)`,
      [id, versions.length],
    )
    for (const [at, episodes] of versions.entries())
      await pool.query(
        'insert into annotation_versions (set_id, version, episodes, episode_count) values ($1, $2, $3, $4)',
        [id, at + 1, JSON.stringify(episodes), episodes.length],
      )
  }
  const nothing = { task: null, success: null, tags: [], note: null, segments: [] }
  await addSet('review', [
    [{ ...nothing, task: 'Gone since' }],
    [
      nothing,
      { ...nothing, success: false, segments: [{ start_frame: 0, end_frame: 2 }] },
      { ...nothing, tags: ['x'] },
    ],
  ])
  await addSet('blank', [[nothing]])

  expect(await migrateDatabase(pool)).toBe(await readSchemaVersion())
  const { rows } = await pool.query(
    'select slug, title, edited_fields, robot_type, embodiment, task_name, language, readme_sha256 from datasets order by slug',
  )
  const unsaid = { language: [], readme_sha256: null }
  expect(rows).toEqual([
    {
      slug: 'empty',
      title: 'empty',
      edited_fields: [],
      robot_type: null,
      embodiment: null,
      task_name: null,
      ...unsaid,
    },
    {
      slug: 'named',
      title: 'Named',
      edited_fields: ['title'],
      robot_type: 'h1',
      embodiment: 'h1',
      task_name: null,
      ...unsaid,
    },
    {
      slug: 'said',
      title: 'The arm',
      edited_fields: ['title', 'description', 'tags', 'licence', 'citation', 'card_markdown'],
      robot_type: 'so101',
      embodiment: 'so101',
      task_name: 'Pick',
      ...unsaid,
    },
    {
      slug: 'silent',
      title: 'silent',
      edited_fields: [],
      robot_type: null,
      embodiment: null,
      task_name: null,
      ...unsaid,
    },
  ])
  expect((await pool.query('select id, title from imports order by id')).rows).toEqual([
    { id: 'imp_1', title: 'The arm' },
    { id: 'imp_2', title: null },
  ])
  expect((await pool.query('select id, keys from annotation_sets order by id')).rows).toEqual([
    { id: 'blank', keys: [] },
    { id: 'review', keys: ['success', 'tags', 'segments'] },
  ])
  await older.close()
}, 60_000)

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

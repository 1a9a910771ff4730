import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** The query of a trigger of KEDA, as the chart has it. */
async function readQuery(trigger: string): Promise<string> {
  const chart = await readFile(join(import.meta.dirname, '../../deploy/helm/templates/scaled-object.yaml'), 'utf8')
  const [, query = ''] =
    new RegExp(`name: ${trigger}\\n[\\s\\S]*?query: >-\\n([\\s\\S]*?)\\n +targetQueryValue`).exec(chart) ?? []
  return query
}

const ask = async (query: string): Promise<number> => {
  const { rows } = await database.pool.query<number[]>({ text: query, rowMode: 'array' })
  return Number(rows[0]?.[0])
}

test('KEDA counts what waits and what runs, and how long the first waits; what waits for its next try is neither', async () => {
  const [length, age] = [await readQuery('length'), await readQuery('age')]
  expect([await ask(length), await ask(age)]).toEqual([0, 0])
  await database.pool.query(`
    insert into organizations (id, slug, name) values ('org', 'acme', 'Acme');
    insert into jobs (id, org_id, kind, state, created_at, retry_after) values
      ('due', 'org', 'export', 'queued', now() - interval '90 seconds', null),
      ('again', 'org', 'export', 'queued', now() - interval '1 day', now() - interval '10 seconds'),
      ('later', 'org', 'export', 'queued', now() - interval '1 day', now() + interval '1 hour')`)
  expect(await ask(length)).toBe(2)
  expect(await ask(age)).toBeGreaterThanOrEqual(90)
  expect(await ask(age)).toBeLessThan(600)
})

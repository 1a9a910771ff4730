import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateModel, publishModel } from '../../test/generated-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { refreshCatalogEntry } from '../datasets/listing/service.ts'
import { inTransaction } from '../db/database.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

interface Counted {
  items: { id: string; total_episodes: number; total_seconds: number; size_bytes: number }[]
  total: number
  totals: { episodes: number; seconds: number; bytes: number }
  facets: Record<string, { value: string; count: number }[]>
  histograms: Record<string, { low: number; high: number; count: number }[]>
}

const facets = ['robot_type', 'tag', 'task', 'size', 'cameras', 'source_kind']
const measures = ['seconds', 'bytes', 'episodes']
const queries: Record<string, string>[] = [
  {},
  { q: 'crane' },
  { q: 'crane odd' },
  { tag: 'odd' },
  { tag: 'odd', task: 'lift' },
  { robot_type: 'so101', size: '100-to-1k' },
  { task: 'lift', min_episodes: '5', max_episodes: '200' },
  { q: 'crane', tag: 'even', max_seconds: '20' },
  { tag: 'nothing has it' },
]

let program: TestProgram
let session: string
const ids: string[] = []
beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const user = await program.addUser('admin@example.org')
  session = await program.signIn(user)
  const org = await createOrg(db, 'operator', { slug: 'lab', name: 'Lab', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'yard', name: 'Yard' })
  const tasks = ['lift', 'turn', 'lower']
  for (let index = 0; index < 9; index++) {
    const lengths = Array.from({ length: [3, 9, 120][index % 3] as number }, () => 30 + index)
    const slug = `set-${index}`
    const model = generateModel(lengths, () => [0], [tasks[index % 3] as string])
    const place = { orgId: org.id, projectId: project.id, slug }
    ids.push((await publishModel(program.context, place, model)).datasetId)
    await change(slug, {
      visibility: 'public',
      title: index < 6 ? `Crane ${index}` : `Digger ${index}`,
      tags: [index % 2 === 0 ? 'even' : 'odd', ...(index < 2 ? ['first'] : [])],
    })
  }
}, 60_000)
afterAll(() => program.close())

async function change(slug: string, body: object): Promise<void> {
  const answer = await program.call('PATCH', `/api/v1/orgs/lab/projects/yard/datasets/${slug}`, {
    bearer: session,
    body,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

async function browse(query: Record<string, string>): Promise<Counted> {
  const answer = await program.call(
    'GET',
    `/api/v1/catalog/datasets?${new URLSearchParams({ limit: '200', ...query })}`,
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

const list = async (query: Record<string, string>) => (await browse({ ...query, counts: 'false' })).items
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

/** What is counted is what the list has: of the question itself, and with each value of a facet or range of a histogram in the place of its own. */
async function compareWithLists(query: Record<string, string>): Promise<void> {
  const words = JSON.stringify(query)
  const counted = await browse(query)
  const items = await list(query)
  expect(counted.total, words).toBe(items.length)
  expect(counted.totals.episodes, words).toBe(sum(items.map((item) => item.total_episodes)))
  expect(counted.totals.seconds, words).toBeCloseTo(sum(items.map((item) => item.total_seconds)))
  expect(counted.totals.bytes, words).toBe(sum(items.map((item) => item.size_bytes)))
  for (const name of facets) {
    const values = counted.facets[name] ?? []
    for (const { value, count } of values)
      expect((await list({ ...query, [name]: value })).length, `${words} ${name} ${value}`).toBe(count)
    expect(values, words).toEqual(
      values.toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1)),
    )
    if (query[name] === undefined && name !== 'tag' && name !== 'task')
      expect(sum(values.map(({ count }) => count)), `${words} ${name}`).toBe(items.length)
  }
  for (const name of measures) {
    const { [`min_${name}`]: _low, [`max_${name}`]: _high, ...others } = query
    const bins = counted.histograms[name] ?? []
    expect(sum(bins.map(({ count }) => count)), `${words} ${name}`).toBe((await list(others)).length)
  }
}

test('totals, facets and histograms agree with what is listed, for every question', async () => {
  expect((await browse({})).total).toBe(9)
  for (const query of queries) await compareWithLists(query)
})

test('they follow what is changed, withdrawn and shown again, at once', async () => {
  await change('set-3', { tags: ['odd', 'heavy'], title: 'Hoist 3' })
  await change('set-8', { visibility: 'private' })
  await change('set-0', { visibility: 'private' })
  await change('set-0', { visibility: 'public' })
  const { total, facets: counted } = await browse({})
  expect(total).toBe(8)
  expect(counted.tag).toEqual([
    { value: 'even', count: 4 },
    { value: 'odd', count: 4 },
    { value: 'first', count: 2 },
    { value: 'heavy', count: 1 },
  ])
  expect((await browse({ q: 'crane' })).total).toBe(5)
  for (const query of queries) await compareWithLists(query)
  // More changes than there are entries: what is held is made anew on the way.
  for (let round = 0; round < 3; round++)
    for (let index = 0; index < 8; index++) await change(`set-${index}`, { tags: [`round-${round}`, `of-${index}`] })
  const { facets: last } = await browse({})
  expect(last.tag?.[0]).toEqual({ value: 'round-2', count: 8 })
  expect(last.tag).toHaveLength(9)
  for (const query of queries) await compareWithLists(query)
})

test('a change that ends after a later one is counted, too', async () => {
  await inTransaction(program.context.db, async (late) => {
    await refreshCatalogEntry(late, ids[1] as string)
    await change('set-2', { tags: ['later'] })
    expect((await browse({ tag: 'later' })).total).toBe(1)
  })
  await change('set-4', { tags: ['later'] })
  expect((await browse({})).total).toBe(8)
  for (const query of queries) await compareWithLists(query)
})

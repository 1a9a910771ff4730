import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { createApp } from '../../../server/src/app.ts'
import { loadConfig } from '../../../server/src/config.ts'
import { type Connection, openDatabase } from '../../../server/src/db/database.ts'
import { openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../../server/src/db/migrations.ts'
import { createProject } from '../../../server/src/organizations/projects/service.ts'
import { createOrg } from '../../../server/src/organizations/service.ts'
import { generateEpisodes, publishModel } from '../../../server/test/generated-dataset.ts'
import type { LoadOrder, LoadResult } from '../http/http-load.ts'
import type { BenchRow } from '../row.ts'
import { addCatalogEntries, benchBrowse } from './catalog-browse.ts'
import { addVersion, type MemberAndVersion } from './catalog-version.ts'

const million = 1_000_000
const offsets = [0, 500_000, 999_900]
const sorts = ['episode_index', 'duration', 'frames']
const rounds = 12
const requestsPerRound = 300
const warmUpRequests = 3_000
const cacheBoundBytes = 200_000_000
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const log = pino({ level: 'silent' })

interface Server {
  child: ChildProcess
  port: number
}

interface Usage {
  cpuMicroseconds: number
  rss: number
  arrayBuffers: number
}

const receive = async <T>(child: ChildProcess): Promise<T> => {
  const [value] = await once(child, 'message')
  return value as T
}

const ask = async <T>(child: ChildProcess, question: object): Promise<T> => {
  const answer = receive<T>(child)
  child.send(question)
  return answer
}

const start = async (args: string[], env: Record<string, string> = {}): Promise<Server> => {
  const child = fork(beside('catalog-server.ts'), args, { env: { ...process.env, ...env } })
  return { child, ...(await receive<{ port: number }>(child)) }
}

/** The catalog over generated read models: rows and videos do not exist, and no page needs them. */
export const benchCatalog = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-catalog-'))
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const database = openDatabase({ connection: postgres.connection, log })
  const client = fork(beside('../http/http-load.ts'))
  const servers: Server[] = []
  try {
    await migrateDatabase(database.pool)
    const ids = await publishDatasets(postgres.connection, database.db, folder)
    const args = ['ours', JSON.stringify(postgres.connection), folder]
    const open = async (...given: Parameters<typeof start>): Promise<Server> => {
      const server = await start(...given)
      servers.push(server)
      return server
    }
    const cold = await benchColdRead(await open(args), ids.million)
    const ours = await open(args)
    const load = (port: number, path: string, requests: number, bearer?: string) =>
      ask<LoadResult>(client, { port, path, requests, seconds: 20, ...(bearer && { bearer }) } satisfies LoadOrder)
    const pages = await benchPages(ours, load, ids)
    const version = await benchVersion(ours, load, ids)
    const path = `/api/v1/catalog/datasets/${ids.million}/episodes?offset=500000`
    const page = await (await fetch(`http://127.0.0.1:${ours.port}${path}`)).text()
    const raw = await benchAgainstRaw(ours, await open(['raw', page]), load, path)
    const bound = await benchBound(
      await open(args, { NMP_READ_MODEL_CACHE_BYTES: String(cacheBoundBytes) }),
      ids.others,
    )
    await addCatalogEntries(database.db, 100_000)
    return [...pages, ...version, raw, cold, bound, ...(await benchBrowse(ours.port))]
  } finally {
    for (const { child } of servers) child.kill()
    client.kill()
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function publishDatasets(connection: Connection, db: ReturnType<typeof openDatabase>['db'], folder: string) {
  const config = loadConfig({ NMP_DATA_DIR: folder, NMP_LOG_LEVEL: 'silent' })
  const app = await createApp({ config, log, db, connection, publicUrl: 'http://127.0.0.1' })
  const org = await createOrg(db, 'operator', { slug: 'bench', name: 'Bench' })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'bench', name: 'Bench' })
  const publish = async (slug: string, count: number): Promise<string> => {
    const place = { orgId: org.id, projectId: project.id, slug }
    return (await publishModel(app.context, place, generateEpisodes(count))).datasetId
  }
  const ids = { thousand: await publish('thousand', 1_000), million: await publish('million', million), others: [''] }
  ids.others = [
    await publish('other-1', million - 1),
    await publish('other-2', million - 2),
    await publish('other-3', million - 3),
  ]
  await db.updateTable('datasets').set({ visibility: 'public', published_at: new Date() }).execute()
  const version = await addVersion(app.context, org.id, ids.million)
  await app.close()
  return { ...ids, version }
}

type Load = (port: number, path: string, requests: number, bearer?: string) => Promise<LoadResult>

const measure = async (server: Server, load: Load, path: string, bearer?: string, requests = requestsPerRound) => {
  const before = await ask<Usage>(server.child, {})
  const { answered, seconds } = await load(server.port, path, requests, bearer)
  const after = await ask<Usage>(server.child, {})
  return { cpu: (after.cpuMicroseconds - before.cpuMicroseconds) / answered, perSecond: answered / seconds }
}

/** The best of short rounds that alternate: what else runs on the machine only adds. */
async function compare(sides: (() => Promise<{ cpu: number; perSecond: number }>)[]) {
  const best = sides.map(() => ({ cpu: Number.POSITIVE_INFINITY, perSecond: 0 }))
  for (let round = 0; round < rounds; round++)
    for (const [side, run] of sides.entries()) {
      const { cpu, perSecond } = await run()
      const own = best[side]
      if (own) [own.cpu, own.perSecond] = [Math.min(own.cpu, cpu), Math.max(own.perSecond, perSecond)]
    }
  return best
}

async function benchPages(ours: Server, load: Load, ids: { thousand: string; million: string }): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const sort of sorts) {
    const pathOf = (id: string, offset: number) =>
      `/api/v1/catalog/datasets/${id}/episodes?sort=${sort}&offset=${offset}`
    const paths = [pathOf(ids.thousand, 0), ...offsets.map((offset) => pathOf(ids.million, offset))]
    for (const path of paths) await load(ours.port, path, warmUpRequests / paths.length)
    const [small, ...large] = await compare(paths.map((path) => () => measure(ours, load, path)))
    const cpus = large.map(({ cpu }) => cpu)
    const peer = small?.cpu ?? Number.NaN
    const ratio = Math.max(...cpus) / peer
    rows.push({
      name: `Catalog: CPU of a page of 50 of 1,000,000 episodes by ${sort}, offsets ${offsets.join(', ')}`,
      ours: `${cpus.map((cpu) => cpu.toFixed(0)).join(', ')} us/request`,
      peer: `${peer.toFixed(0)} us/request (1,000 episodes)`,
      ratio,
      goal: '<= 1.2',
      met: ratio <= 1.2,
      note: `requests a second over 16 connections: ${large.map(({ perSecond }) => perSecond.toFixed(0)).join(', ')} against ${small?.perSecond.toFixed(0)}`,
    })
  }
  return rows
}

/** Both as a member, who is looked up for each: a version that is not published has no visitors. */
async function benchVersion(
  ours: Server,
  load: Load,
  { million: source, version }: { million: string; version: MemberAndVersion },
): Promise<BenchRow[]> {
  const pathOf = (id: string) => `/api/v1/catalog/datasets/${id}/episodes?offset=500000&sort=duration`
  const paths = [version.versionId, source].map(pathOf)
  for (const path of paths) await load(ours.port, path, warmUpRequests / paths.length, version.bearer)
  const [own, peer] = await compare(paths.map((path) => () => measure(ours, load, path, version.bearer)))
  const row = (name: string, unit: string, mine = Number.NaN, theirs = Number.NaN): BenchRow => ({
    name: `Catalog: ${name} of a page of episodes of a version against its source's, 1,000,000 episodes`,
    ours: `${mine.toFixed(0)} us/request${unit}`,
    peer: `${theirs.toFixed(0)} us/request (the source)`,
    ratio: mine / theirs,
    goal: '<= 1.2',
    met: mine / theirs <= 1.2,
  })
  const microseconds = (side: typeof own) => side && 1e6 / side.perSecond
  return [
    row('CPU', '', own?.cpu, peer?.cpu),
    row('time', ', the database included, over 16 connections', microseconds(own), microseconds(peer)),
  ]
}

async function benchAgainstRaw(ours: Server, raw: Server, load: Load, path: string): Promise<BenchRow> {
  await load(raw.port, path, warmUpRequests)
  const [own, limit] = await compare([() => measure(ours, load, path), () => measure(raw, load, path)])
  const ratio = (own?.cpu ?? Number.NaN) / (limit?.cpu ?? Number.NaN)
  return {
    name: 'Catalog: CPU of that page against stringifying the same object',
    ours: `${own?.cpu.toFixed(0)} us/request`,
    peer: `${limit?.cpu.toFixed(0)} us/request (node:http, JSON.stringify)`,
    ratio,
    goal: '<= 1.5',
    met: ratio <= 1.5,
  }
}

/** A process that has never seen the dataset. */
async function benchColdRead({ port }: Server, id: string): Promise<BenchRow> {
  const begun = performance.now()
  const answer = await fetch(
    `http://127.0.0.1:${port}/api/v1/catalog/datasets/${id}/episodes?offset=999900&sort=frames`,
  )
  await answer.text()
  const seconds = (performance.now() - begun) / 1000
  return {
    name: 'Catalog: first read of a million-episode dataset by a new process',
    ours: `${seconds.toFixed(2)} s`,
    peer: '2.00 s, the bound',
    ratio: seconds / 2,
    goal: 'below 1',
    met: answer.status === 200 && seconds < 2,
  }
}

/** Three datasets in turn through a cache that holds two: what is held stays below the bound. */
async function benchBound({ child, port }: Server, ids: readonly string[]): Promise<BenchRow> {
  const before = await ask<Usage>(child, {})
  let most = 0
  for (let round = 0; round < 9; round++) {
    await (await fetch(`http://127.0.0.1:${port}/api/v1/catalog/datasets/${ids[round % ids.length]}/episodes`)).text()
    const { arrayBuffers } = await ask<Usage>(child, {})
    most = Math.max(most, arrayBuffers - before.arrayBuffers)
  }
  const model = 90_000_000
  const bound = cacheBoundBytes + 2 * model
  return {
    name: 'Catalog: memory of three million-episode datasets in turn, cache of 200 MB',
    ours: `${(most / 1e6).toFixed(0)} MB in buffers at most`,
    peer: `${bound / 1e6} MB: the cache, one that is loading, one not yet collected`,
    ratio: most / bound,
    goal: '<= 1',
    met: most <= bound,
  }
}

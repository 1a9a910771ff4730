import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { cleanUp, startProgram } from '../../../e2e/program.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import type { CampaignOptions } from './options.ts'
import { filledShares, fillTables, fullCounts, scaleCounts } from './tables/fill.ts'
import { explainSettings, readStatements, type Statement } from './tables/plans.ts'
import { begin, type Used, use } from './tables/use.ts'

const rounds = 20
const frequent = 10
/** Of a statement that a request waits for; the machine may do other things beside it. */
const boundMs = 250
/** Reading a table of this size from end to end is a fault, whatever it takes. */
const largeRows = 20_000
/** Of the database at full size, log and sorting included, twice over. */
const fullBytes = 60e9

const env = { NMP_DEMO: '1' }
const log = pino({ level: 'error' }, process.stderr)
/** Nothing of it is to last, and what is measured is not the disk. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  autovacuum: 'off',
}

interface TableSize {
  table: string
  rows: number
  bytes: number
  indexBytes: number
  /** At full size, in proportion: nobody has measured it. */
  computedFullBytes: number
  updates: number
  /** Of the updates, those that touched no index. */
  hotUpdates: number
  deadRows: number
}

/**
 * A database of a million jobs and a hundred million episodes, filled by SQL with copies of rows that the program wrote, and the program
 * at work on it: what PostgreSQL did for every statement, from its own log. None of the ten most frequent may read a large table from end
 * to end, or take long; others that do are told.
 */
export const campaignTables = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-campaign-tables-'))
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < fullBytes * scale)
    throw new Error(
      `${folder} has ${Math.round((bavail * bsize) / 1e9)} GB, and --scale ${scale} needs ${Math.round((fullBytes * scale) / 1e9)}. Take a smaller one.`,
    )
  try {
    const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log, settings })
    const program = await startProgram({ dataDir: folder, env })
    const used = await begin(program)
    await program.stop()
    await postgres.stop()
    return await measure(folder, used, { seed, scale })
  } finally {
    await cleanUp()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measure(folder: string, used: Used, { seed, scale }: { seed: number; scale: number }): Promise<boolean> {
  const counts = scaleCounts(scale)
  const postgresFolder = join(folder, 'postgres')
  let postgres = await openEmbeddedPostgres({ folder: postgresFolder, log, settings })
  try {
    const home = await askOne<{ orgId: string; projectId: string }>(
      postgres,
      `select org.id as "orgId", project.id as "projectId" from organizations org join projects project on project.org_id = org.id
       where org.slug = '${used.org}' and project.slug = 'default'`,
    )
    const begun = performance.now()
    await fillTables({ ...home, userId: used.userId }, counts, () => new pg.Client(postgres.connection))
    const fillSeconds = Math.round((performance.now() - begun) / 1000)
    console.log(`filled in ${fillSeconds} s`)
    await postgres.stop()
    postgres = await openEmbeddedPostgres({
      folder: postgresFolder,
      log,
      settings: { ...settings, ...explainSettings },
    })
    const program = await startProgram({ dataDir: folder, env })
    await use(program, used, rounds)
    await program.stop()
    const sizes = await readSizes(postgres, scale)
    const vacuumSeconds = await timeVacuum(postgres)
    const statements = await readStatements(join(postgresFolder, 'data', 'log'))
    const large = new Set(sizes.filter(({ rows }) => rows >= largeRows).map(({ table }) => table))
    const scanning = statements.filter(({ scans }) => Object.keys(scans).some((table) => large.has(table)))
    const slow = statements.filter(({ medianMs }) => medianMs > boundMs)
    // What is asked rarely may look at much (what an organization stores, counts of the catalog); it is told all the same.
    const faults = statements.slice(0, frequent).filter((one) => scanning.includes(one) || slow.includes(one))
    const passed = faults.length === 0
    for (const size of sizes.slice(0, 20)) console.log(JSON.stringify(size))
    for (const one of statements.slice(0, frequent)) console.log(describe(one))
    for (const one of scanning) console.log(`SCANS ${JSON.stringify(one.scans)} ${describe(one)}`)
    for (const one of slow) console.log(`SLOW ${describe(one)}`)
    await writeResult({
      campaign: 'tables',
      passed,
      seed,
      scale,
      ...describeMachine(),
      load: loadavg()[0],
      fullCounts,
      counts,
      fillSeconds,
      vacuumSeconds,
      sizes,
      frequent: statements.slice(0, frequent),
      statementCount: statements.length,
      scanning,
      slow,
    })
    console.log(passed ? 'passed' : 'FAILED')
    return passed
  } finally {
    await postgres.stop()
  }
}

const describe = ({ text, count, medianMs, longestMs, pages, indices }: Statement): string =>
  `${count} times, ${medianMs} ms, at most ${longestMs}, ${pages} pages, ${indices.join(', ')}: ${text.slice(0, 300)}`

async function readSizes(postgres: EmbeddedPostgres, scale: number): Promise<TableSize[]> {
  const rows = await ask<TableSize>(
    postgres,
    `select relname as table, (select reltuples from pg_class where oid = relid)::float8 as rows,
      pg_total_relation_size(relid)::float8 as bytes, pg_indexes_size(relid)::float8 as "indexBytes",
      n_tup_upd::integer as updates, n_tup_hot_upd::integer as "hotUpdates", n_dead_tup::integer as "deadRows"
     from pg_stat_user_tables order by pg_total_relation_size(relid) desc`,
  )
  return rows.map((row) => ({
    ...row,
    computedFullBytes: Math.round(row.bytes / scale / (filledShares[row.table] ?? 1)),
  }))
}

/** With every page looked at, as once in two hundred million transactions. */
async function timeVacuum(postgres: EmbeddedPostgres): Promise<Record<string, number>> {
  const seconds: Record<string, number> = {}
  for (const table of ['jobs', 'blob_references', 'episode_identities']) {
    const begun = performance.now()
    await ask(postgres, `vacuum (freeze, analyze) ${table}`)
    seconds[table] = Math.round((performance.now() - begun) / 100) / 10
  }
  return seconds
}

async function ask<T>({ connection }: EmbeddedPostgres, text: string): Promise<T[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

async function askOne<T>(postgres: EmbeddedPostgres, text: string): Promise<T> {
  const [row] = await ask<T>(postgres, text)
  if (!row) throw new Error(`No row: ${text}`)
  return row
}

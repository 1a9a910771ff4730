import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)

interface Cost {
  cpuSeconds: number
  peakMegabytes: number
}

/** What writing Parquet by hand, and reading some of it without DuckDB, is worth: each against the library that would do it. */
export async function benchParquet(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-parquet-'))
  try {
    return await compareAll(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measure(kind: string, path: string): Promise<Cost> {
  const words = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'parquet-work.ts'), kind, path]
  return JSON.parse((await run(process.execPath, words)).stdout) as Cost
}

/** The better of three: what else the machine does makes a run slower, never faster. */
async function measureBest(kind: string, path: string): Promise<Cost> {
  const costs = [await measure(kind, path), await measure(kind, path), await measure(kind, path)]
  return {
    cpuSeconds: Math.min(...costs.map(({ cpuSeconds }) => cpuSeconds)),
    peakMegabytes: Math.min(...costs.map(({ peakMegabytes }) => peakMegabytes)),
  }
}

async function compareAll(folder: string): Promise<BenchRow[]> {
  const [own, pictures, byLibrary] = ['own', 'pictures', 'library'].map((name) => join(folder, `${name}.parquet`)) as [
    string,
    string,
    string,
  ]
  const written = await measureBest('write-own', own)
  const writtenByLibrary = await measureBest('write-library', byLibrary)
  const read = await measureBest('read-rows', own)
  await measure('disown', own)
  const readByDuckDb = await measureBest('read-rows', own)
  const readByItems = await measureBest('read-items', own)
  await measure('write-pictures', pictures)
  const shown = await measureBest('read-pictures', pictures)
  const shownByDuckDb = await measureBest('read-pictures-duckdb', pictures)
  const rows = '500,000 rows of 2 x 14 float32 in 2,000 row groups'
  return [
    compare(`Parquet: write ${rows}, CPU, against hyparquet-writer`, written, writtenByLibrary, 'cpuSeconds', 2),
    compare(`Parquet: write ${rows}, peak memory`, written, writtenByLibrary, 'peakMegabytes', 1.5),
    compare(`Parquet: read ${rows} of our own without DuckDB, CPU`, read, readByDuckDb, 'cpuSeconds', 1.2),
    compare(`Parquet: read ${rows} of our own without DuckDB, peak memory`, read, readByDuckDb, 'peakMegabytes', 1.3),
    compare(
      "Parquet: read them by DuckDB's vectors as they lie in memory, CPU, against its getItem",
      readByDuckDb,
      readByItems,
      'cpuSeconds',
      1.3,
    ),
    compare(
      'Parquet: read 2,048 pictures of 100 kB a page at a time, peak memory, against DuckDB',
      shown,
      shownByDuckDb,
      'peakMegabytes',
      1.5,
    ),
  ]
}

function compare(name: string, ours: Cost, peer: Cost, measure: keyof Cost, least: number): BenchRow {
  const show = (cost: Cost): string =>
    measure === 'cpuSeconds' ? `${cost.cpuSeconds.toFixed(2)} s` : `${cost.peakMegabytes} MiB`
  const ratio = peer[measure] / ours[measure]
  return {
    name,
    ours: show(ours),
    peer: show(peer),
    ratio,
    goal: `at least ${least} times less`,
    met: ratio >= least,
  }
}

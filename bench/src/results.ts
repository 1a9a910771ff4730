/** What the benches measured, kept per day as `bench/results/bench-DATE.json`: docs/performance.md shows the newest. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform } from 'node:os'
import { join } from 'node:path'
import type { BenchRow } from './row.ts'

const folder = join(import.meta.dirname, '../results')

/** One bench of the day; one that is run again takes the place of what was there. */
interface KeptBench {
  /** Processes that wanted to run, on average over a minute, when the bench began: above the number of cores it was not alone. */
  loadBefore: number
  rows: BenchRow[]
}

export interface BenchDay {
  machine: { cores: number; platform: string; node: string }
  benches: Record<string, KeptBench>
}

const describeMachine = (): BenchDay['machine'] => ({
  cores: cpus().length,
  platform: `${platform()} ${arch()}`,
  node: process.version,
})

export const readLoad = (): number => Number((loadavg()[0] ?? 0).toFixed(1))

export function keepBench(date: string, name: string, bench: KeptBench): void {
  const path = join(folder, `bench-${date}.json`)
  const day: BenchDay = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { machine: describeMachine(), benches: {} }
  day.benches[name] = bench
  writeFileSync(path, `${JSON.stringify(day, null, 2)}\n`)
}

/** Each bench as it was measured last, with the day. */
export function readNewest(): Map<string, KeptBench & { date: string; machine: BenchDay['machine'] }> {
  const newest = new Map<string, KeptBench & { date: string; machine: BenchDay['machine'] }>()
  for (const file of readdirSync(folder).sort()) {
    const date = /^bench-(\d{4}-\d{2}-\d{2})\.json$/.exec(file)?.[1]
    if (!date) continue
    const { machine, benches }: BenchDay = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    for (const [name, bench] of Object.entries(benches)) newest.set(name, { ...bench, date, machine })
  }
  return newest
}

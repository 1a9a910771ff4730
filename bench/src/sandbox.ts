import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess } from '../../formats/src/containers/child/process.ts'
import type { BenchRow } from './row.ts'

const rounds = 15
const boundMilliseconds = 60
const bounds = { memoryBytes: 1024 ** 3, fileBytes: 0, cpuSeconds: 600, openFiles: 256 }
const entries = ['hdf5', 'codec'].map((kind) => ({
  kind,
  entry: new URL(`../../formats/src/containers/${kind}/entry.ts`, import.meta.url),
}))

/** What the sandbox of a parser adds to its start: a process that is started, has nothing to do, and ends. */
export const benchSandbox = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-'))
  try {
    const rows: BenchRow[] = []
    for (const { kind, entry } of entries) {
      const within: number[] = []
      const without: number[] = []
      // With the same cache of compiled code: that is worth more than the sandbox costs.
      const cache = getCompileCacheDir()
      const env = cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {}
      // In turns, so that whatever else the machine does falls on both.
      for (let round = 0; round < rounds; round += 1) {
        without.push(await measure(() => spawn(process.execPath, [fileURLToPath(entry)], { cwd: '/', env })))
        within.push(await measure(() => startProcess(entry, bounds, { reads: [], writes: [folder] })))
      }
      const added = Math.min(...within) - Math.min(...without)
      rows.push({
        name: `start and end of a ${kind} process in its sandbox`,
        ours: `${Math.min(...within).toFixed(0)} ms`,
        peer: `${Math.min(...without).toFixed(0)} ms without`,
        ratio: added / boundMilliseconds,
        goal: `at most ${boundMilliseconds} ms more`,
        met: added <= boundMilliseconds,
        note: `best of ${rounds}; medians ${median(within).toFixed(0)} and ${median(without).toFixed(0)} ms; load average ${loadavg()[0]?.toFixed(1)}`,
      })
    }
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN

async function measure(start: () => ChildProcess): Promise<number> {
  const begun = performance.now()
  const child = start()
  child.stdin?.end()
  child.stdout?.resume()
  child.stderr?.resume()
  const [exitCode] = await once(child, 'close')
  if (exitCode !== 0) throw new Error(`The process ended with ${exitCode}.`)
  return performance.now() - begun
}

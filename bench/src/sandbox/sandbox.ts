import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startProcess } from '../../../formats/src/containers/child/process.ts'
import type { BenchRow } from '../row.ts'

const rounds = 20
const boundMilliseconds = 60
/** Of the times in /proc. */
const tickMilliseconds = 10
const bounds = { memoryBytes: 1024 ** 3, fileBytes: 0, cpuSeconds: 600, openFiles: 256 }
const entries = Object.entries({
  hdf5: 'formats/src/containers/hdf5/entry.ts',
  codec: 'formats/src/containers/codec/entry.ts',
  tables: 'formats/src/containers/parquet/table-entry.ts',
  pictures: 'formats/src/containers/pictures/decoding-entry.ts',
}).map(([kind, path]) => ({ kind, entry: new URL(`../../../${path}`, import.meta.url) }))
/** What a page of rows, or a picture, may take longer because a child reads it. */
const boundReading = 10

/**
 * What the sandbox of a parser adds to its start, in processor time: a process that is started, has nothing to do, and ends. The
 * processor time of children is counted in ticks, so rounds are summed; they alternate, so that what else the machine does falls on both.
 */
export const benchSandbox = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-'))
  const cache = getCompileCacheDir()
  // With the same cache of compiled code: that is worth more than the sandbox costs.
  const env = cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {}
  try {
    const rows: BenchRow[] = []
    for (const { kind, entry } of entries) {
      const startBare = () => spawn(process.execPath, [fileURLToPath(entry)], { cwd: '/', env })
      const startBound = () => startProcess(entry, bounds, { reads: [], writes: [folder] })
      // The first start fills the cache, in a process of its own.
      await measure(startBound)
      await sleep(2_000)
      const without = { cpu: 0, wall: 0 }
      const within = { cpu: 0, wall: 0 }
      for (let round = 0; round < rounds; round += 1) {
        add(without, await measure(startBare))
        add(within, await measure(startBound))
      }
      const added = (within.cpu - without.cpu) / rounds
      rows.push({
        name: `start and end of a ${kind} process in its sandbox, processor time`,
        ours: `${(within.cpu / rounds).toFixed(0)} ms`,
        peer: `${(without.cpu / rounds).toFixed(0)} ms without`,
        ratio: added / boundMilliseconds,
        goal: `at most ${boundMilliseconds} ms more`,
        met: added <= boundMilliseconds,
        note: `mean of ${rounds}; ${added.toFixed(0)} ms more; by the clock ${(within.wall / rounds).toFixed(0)} and ${(without.wall / rounds).toFixed(0)} ms; load average ${loadavg()[0]?.toFixed(1)}`,
      })
    }
    return [...rows, ...(await measureReading())]
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** In a process of its own, which reads by a child first and then by itself. */
async function measureReading(): Promise<BenchRow[]> {
  const words = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'sandbox-reading-work.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  const { inChild, here } = JSON.parse(stdout) as Record<'inChild' | 'here', Record<'page' | 'picture', Reading>>
  const kinds = { page: 'a page of 2,000 rows that another program wrote', picture: 'a PNG of 640 x 480' } as const
  return (['page', 'picture'] as const).map((kind) => {
    const [within, without] = [inChild[kind], here[kind]]
    const added = within.again - without.again
    return {
      name: `${kinds[kind]}, read by a child in its sandbox`,
      ours: `${within.again.toFixed(1)} ms`,
      peer: `${without.again.toFixed(1)} ms in the same process`,
      ratio: added / boundReading,
      goal: `at most ${boundReading} ms more`,
      met: added <= boundReading,
      note: `median of 30; the first, which starts the child, ${within.first.toFixed(0)} ms (in the same process ${without.first.toFixed(0)}); load average ${loadavg()[0]?.toFixed(1)}`,
    }
  })
}

interface Reading {
  first: number
  again: number
}

interface Times {
  cpu: number
  wall: number
}

const add = (sum: Times, { cpu, wall }: Times): void => {
  sum.cpu += cpu
  sum.wall += wall
}

/** Of all children that have ended, in user and system. */
const readChildCpu = (): number => {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * tickMilliseconds
}

async function measure(start: () => ChildProcess): Promise<Times> {
  const [begun, cpu] = [performance.now(), readChildCpu()]
  const child = start()
  child.stdin?.end()
  child.stdout?.resume()
  child.stderr?.resume()
  const [exitCode] = await once(child, 'close')
  if (exitCode !== 0) throw new Error(`The process ended with ${exitCode}.`)
  return { wall: performance.now() - begun, cpu: readChildCpu() - cpu }
}

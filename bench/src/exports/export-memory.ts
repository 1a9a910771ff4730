import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const work = join(import.meta.dirname, 'export-memory-work.ts')
const [few, many] = [10, 10_000]

/** What an export's own process holds at most, of very few and of very many episodes: by the library, without the worker around it. */
export const benchExportMemory = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-export-memory-'))
  try {
    const [small, large] = [await measure(folder, few), await measure(folder, many)]
    return [
      {
        name: `Peak memory of an export without one episode, ${many} episodes of 20 frames with a camera, against ${few}`,
        ours: inMebibytes(large.peakBytes),
        peer: inMebibytes(small.peakBytes),
        ratio: large.peakBytes / small.peakBytes,
        goal: 'at most 1.2',
        met: large.peakBytes / small.peakBytes <= 1.2,
        note: `${inMebibytes(large.loadedBytes)} once the program is loaded, ${inMebibytes(large.openedBytes)} once the dataset is open; ${large.seconds.toFixed(1)} s of processors`,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Measured {
  loadedBytes: number
  openedBytes: number
  peakBytes: number
  seconds: number
}

async function measure(folder: string, episodes: number): Promise<Measured> {
  const source = join(folder, String(episodes))
  const ask = (...words: string[]) =>
    run(process.execPath, [...process.execArgv, work, ...words], { timeout: 1_800_000 })
  await ask('make', source, String(episodes))
  const { stdout } = await ask('export', source, `${source}-part`)
  return JSON.parse(stdout) as Measured
}

const inMebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

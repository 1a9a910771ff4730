import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { offlineEnv, python } from './lerobot.ts'
import { episodesACopy, makeSets, merge, open } from './merge-sets.ts'
import type { BenchRow } from './row.ts'

const run = promisify(execFile)
/** 150 episodes, 45,000 frames and 230 MB of video a set: what is started once does not decide. */
const copies = Number(process.env.NMP_BENCH_MERGE_COPIES ?? 75)
const [leastTimesFaster, mostTimesCopy] = [20, 2]

/** On a machine that others use as well, only the CPU says how much was to be done. */
interface Took {
  readonly seconds: number
  readonly cpuSeconds: number
}

async function measure(work: () => Promise<unknown>): Promise<Took> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 }
}

const describe = ({ seconds, cpuSeconds }: Took): string =>
  `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s of CPU)`

/** Two equal sets, the one case that lerobot's own merge can do: ours against it, and against copying the files. */
export async function benchMerge(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-merge-'))
  try {
    const sets = await makeSets(folder, copies)
    const ours = await measure(async () => {
      await using a = await open(sets[0] as string)
      await using b = await open(sets[1] as string)
      await merge([a, b], join(folder, 'ours'))
      await run('sync', ['-f', folder])
    })
    const copied = await measure(() =>
      run('sh', ['-c', 'mkdir "$0" && cp -r "$1" "$2" "$0" && sync -f "$0"', join(folder, 'copy'), ...sets]),
    )
    const theirs = existsSync(python) ? await mergeByLeRobot(folder, sets) : undefined
    const timesFaster = (theirs?.seconds ?? 0) / ours.seconds
    const what = `two sets of ${episodesACopy * copies} episodes`
    return [
      {
        name: `${what} as one, against lerobot's own merge`,
        ours: describe(ours),
        peer: theirs === undefined ? 'lerobot is not installed' : describe(theirs),
        ratio: timesFaster,
        goal: `at least ${leastTimesFaster} times as fast`,
        met: timesFaster >= leastTimesFaster,
      },
      {
        name: `${what} as one, against cp -r of both`,
        ours: describe(ours),
        peer: `${copied.seconds.toFixed(2)} s`,
        ratio: ours.seconds / copied.seconds,
        goal: `at most ${mostTimesCopy} times as long`,
        met: ours.seconds / copied.seconds <= mostTimesCopy,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function mergeByLeRobot(folder: string, sets: readonly string[]): Promise<Took> {
  const script = join(import.meta.dirname, 'merge_peer.py')
  const { stdout } = await run(python, [script, join(folder, 'theirs'), ...sets], { env: offlineEnv(folder) })
  const [seconds = 0, cpuSeconds = 0] = (stdout.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { seconds, cpuSeconds }
}

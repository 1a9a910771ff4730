import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { offlineEnv, python } from '../lerobot.ts'
import type { BenchRow } from '../row.ts'
import { episodesACopy, makeSets, merge, open } from './merge-sets.ts'

const run = promisify(execFile)
/** 150 episodes, 45,000 frames and 230 MB of video a set: what is started once does not decide. */
const copies = Number(process.env.NMP_BENCH_MERGE_COPIES ?? 75)
/** As many files a camera; each of ours is of 10 episodes then. */
const sessions = 15
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

/** Ours and `cp` so often, one after the other, and the middle of each: the first of ours is not compiled yet, as the note says. */
const rounds = 5

/** Two equal sets, the one case that lerobot's own merge can do: ours against it, and against copying the files. */
export async function benchMerge(): Promise<BenchRow[]> {
  return [
    ...(await benchSets('a file a camera', 1)),
    ...(await benchSets(`recorded in ${sessions} sessions`, sessions)),
  ]
}

async function benchSets(shape: string, sessionCount: number): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-merge-'))
  try {
    const sets = await makeSets(folder, copies, sessionCount)
    const mergeSets = async (target: string) => {
      await using a = await open(sets[0] as string)
      await using b = await open(sets[1] as string)
      await merge([a, b], target)
      await run('sync', ['-f', folder])
    }
    const copySets = (target: string) =>
      run('sh', ['-c', 'mkdir "$0" && cp -r "$1" "$2" "$0" && sync -f "$0"', target, ...sets])
    const [merged, copied]: [Took[], Took[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      for (const [work, took] of [
        [mergeSets, merged],
        [copySets, copied],
      ] as const) {
        const target = join(folder, 'target')
        took.push(await measure(() => work(target)))
        await rm(target, { recursive: true })
        await run('sync', ['-f', folder])
      }
    }
    const theirs = existsSync(python) ? await mergeByLeRobot(folder, sets) : undefined
    return describeRows(shape, takeMiddle(merged), takeMiddle(copied), theirs, merged[0] as Took)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const takeMiddle = (took: readonly Took[]): Took =>
  took.toSorted((one, other) => one.seconds - other.seconds)[Math.floor(took.length / 2)] as Took

function describeRows(shape: string, ours: Took, copied: Took, theirs: Took | undefined, first: Took): BenchRow[] {
  const what = `two sets of ${episodesACopy * copies} episodes, ${shape},`
  const peer = theirs === undefined ? 'lerobot is not installed' : describe(theirs)
  const compare = (name: string, took: Took, text: string): BenchRow => ({
    name,
    ours: text,
    peer,
    ratio: (theirs?.seconds ?? 0) / took.seconds,
    goal: `at least ${leastTimesFaster} times as fast`,
    met: (theirs?.seconds ?? 0) / took.seconds >= leastTimesFaster,
  })
  const timesCopy = ours.seconds / copied.seconds
  return [
    compare(`${what} as one, against lerobot's own merge`, ours, describe(ours)),
    compare(
      `${what} copied by cp -r and no more, against lerobot's own merge: what could be reached`,
      copied,
      `${copied.seconds.toFixed(2)} s`,
    ),
    {
      name: `${what} as one, against cp -r of both`,
      ours: describe(ours),
      peer: `${copied.seconds.toFixed(2)} s`,
      ratio: timesCopy,
      goal: `at most ${mostTimesCopy} times as long`,
      met: timesCopy <= mostTimesCopy,
      note: `the middle of ${rounds} each; the first of ours in a new process took ${first.seconds.toFixed(2)} s`,
    },
  ]
}

async function mergeByLeRobot(folder: string, sets: readonly string[]): Promise<Took> {
  const script = join(import.meta.dirname, 'merge_peer.py')
  const { stdout } = await run(python, [script, join(folder, 'theirs'), ...sets], { env: offlineEnv(folder) })
  const [seconds = 0, cpuSeconds = 0] = (stdout.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { seconds, cpuSeconds }
}

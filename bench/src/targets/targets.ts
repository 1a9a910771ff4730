import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { write } from '../../../formats/src/writers/lerobot-v3/writer.ts'
import { makeV21, type SampleOptions } from '../formats/formats-sample.ts'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const rounds = 3
const mostOfFloor = 1.3
const leastOfPeer = 3
const mostGrowth = 1.2
/** On a large one V8 leaves garbage lying, the more the longer a process runs: that is not what a writer keeps. */
const smallHeap = ['--max-old-space-size=64', '--max-semi-space-size=4']

type Floor = 'copy' | 'copy+crc32' | 'decode' | 'decode twice' | 'decode+zstd' | 'render'

/** Enough bytes to copy for opening a dataset not to count, and frames to decode for starting the process that writes HDF5 not to; within minutes. */
const samples: Readonly<Record<'copied' | 'decoded' | 'few' | 'many' | 'small', SampleOptions>> = {
  small: { episodes: 6, length: 100, width: 160, height: 120 },
  copied: { episodes: 96, length: 300, width: 640, height: 480 },
  decoded: { episodes: 8, length: 300, width: 320, height: 240 },
  few: { episodes: 100, length: 4, width: 64, height: 48 },
  many: { episodes: 1000, length: 4, width: 64, height: 48 },
}

interface Comparison {
  readonly target: string
  readonly floor: Floor
  readonly settings?: string
}

/**
 * What a target cannot be made without, of a source in H.264. The copy is of the files that the target wrote: as many, and as large;
 * that of MCAP with the CRC-32 that its chunks have. What is decoded is written to a file of as many bytes, twice where the target has
 * it twice.
 * Norm stats read no video, so they have no floor.
 */
const comparisons: readonly Comparison[] = [
  { target: 'lerobot-v2.1', floor: 'copy' },
  { target: 'gr00t', floor: 'copy' },
  { target: 'mcap', floor: 'copy+crc32' },
  { target: 'rlds', floor: 'render' },
  { target: 'robomimic', floor: 'decode twice' },
  { target: 'zarr', floor: 'decode+zstd' },
  { target: 'zarr', floor: 'decode', settings: '{"compression":"none"}' },
]

interface Cost {
  seconds: number
  processorSeconds: number
  peakMegabytes: number
}

/** `scripts/lerobot_conversion/convert_v3_to_v2.py` in a checkout of Isaac-GR00T, which no package brings. */
const gr00tScript = process.env.NMP_GR00T_SCRIPT

/** `NMP_BENCH_TARGETS=mcap,rlds` measures some of them. */
const isWanted = (name: string): boolean => (process.env.NMP_BENCH_TARGETS ?? name).split(',').includes(name)

/** Each target against its floor in turns, in processes of their own; RLDS against the builder of tensorflow_datasets; and memory for ten times the episodes. */
export const benchTargets = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-targets-'))
  try {
    for (const [name, sample] of Object.entries(samples)) await makeSource(folder, name, sample)
    const rows: BenchRow[] = []
    for (const comparison of comparisons.filter(({ target }) => isWanted(target))) {
      rows.push(await compareWithFloor(comparison, folder))
      if (!comparison.settings) rows.push(await compareMemory(comparison.target, folder))
    }
    if (isWanted('rlds')) rows.push(await compareWithBuilder(folder))
    if (isWanted('gr00t') && gr00tScript) rows.push(await compareWithScript(folder, gr00tScript))
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function makeSource(folder: string, name: string, sample: SampleOptions): Promise<void> {
  const from = join(folder, `${name}-v21`)
  await makeV21(from, sample)
  await using dataset = await openDataset(await openFolder(from))
  await write(dataset, join(folder, name))
  await rm(from, { recursive: true })
}

interface Work {
  readonly what: string
  readonly source: string
  readonly out: string
  readonly settings?: string | undefined
  readonly flags?: readonly string[]
}

/** After a small one of the same kind in the same process, as long as V8 takes to compile what is hot; but where memory is measured. */
async function measure({ what, source, out, settings = '{}', flags = [] }: Work): Promise<Cost> {
  const small = flags.length === 0 ? [join(source, '..', 'small')] : []
  const script = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'target-work.ts')]
  const words = [...flags, ...script, what, source, out, settings, ...small]
  const { stdout } = await run(process.execPath, words, { maxBuffer: 1024 * 1024 })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Cost
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })

const describeSample = ({ episodes, length, width, height }: SampleOptions): string =>
  `${episodes} x ${length} frames ${width}x${height} in H.264`

const note = (): string => `best of ${rounds} in turns; load average ${loadavg()[0]?.toFixed(1)}`

async function compareWithFloor({ target, floor, settings }: Comparison, folder: string): Promise<BenchRow> {
  const isCopied = floor.startsWith('copy')
  const sample = isCopied ? 'copied' : 'decoded'
  const source = join(folder, sample)
  const [out, floorOut] = [join(folder, 'out'), join(folder, 'floor')]
  const [ours, floors]: [Cost[], Cost[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure({ what: target, source, out, settings }))
    floors.push(await measure({ what: floor, source: isCopied ? out : source, out: floorOut }))
    await remove(out)
    await remove(floorOut)
  }
  const least = (costs: readonly Cost[], key: 'seconds' | 'processorSeconds') =>
    Math.min(...costs.map((cost) => cost[key]))
  const [mine, peer] = [least(ours, 'seconds'), least(floors, 'seconds')]
  const ratio = mine / peer
  const processor = [ours, floors].map((costs) => `${least(costs, 'processorSeconds').toFixed(2)} s`).join(' against ')
  return {
    name: `${target}${settings ? ` ${settings}` : ''} of ${describeSample(samples[sample])}, against ${floor} alone`,
    ours: `${mine.toFixed(2)} s`,
    peer: `${peer.toFixed(2)} s`,
    ratio,
    goal: `at most ${mostOfFloor}`,
    met: ratio <= mostOfFloor,
    note: `${note()}; processor, of all processes: ${processor}`,
  }
}

async function compareMemory(target: string, folder: string): Promise<BenchRow> {
  const out = join(folder, 'out')
  const small = await measure({ what: target, source: join(folder, 'few'), out, flags: smallHeap })
  await remove(out)
  const large = await measure({ what: target, source: join(folder, 'many'), out, flags: smallHeap })
  await remove(out)
  const ratio = large.peakMegabytes / small.peakMegabytes
  return {
    name: `${target}: peak memory of the process, 1,000 episodes against 100`,
    ours: `${large.peakMegabytes} MiB`,
    peer: `${small.peakMegabytes} MiB`,
    ratio,
    goal: `at most ${mostGrowth}`,
    met: ratio <= mostGrowth,
    note: `with a heap of 64 MiB; 1,000 episodes took ${large.seconds.toFixed(1)} s`,
  }
}

interface Peer {
  readonly target: string
  readonly sample: 'copied' | 'decoded'
  readonly title: string
  readonly interpreter: string
  /** After `folder/source` has been made of the sample. */
  readonly words: (source: string) => readonly string[]
}

/** The builder gets what every such converter has: rows by pyarrow, frames by PyAV. */
const compareWithBuilder = (folder: string): Promise<BenchRow> =>
  compareWithPeer(folder, {
    ...{ target: 'rlds', sample: 'decoded', title: 'the builder of tensorflow_datasets', interpreter: 'targets' },
    words: (source) => [join(import.meta.dirname, 'rlds_peer.py'), source, join(folder, 'peer', 'tfds')],
  })

const compareWithScript = (folder: string, script: string): Promise<BenchRow> =>
  compareWithPeer(folder, {
    ...{ target: 'gr00t', sample: 'copied', title: "GR00T's convert_v3_to_v2.py", interpreter: 'lerobot-0.4.4' },
    words: (source) => [join(import.meta.dirname, 'v21_peer.py'), script, source],
  })

/** The peer works on a copy, which it may change. */
async function compareWithPeer(folder: string, peer: Peer): Promise<BenchRow> {
  const sample = join(folder, peer.sample)
  const name = `${peer.target} of ${describeSample(samples[peer.sample])}, against ${peer.title}`
  const goal = `at least ${leastOfPeer} times faster`
  const interpreter = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python', peer.interpreter, 'bin/python')
  if (!existsSync(interpreter))
    return { name, ours: '-', peer: '-', ratio: 0, goal, met: false, note: '.ci/install-python brings it' }
  const out = join(folder, 'out')
  const ours = await measure({ what: peer.target, source: sample, out })
  await remove(out)
  const source = join(folder, 'peer', 'source')
  await cp(sample, source, { recursive: true })
  const { stdout } = await run(interpreter, peer.words(source) as string[], {
    env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: '3', HF_HUB_OFFLINE: '1' },
    maxBuffer: 16 * 1024 * 1024,
  })
  await remove(join(folder, 'peer'))
  const seconds = Number(stdout.trim().split('\n').at(-1))
  const ratio = seconds / ours.seconds
  return {
    name,
    ours: `${ours.seconds.toFixed(2)} s`,
    peer: `${seconds.toFixed(2)} s`,
    ratio,
    goal,
    met: ratio >= leastOfPeer,
    note: `one run each; load average ${loadavg()[0]?.toFixed(1)}`,
  }
}

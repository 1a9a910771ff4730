/** HDF5: conversion against encoding alone and against a plain Python script, memory on a large file, reading against h5py. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openH5py } from '../python-peer.ts'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const worker = fileURLToPath(new URL('./hdf5-work.ts', import.meta.url))
const peerScript = fileURLToPath(new URL('./hdf5_peer.py', import.meta.url))
const size = { width: 640, height: 480 }
const small = { episodes: 4, length: 150 }
const largeBytes = Number(process.env.NMP_BENCH_HDF5_GB ?? 6) * 1e9
const megabyte = 1024 ** 2

export async function benchHdf5(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-hdf5-'))
  try {
    const h5py = await openH5py()
    await makeFile(h5py, folder, small.episodes, small.length)
    const rows = [...(await benchConversion(folder)), ...(await benchReading(h5py, folder))]
    await rm(join(folder, 'demo.hdf5'))
    return [...rows, ...(await benchMemory(h5py, folder))]
  } catch (error) {
    return [skip('HDF5', 'h5py', error)]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeFile(python: string, folder: string, episodes: number, length: number, raw = true): Promise<void> {
  const args = [peerScript, 'make', folder, episodes, length, size.width, size.height].map(String)
  await run(python, args, { env: { RAW: raw ? '1' : '0' }, timeout: 1_800_000 })
}

interface Cost {
  readonly wallSeconds: number
  readonly cpuSeconds: number
}

/** Wall and processor time of a command and everything it started. */
async function measure(command: readonly string[], environment: Record<string, string> = {}): Promise<Cost> {
  const began = performance.now()
  const { stdout } = await run('bash', ['-c', '"$@" >/dev/null 2>&1 || exit 1; times', '-', ...command], {
    env: { ...process.env, ...environment },
    timeout: 3_600_000,
  })
  const wallSeconds = (performance.now() - began) / 1000
  const spent = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  return {
    wallSeconds,
    cpuSeconds: spent.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0),
  }
}

function work(name: string, ...args: (string | number)[]): string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', worker, name, ...args.map(String)]
}

async function benchConversion(folder: string): Promise<BenchRow[]> {
  const { episodes, length } = small
  await mkdir(join(folder, 'alone'))
  const ours = await measure(work('convert', join(folder, 'demo.hdf5'), join(folder, 'ours')))
  const frames = [episodes, length, size.width, size.height, 20]
  const alone = await measure(work('encode', join(folder, 'frames.raw'), join(folder, 'alone'), ...frames))
  const name = `HDF5 to LeRobot v3, ${episodes * length} frames of ${size.width}x${size.height}`
  const encoding = ours.cpuSeconds / alone.cpuSeconds
  const rows: BenchRow[] = [
    {
      name: `${name}: against encoding alone`,
      ours: `${ours.cpuSeconds.toFixed(1)} s CPU`,
      peer: `${alone.cpuSeconds.toFixed(1)} s CPU`,
      ratio: encoding,
      goal: 'at most 1.1 times the CPU',
      met: encoding <= 1.1,
    },
  ]
  await rm(join(folder, 'frames.raw'))
  return [...rows, await comparePython(folder, name, ours)]
}

/** The lerobot of the Python lane, with h5py beside it. */
async function comparePython(folder: string, name: string, ours: Cost): Promise<BenchRow> {
  const venv = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python', 'lerobot-0.6.1')
  const title = `${name}: against h5py and LeRobotDataset.add_frame`
  const beside = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python', 'h5py')
  if (!existsSync(venv) || !existsSync(beside)) {
    return skip(title, 'lerobot 0.6.1', new Error('run .ci/install-python first'))
  }
  const script = [join(venv, 'bin', 'python'), peerScript, 'convert', join(folder, 'demo.hdf5'), join(folder, 'peer')]
  try {
    const peer = await measure(script, { PYTHONPATH: beside, HF_HUB_OFFLINE: '1' })
    const ratio = peer.wallSeconds / ours.wallSeconds
    const describe = ({ wallSeconds, cpuSeconds }: Cost) =>
      `${wallSeconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s CPU)`
    return {
      name: title,
      ours: describe(ours),
      peer: describe(peer),
      ratio,
      goal: 'at least 3 times as fast',
      met: ratio >= 3,
    }
  } catch (error) {
    return skip(title, 'lerobot 0.6.1', error)
  }
}

async function benchReading(python: string, folder: string): Promise<BenchRow[]> {
  const file = join(folder, 'demo.hdf5')
  const pictures = Array.from({ length: small.episodes }, (_, episode) => `/data/demo_${episode}/obs/agentview_image`)
  const rows: BenchRow[] = []
  // Read often enough that the work is long beside the start-up that is taken off.
  for (const [name, paths] of [
    ['pixels, contiguous', repeat(pictures, 4)],
    ['vectors, contiguous', repeat(['/vectors'], 20)],
    ['vectors, gzip', repeat(['/packed'], 4)],
  ] as const) {
    const ours = await measure(work('read', file, ...paths))
    const idle = await measure(work('read', file))
    const peer = await measure([python, peerScript, 'read', file, ...paths])
    const peerIdle = await measure([python, peerScript, 'read', file])
    const [own, other] = [ours.cpuSeconds - idle.cpuSeconds, peer.cpuSeconds - peerIdle.cpuSeconds]
    const ratio = Math.max(0.01, own) / Math.max(0.01, other)
    rows.push({
      name: `Reading HDF5 ${name}`,
      ours: `${own.toFixed(2)} s CPU (start ${idle.cpuSeconds.toFixed(2)})`,
      peer: `h5py ${other.toFixed(2)} s CPU (start ${peerIdle.cpuSeconds.toFixed(2)})`,
      ratio,
      goal: 'at most 1.5 times the CPU',
      met: ratio <= 1.5,
    })
  }
  return rows
}

const repeat = <T>(items: readonly T[], times: number): T[] => Array.from({ length: times }, () => items).flat()

async function benchMemory(python: string, folder: string): Promise<BenchRow[]> {
  const frameBytes = size.width * size.height * 3
  const length = 500
  const episodes = Math.max(1, Math.round(largeBytes / (length * frameBytes)))
  await makeFile(python, folder, episodes, length, false)
  const file = join(folder, 'demo.hdf5')
  const gigabytes = ((await stat(file)).size / 1e9).toFixed(1)
  const rows: BenchRow[] = []
  for (const [name, args] of [
    ['inspect', [file]],
    ['convert', [file, join(folder, 'large')]],
  ] as const) {
    const { peakBytes, firstHalfBytes } = await watchMemory(work(name, ...args))
    const ratio = peakBytes / (600 * megabyte)
    rows.push({
      name: `Resident memory of ${name}, a file of ${gigabytes} GB`,
      ours: `${Math.round(peakBytes / megabyte)} MB (first half ${Math.round(firstHalfBytes / megabyte)} MB)`,
      peer: 'bound 600 MB',
      ratio,
      goal: 'at most 600 MB, flat',
      met: ratio <= 1,
      note: 'This process and its HDF5 child; the encoder has its own bound.',
    })
  }
  return rows
}

/** Peaks of the resident memory of a command and its HDF5 children, sampled four times a second. */
async function watchMemory(command: readonly string[]): Promise<{ peakBytes: number; firstHalfBytes: number }> {
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: 'ignore' })
  const samples: number[] = []
  const timer = setInterval(() => void sumResident(child.pid).then((bytes) => samples.push(bytes)), 250)
  const code = await new Promise((done) => child.once('exit', done))
  clearInterval(timer)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`)
  const half = samples.slice(0, Math.ceil(samples.length / 2))
  return { peakBytes: Math.max(0, ...samples), firstHalfBytes: Math.max(0, ...half) }
}

async function sumResident(root: number | undefined): Promise<number> {
  let total = 0
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
    if (Number(pid) !== root && parent !== root) continue
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (Number(pid) !== root && !line.includes('hdf5/entry')) continue
    total += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
  }
  return total
}

function skip(name: string, peer: string, cause: unknown): BenchRow {
  const note = `not measured: ${cause instanceof Error ? cause.message.split('\n')[0] : String(cause)}`
  return { name, ours: '-', peer, ratio: 0, goal: '-', met: false, note }
}

/** What our videos cost in training: stock lerobot reads a dataset that we wrote and one that it recorded itself, of the same frames. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { listFiles } from '../imports/import-setup.ts'
import { python, torchcodecEnv } from '../lerobot.ts'
import { openH5py } from '../python-peer.ts'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const beside = (name: string): string => join(import.meta.dirname, name)
const sample = { episodes: 8, length: 150, width: 320, height: 240 }
const leastRate = 1.2

interface Reading {
  /** Samples a second: ours, theirs. */
  workers1: [number, number]
  workers4: [number, number]
  psnr: [number, number]
}

export async function benchTraining(): Promise<BenchRow[]> {
  const name = `Training: ${sample.episodes * sample.length} frames of ${sample.width}x${sample.height} in random order by lerobot`
  if (!existsSync(python)) {
    const note = 'not measured: run .ci/install-python first'
    return [{ name, ours: '-', peer: '-', ratio: 0, goal: `at least ${leastRate}`, met: false, note }]
  }
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-training-'))
  try {
    const [source, ours, theirs] = ['demo.hdf5', 'ours', 'theirs'].map((part) => join(folder, part)) as [
      string,
      string,
      string,
    ]
    const size = Object.values(sample).map(String)
    await run(await openH5py(), [beside('../formats/hdf5_peer.py'), 'make', folder, ...size], { env: { RAW: '0' } })
    const lerobot = torchcodecEnv(folder)
    const modules = `${lerobot.PYTHONPATH}:${resolve(python, '../../../h5py')}`
    const env = { ...lerobot, PYTHONPATH: modules, OMP_NUM_THREADS: '1' }
    await run(process.execPath, [beside('../formats/hdf5-work.ts'), 'convert', source, ours])
    await run(python, [beside('../formats/hdf5_peer.py'), 'convert', source, theirs], { env, maxBuffer: 1 << 28 })
    const { stdout } = await run(python, [beside('training_peer.py'), source, ours, theirs], {
      env,
      maxBuffer: 1 << 28,
    })
    const reading: Reading = JSON.parse(stdout.slice(stdout.lastIndexOf('RESULT ') + 7))
    const [bytes, theirBytes] = [await sumVideos(ours), await sumVideos(theirs)]
    const megabytes = (count: number): string => `${(count / 1e6).toFixed(2)} MB`
    const note = `videos of ${megabytes(bytes)} against ${megabytes(theirBytes)}; PSNR to the source ${reading.psnr[0].toFixed(1)} against ${reading.psnr[1].toFixed(1)} dB; best of three epochs in turns`
    return ([1, 4] as const).map((workers) => {
      const [rate, peer] = reading[`workers${workers}`]
      return {
        name: `${name}, ${workers === 1 ? 'one worker' : 'four workers'}, against its own recording of them`,
        ours: `${rate.toFixed(0)} samples/s`,
        peer: `${peer.toFixed(0)} samples/s`,
        ratio: rate / peer,
        goal: `at least ${leastRate}, with videos that are not larger`,
        met: rate / peer >= leastRate && bytes <= theirBytes,
        note,
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function sumVideos(folder: string): Promise<number> {
  const videos = (await listFiles(folder)).filter((file) => file.endsWith('.mp4'))
  const sizes = await Promise.all(videos.map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findCampaignSet } from '../../../fixtures/fixture.ts'
import { makeV21 } from '../formats/formats-sample.ts'
import { openH5py } from '../python-peer.ts'
import type { BenchRow } from '../row.ts'
import { type ImportSetup, listFiles, openImportSetup, type StoredSource } from './import-setup.ts'

const run = promisify(execFile)
const targetBytes = 500e6

/** What an import costs beside the least that anybody must do with the same bytes: copy and hash them. */
export const benchImports = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-imports-'))
  const setup = await openImportSetup()
  try {
    await setup.startWorker({ leaseSeconds: 60, concurrency: 1 })
    return [
      ...(await benchStored(setup, join(folder, 'v30'))),
      await benchOlder(setup, join(folder, 'v21')),
      await benchVectors(setup, join(folder, 'vectors')),
    ]
  } finally {
    await setup.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function benchStored(setup: ImportSetup, source: string): Promise<BenchRow[]> {
  const name = 'import of a stored v3.0 dataset of 500 MB against cp and sha256sum of it'
  const set = 'lerobot/recorded-v3.0-can'
  const sample = findCampaignSet(set)
  if (!sample) {
    return [
      { name, ours: '-', peer: '-', ratio: 0, goal: 'at most 1.5', met: false, note: `NMP_FIXTURES has no ${set}` },
    ]
  }
  await growDataset(sample, source)
  const { row, stored, slug, milliseconds } = await compare(setup, { name, kind: 'lerobot', source, most: 1.5 })
  const again = await measureAgain(setup, stored, slug)
  return [
    row,
    {
      name: 'import of the same content again, under another name',
      ours: seconds(again.milliseconds),
      peer: `${seconds(milliseconds)}, the first one`,
      ratio: again.milliseconds / milliseconds,
      goal: 'at most 0.2, and no byte of the dataset stored twice',
      met: again.milliseconds / milliseconds <= 0.2 && again.storedBytes < 1e6,
      note: `${again.storedBytes} bytes more in the store (the report)`,
    },
  ]
}

async function benchOlder(setup: ImportSetup, source: string): Promise<BenchRow> {
  await makeV21(source, { episodes: 60, length: 300, width: 640, height: 480 })
  const name = 'import of LeRobot v2.1, 60 episodes, 18,000 frames of 640x480, against cp and sha256sum of it'
  return (await compare(setup, { name, kind: 'lerobot', source, most: 2 })).row
}

async function benchVectors(setup: ImportSetup, source: string): Promise<BenchRow> {
  await mkdir(source, { recursive: true })
  const file = join(source, 'vectors.hdf5')
  await run(await openH5py(), [join(import.meta.dirname, '../formats/hdf5_peer.py'), 'vectors', file, '1000', '300'])
  const name = 'import of HDF5 without cameras, 1,000 episodes of 300 frames, against cp and sha256sum of it'
  return (await compare(setup, { name, kind: 'hdf5', source: file, most: 2 })).row
}

interface Comparison {
  name: string
  kind: StoredSource['kind']
  source: string
  /** The ratio that is the goal. */
  most: number
}

async function compare(setup: ImportSetup, { name, kind, source, most }: Comparison) {
  const slug = name.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 40)
  const stored = await setup.store(source, kind, slug)
  const startedAt = performance.now()
  const job = await setup.wait(await setup.queue(stored, slug))
  const milliseconds = performance.now() - startedAt
  if (job.state !== 'succeeded') throw new Error(`the import failed: ${job.error_message}`)
  const peerStart = performance.now()
  await run('cp', ['-r', '--reflink=never', source, `${source}-copy`])
  await run('sha256sum', await listFiles(`${source}-copy`))
  const peer = performance.now() - peerStart
  const ratio = milliseconds / peer
  const size = (stored.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / 1e6).toFixed(0)
  const row: BenchRow = {
    name,
    ours: seconds(milliseconds),
    peer: seconds(peer),
    ratio,
    goal: `at most ${most}`,
    met: ratio <= most,
    note: `${size} MB; ours reads every row, measures every feature, and decodes the camera frames of LeRobot's sample`,
  }
  return { row, stored, slug, milliseconds }
}

async function measureAgain(setup: ImportSetup, stored: StoredSource, first: string) {
  const sumObjects = async (): Promise<number> => {
    let total = 0
    for await (const { sizeBytes } of setup.context.storage.listObjects('')) total += sizeBytes
    return total
  }
  const before = await sumObjects()
  const begun = performance.now()
  // The first one's options: equal files with equal options are bound to have an equal result.
  const job = await setup.wait(await setup.queue(stored, 'again', first))
  const milliseconds = performance.now() - begun
  if (job.state !== 'succeeded') throw new Error(`the import failed: ${job.error_message}`)
  return { milliseconds, storedBytes: (await sumObjects()) - before }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`

/** The sample's video files, made long by bytes that belong to no frame: what is copied and hashed grows, episodes do not. */
async function growDataset(sample: string, target: string): Promise<void> {
  const files = await listFiles(sample)
  const videos = files.filter((file) => file.endsWith('.mp4'))
  for (const file of files) {
    const copy = join(target, file.slice(sample.length))
    await mkdir(join(copy, '..'), { recursive: true })
    await copyFile(file, copy)
    if (videos.includes(file)) await padVideo(copy, Math.ceil((targetBytes - 55e6) / videos.length))
  }
}

/** A `free` box at the end, which every reader of MP4 steps over. */
async function padVideo(path: string, count: number): Promise<void> {
  const box = Buffer.alloc(count, 7)
  box.writeUInt32BE(count, 0)
  box.write('free', 4, 'latin1')
  await writeFile(path, Buffer.concat([await readFile(path), box]))
}

import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findCampaignSet } from '../../fixtures/fixture.ts'
import { type ImportSetup, listFiles, openImportSetup, type StoredSource } from './import-setup.ts'
import type { BenchRow } from './row.ts'

const run = promisify(execFile)
const targetBytes = 500e6

/** What an import costs beside the least that anybody must do with the same bytes: copy and hash them. */
export const benchImports = async (): Promise<BenchRow[]> => {
  const name = 'import of a stored v3.0 dataset of 500 MB against cp and sha256sum of it'
  const set = 'lerobot/recorded-v3.0-can'
  const sample = findCampaignSet(set)
  if (!sample) {
    return [{ name, ours: '-', peer: '-', ratio: 0, goal: 'at most 3', met: false, note: `NMP_FIXTURES has no ${set}` }]
  }
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-imports-'))
  const setup = await openImportSetup()
  try {
    const source = join(folder, 'source')
    const sizeBytes = await growDataset(sample, source)
    const stored = await setup.store(source, 'lerobot', 'bench')
    await setup.startWorker({ leaseSeconds: 60, concurrency: 1 })
    const startedAt = performance.now()
    const job = await setup.wait(await setup.queue(stored, 'bench'))
    const ours = performance.now() - startedAt
    if (job.state !== 'succeeded') throw new Error(`the import failed: ${job.error_message}`)
    const peerStart = performance.now()
    await run('cp', ['-r', source, join(folder, 'copy')])
    for (const file of await listFiles(join(folder, 'copy'))) await run('sha256sum', [file])
    const peer = performance.now() - peerStart
    const ratio = ours / peer
    const again = await measureAgain(setup, stored)
    const note = `${(sizeBytes / 1e6).toFixed(0)} MB; rows, statistics of every feature and the camera frames of LeRobot's sample are read by ours`
    return [
      { name, ours: seconds(ours), peer: seconds(peer), ratio, goal: 'at most 3', met: ratio <= 3, note },
      {
        name: 'import of the same content again, under another name',
        ours: seconds(again.milliseconds),
        peer: `${seconds(ours)}, the first one`,
        ratio: again.milliseconds / ours,
        goal: 'at most 0.2, and no byte of the dataset stored twice',
        met: again.milliseconds / ours <= 0.2 && again.storedBytes < 1e6,
        note: `${again.storedBytes} bytes more in the store (the report)`,
      },
    ]
  } finally {
    await setup.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureAgain(setup: ImportSetup, stored: StoredSource) {
  const sumObjects = async (): Promise<number> => {
    let total = 0
    for await (const { sizeBytes } of setup.context.storage.listObjects('')) total += sizeBytes
    return total
  }
  const before = await sumObjects()
  const begun = performance.now()
  // The first one's options: equal files with equal options are bound to have an equal result.
  const job = await setup.wait(await setup.queue(stored, 'again', 'bench'))
  const milliseconds = performance.now() - begun
  if (job.state !== 'succeeded') throw new Error(`the import failed: ${job.error_message}`)
  return { milliseconds, storedBytes: (await sumObjects()) - before }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`

/** The sample's video files, made long by bytes that belong to no frame: what is copied and hashed grows, episodes do not. */
async function growDataset(sample: string, target: string): Promise<number> {
  const files = await listFiles(sample)
  const videos = files.filter((file) => file.endsWith('.mp4'))
  let sizeBytes = 0
  for (const file of files) {
    const copy = join(target, file.slice(sample.length))
    await mkdir(join(copy, '..'), { recursive: true })
    await copyFile(file, copy)
    if (videos.includes(file)) await padVideo(copy, Math.ceil((targetBytes - 55e6) / videos.length))
    sizeBytes += (await stat(copy)).size
  }
  return sizeBytes
}

/** A `free` box at the end, which every reader of MP4 steps over. */
async function padVideo(path: string, count: number): Promise<void> {
  const box = Buffer.alloc(count, 7)
  box.writeUInt32BE(count, 0)
  box.write('free', 4, 'latin1')
  await writeFile(path, Buffer.concat([await readFile(path), box]))
}

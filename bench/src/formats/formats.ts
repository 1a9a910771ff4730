import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openParquetReader } from '../../../formats/src/containers/parquet/parquet.ts'
import { createParquetWriter } from '../../../formats/src/containers/parquet/writer.ts'
import type { Dataset } from '../../../formats/src/dataset.ts'
import { openFolder } from '../../../formats/src/file-tree.ts'
import { openDataset } from '../../../formats/src/layouts/index.ts'
import { EpisodeStatistics } from '../../../formats/src/statistics/episode.ts'
import { write } from '../../../formats/src/writers/lerobot-v3/writer.ts'
import type { BenchRow } from '../row.ts'
import { fields, makeRows, makeV21 } from './formats-sample.ts'

const run = promisify(execFile)
const python = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python/lerobot-0.6.1/bin/python')
const skipped = 'skipped: no lerobot 0.6.1; `.ci/install-python` makes it'

/** Parquet and statistics against pyarrow, a subset against cp and lerobot's delete, v2.1 to v3 against lerobot's converter. */
export async function benchFormats(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-formats-'))
  try {
    return [...(await benchParquet(folder)), ...(await benchSubset(folder)), ...(await benchConversion(folder))]
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Peer = { write: number; read: number; seconds: number; peakMegabytes: number }

async function askPeer(...args: string[]): Promise<Peer | undefined> {
  if (!existsSync(python)) return undefined
  const script = join(import.meta.dirname, 'formats_peer.py')
  const { stdout } = await run(python, [script, ...args], { maxBuffer: 1 << 28, timeout: 1_800_000 })
  return JSON.parse(stdout.slice(stdout.lastIndexOf('RESULT ') + 7)) as Peer
}

async function benchParquet(folder: string): Promise<BenchRow[]> {
  const path = join(folder, 'rows.parquet')
  const episodes = Array.from({ length: 1000 }, (_, episode) => makeRows(episode, 1000, episode * 1000))
  const writing = await measureCpu(async () => {
    const writer = await createParquetWriter(path, fields)
    for (const rows of episodes) {
      await writer.writeRows(1000, rows)
      await writer.endRowGroup()
    }
    await writer.finish()
  })
  episodes.length = 0
  const reading = await measureCpu(() => readWithStatistics(folder, path))
  const peer = await askPeer('parquet', path, join(folder, 'peer.parquet'))
  return [
    compare(
      'Parquet: write 1 million rows of 2 x 14 float32, 1000 row groups, CPU',
      writing,
      peer?.write,
      'pyarrow',
      1.2,
    ),
    compare(
      'Parquet: read them with min, max, mean, std and 5 quantiles, CPU',
      reading,
      peer?.read,
      'pyarrow + numpy',
      1.2,
    ),
  ]
}

async function readWithStatistics(folder: string, path: string): Promise<void> {
  await using reader = await openParquetReader(folder)
  const columns = fields.map(({ name }, place) => ({
    name,
    dtype: place < 4 ? ('float32' as const) : ('int64' as const),
    shape: [place < 2 ? 14 : 1],
  }))
  const start = () => columns.map(({ shape }) => new EpisodeStatistics(shape[0] ?? 1))
  let statistics = start()
  let rows = 0
  for await (const chunk of reader.scan(path, columns)) {
    chunk.columns.forEach((values, place) => {
      if (ArrayBuffer.isView(values)) statistics[place]?.add(values, chunk.rowCount)
    })
    rows += chunk.rowCount
    if (rows < 16_384) continue
    for (const one of statistics) one.finish()
    statistics = start()
    rows = 0
  }
  for (const one of statistics) one.finish()
}

async function benchSubset(folder: string): Promise<BenchRow[]> {
  const source = join(folder, 'v21')
  const whole = join(folder, 'whole')
  await makeV21(source, { episodes: 20, length: 300, width: 320, height: 240 })
  await convert(source, whole)
  const subset = join(folder, 'subset')
  await using dataset = await openDataset(await openFolder(whole))
  const ours = await measureWall(() => write(leaveOut(dataset, 1), subset, { cameraStatistics: 'carry' }))
  const peer = await askPeer('delete', whole, join(folder, 'deleted'))
  const name = 'Subset: 19 of 20 episodes (5700 frames of 320x240) of a v3 dataset'
  const speedUp = peer ? peer.seconds / ours : 0
  return [
    await benchLargeSubset(join(folder, 'large')),
    {
      name: `${name}, wall, against lerobot's delete_episodes`,
      ours: `${ours.toFixed(2)} s`,
      peer: peer ? `lerobot 0.6.1 ${peer.seconds.toFixed(1)} s` : skipped,
      ratio: speedUp,
      goal: 'at least 20 times faster',
      met: speedUp >= 20,
    },
  ]
}

/** Of a size at which copying takes longer than starting to. */
async function benchLargeSubset(folder: string): Promise<BenchRow> {
  const [source, whole, subset] = ['v21', 'whole', 'subset'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await makeV21(source, { episodes: 60, length: 600, width: 640, height: 480 })
  await convert(source, whole)
  await run('sync', [])
  await using dataset = await openDataset(await openFolder(whole))
  const ours = await measureWall(() => write(leaveOut(dataset, 1), subset, { cameraStatistics: 'carry' }))
  await run('sync', [])
  const copying = await measureWall(() => run('cp', ['-r', '--reflink=never', subset, join(folder, 'copy')]))
  const name = 'Subset: 59 of 60 episodes (35,400 frames of 640x480, 837 MB), wall, against cp of the bytes written'
  return compare(name, ours, copying, 'cp -r', 1.2)
}

/** The dataset without one episode, as a recipe would select. */
function leaveOut(dataset: Dataset, left: number): Dataset {
  const { intact: _, ...rest } = dataset
  return {
    ...rest,
    episodeCount: dataset.episodeCount - 1,
    frameCount: dataset.frameCount - dataset.getEpisode(left).length,
    getEpisode: (position) => dataset.getEpisode(position < left ? position : position + 1),
    close: () => dataset.close(),
    [Symbol.asyncDispose]: () => dataset.close(),
  }
}

async function benchConversion(folder: string): Promise<BenchRow[]> {
  const source = join(folder, 'v21-500')
  await makeV21(source, { episodes: 500, length: 100, width: 128, height: 96 })
  const before = process.memoryUsage().rss
  let peakBytes = before
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss)
  }, 50)
  const ours = await measureWall(() => convert(source, join(folder, 'v30-500')))
  clearInterval(watch)
  const peer = await askPeer('convert', source)
  const speedUp = peer ? peer.seconds / ours : 0
  const grown = Math.round((peakBytes - before) / 1024 ** 2)
  return [
    {
      name: 'Conversion: 500 episodes of v2.1 (50,000 rows, one camera) to v3, wall',
      ours: `${ours.toFixed(1)} s`,
      peer: peer ? `lerobot 0.6.1 ${peer.seconds.toFixed(1)} s` : skipped,
      ratio: speedUp,
      goal: 'at least 2 times faster',
      met: speedUp >= 2,
      note: `our memory grew by ${grown} MiB${peer ? `; the peer's peak was ${peer.peakMegabytes} MiB` : ''}; ours decodes some keyframes of each episode for camera statistics and LeRobot's whole sample of some, the peer copies the source's`,
    },
  ]
}

async function convert(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true })
  await using dataset = await openDataset(await openFolder(source))
  await write(dataset, target)
}

function compare(name: string, ours: number, peer: number | undefined, peerName: string, bound: number): BenchRow {
  const ratio = peer === undefined ? 0 : ours / peer
  return {
    name,
    ours: `${ours.toFixed(2)} s`,
    peer: peer === undefined ? skipped : `${peerName} ${peer.toFixed(2)} s`,
    ratio,
    goal: `at most ${bound} times`,
    met: peer !== undefined && ratio <= bound,
  }
}

async function measureCpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

async function measureWall(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

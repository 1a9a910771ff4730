import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { openFile } from '../../../formats/src/bytes.ts'
import { openCodec } from '../../../formats/src/containers/codec/codec.ts'
import { openVideo } from '../../../formats/src/containers/video/video.ts'
import { createApp } from '../../../server/src/app.ts'
import { loadConfig } from '../../../server/src/config.ts'
import type { Context } from '../../../server/src/context.ts'
import { inTransaction, openDatabase } from '../../../server/src/db/database.ts'
import { openEmbeddedPostgres } from '../../../server/src/db/embedded.ts'
import { migrateDatabase } from '../../../server/src/db/migrations.ts'
import { findMediaRevision } from '../../../server/src/media/repository.ts'
import { getDatasetFile } from '../../../server/src/media/service.ts'
import { posterUrl } from '../../../server/src/media/urls.ts'
import { createProject } from '../../../server/src/organizations/projects/service.ts'
import { createOrg } from '../../../server/src/organizations/service.ts'
import { publishBlobs, stageBlob } from '../../../server/src/storage/blobs.ts'
import { type Prepared, prepareDataset, publishPrepared } from '../../../server/test/published-dataset.ts'
import { measureReadBytes, measureTreeSeconds } from '../process-tree.ts'
import type { BenchRow } from '../row.ts'
import { createRecording, recordedCamera, writeLargeVideo } from './media-recording.ts'

const episodeCount = 96
const episodeFrames = 8
/** What a browser opens to one address. */
const connections = 6
const rounds = 3
const largeBytes = 200_000_000
const log = pino({ level: 'silent' })

interface Cost {
  seconds: number
  cpuSeconds: number
}

interface Place {
  orgId: string
  projectId: string
}

/** Pictures over HTTP against the decoder alone. */
export const benchMedia = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-media-'))
  const postgres = await openEmbeddedPostgres({ folder: join(folder, 'postgres'), log })
  const database = openDatabase({ connection: postgres.connection, log })
  const { db } = database
  const config = loadConfig({ NMP_DATA_DIR: folder, NMP_LOG_LEVEL: 'silent' })
  const start = () => startServer(['ours', JSON.stringify(postgres.connection), folder])
  const servers: Server[] = []
  try {
    await migrateDatabase(database.pool)
    const app = await createApp({ config, log, db, connection: postgres.connection, publicUrl: 'http://127.0.0.1' })
    const org = await createOrg(db, 'operator', { slug: 'bench', name: 'Bench' })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'bench', name: 'Bench' })
    const place = { orgId: org.id, projectId: project.id }
    const pages: Cost[] = []
    const warm: Cost[] = []
    const alone: Cost[] = []
    const prepared = await prepareDataset(createRecording(episodeCount, episodeFrames))
    for (let round = 0; round < rounds; round++) {
      const { paths, file } = await publishPage(app.context, prepared, place, round)
      const server = await start()
      servers.push(server)
      pages.push(await measure(server.pid, () => fetchAll(server, paths)))
      warm.push(await measure(server.pid, () => fetchAll(server, paths)))
      alone.push(await measure(process.pid, () => decodeFirstFrames(file)))
      server.child.kill()
    }
    const any = await benchAnyFrame(app.context, place, await start())
    const large = await benchLargeFile(app.context, place, folder, await start())
    await app.close()
    return [
      describePage('cold', best(pages), best(alone)),
      describePage('warm', best(warm), best(alone)),
      ...any,
      large,
    ]
  } finally {
    for (const { child } of servers) child.kill()
    await database.close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const best = (costs: readonly Cost[]): Cost =>
  costs.reduce((one, other) => (other.cpuSeconds < one.cpuSeconds ? other : one))

const describePage = (kind: 'cold' | 'warm', ours: Cost, alone: Cost): BenchRow => ({
  name: `96 posters of a frames page, ${kind}, against decoding the same 96 frames alone`,
  ours: `${ours.cpuSeconds.toFixed(2)} s of CPU, ${ours.seconds.toFixed(2)} s`,
  peer: `${alone.cpuSeconds.toFixed(2)} s of CPU, ${alone.seconds.toFixed(2)} s`,
  ratio: ours.cpuSeconds / alone.cpuSeconds,
  goal: 'at most 1.5 (CPU)',
  met: ours.cpuSeconds / alone.cpuSeconds <= 1.5,
  note:
    kind === 'cold'
      ? 'ours with 96 HTTP requests over 6 connections, JPEG at 640x480, and the start of the codec processes; the peer is one process that decodes'
      : 'the same requests again',
})

async function measure(pid: number, work: () => Promise<void>): Promise<Cost> {
  const before = measureTreeSeconds(pid)
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1000
  return { seconds, cpuSeconds: measureTreeSeconds(pid) - before }
}

interface Server {
  child: ChildProcess
  pid: number
  port: number
}

async function startServer(args: string[]): Promise<Server> {
  const child = fork(fileURLToPath(new URL('../catalog/catalog-server.ts', import.meta.url)), args)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, pid: child.pid ?? 0, port }
}

async function fetchAll({ port }: Server, paths: readonly string[]): Promise<void> {
  const waiting = [...paths]
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
}

/** A dataset of its own for each round, so that no picture is there yet. */
async function publishPage(
  context: Context,
  prepared: Prepared,
  place: Place,
  round: number,
): Promise<{ paths: string[]; file: string }> {
  const { datasetId, revisionId } = await publishPrepared(context, prepared, { ...place, slug: `page-${round}` })
  const media = await findMediaRevision(context.db, datasetId, revisionId)
  if (!media) throw new Error('the recording was not published')
  const blob = await getDatasetFile(context, media, `videos/${recordedCamera}/chunk-000/file-000.mp4`)
  const paths = Array.from({ length: episodeCount }, (_, episode) =>
    posterUrl(context, media, { episode, camera: recordedCamera, frame: 0 }).slice(context.publicUrl.length),
  )
  return { paths, file: (await context.storage.locateObject(blob.storeKey)) ?? '' }
}

async function decodeFirstFrames(path: string): Promise<void> {
  await using source = await openFile(path)
  await using video = await openVideo(source)
  await using codec = openCodec({ maxProcesses: 1 })
  const frames = Array.from({ length: episodeCount }, (_, episode) => episode * episodeFrames)
  let count = 0
  for await (const _ of codec.decode({ video, frames })) count++
  if (count !== episodeCount) throw new Error(`${count} frames were decoded`)
}

/** Pictures of frames anywhere in longer episodes, one after the other and each for the first time, as somebody has them who jumps about. */
async function benchAnyFrame(context: Context, place: Place, server: Server): Promise<BenchRow[]> {
  const [episodes, length, count] = [4, 150, 40]
  const prepared = await prepareDataset(createRecording(episodes, length))
  const { datasetId, revisionId } = await publishPrepared(context, prepared, { ...place, slug: 'any' })
  const media = await findMediaRevision(context.db, datasetId, revisionId)
  if (!media) throw new Error('the recording was not published')
  const blob = await getDatasetFile(context, media, `videos/${recordedCamera}/chunk-000/file-000.mp4`)
  const asked = Array.from({ length: count }, (_, step) => ({ episode: step % episodes, frame: (step * 37) % length }))
  const times: number[] = []
  for (const { episode, frame } of asked) {
    const url = posterUrl(context, media, { episode, camera: recordedCamera, frame })
    const begun = performance.now()
    await fetchAll(server, [url.slice(context.publicUrl.length)])
    times.push(performance.now() - begun)
  }
  server.child.kill()
  const alone: number[] = []
  await using source = await openFile((await context.storage.locateObject(blob.storeKey)) ?? '')
  await using video = await openVideo(source)
  await using codec = openCodec({ maxProcesses: 1 })
  for (const { episode, frame } of asked) {
    const begun = performance.now()
    for await (const _ of codec.decode({ video, frames: [episode * length + frame] }));
    alone.push(performance.now() - begun)
  }
  const at = (values: number[], share: number): number =>
    values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  const [middle, peer, late] = [at(times, 0.5), at(alone, 0.5), at(times, 0.95)]
  const milliseconds = (value: number): string => `${value.toFixed(0)} ms`
  const what = `picture of any frame of ${episodes} episodes of ${length}, each asked for the first time`
  return [
    {
      name: `${what}, against the decoder alone for that GOP`,
      ours: milliseconds(middle),
      peer: milliseconds(peer),
      ratio: middle / peer,
      goal: 'at most 1.5',
      met: middle / peer <= 1.5,
      note: `the middle of ${count}; ours also scales, encodes a JPEG, keeps it and answers by HTTP`,
    },
    {
      name: `${what}, 95 % of them`,
      ours: milliseconds(late),
      peer: '150 ms, the bound',
      ratio: late / 150,
      goal: 'at most 1',
      met: late <= 150,
    },
  ]
}

/** One frame of a large file: what is read is its index and the packets from the keyframe before it. */
async function benchLargeFile(context: Context, place: Place, folder: string, server: Server): Promise<BenchRow> {
  const { path, frameCount } = await writeLargeVideo(join(folder, 'large'), largeBytes)
  const prepared = await prepareDataset(createRecording(1, Math.min(frameCount, 2)))
  const { datasetId, revisionId } = await publishPrepared(context, prepared, { ...place, slug: 'large' })
  const name = `videos/${recordedCamera}/chunk-000/file-000.mp4`
  const blob = await stageBlob(context.storage, { id: revisionId, epoch: 1 }, createReadStream(path))
  await inTransaction(context.db, async (trx) => {
    const owner = { kind: 'revision', id: revisionId, orgId: place.orgId }
    await trx
      .deleteFrom('blob_references')
      .where('owner_id', '=', revisionId)
      .where('logical_path', '=', `dataset/${name}`)
      .execute()
    await publishBlobs(trx, owner, [{ logicalPath: `dataset/${name}`, ...blob }])
  })
  const media = await findMediaRevision(context.db, datasetId, revisionId)
  if (!media) throw new Error('the large recording was not published')
  const url = posterUrl(context, media, { episode: 0, camera: recordedCamera, frame: 1 })
  const before = measureReadBytes(server.pid)
  const begun = performance.now()
  await fetchAll(server, [url.slice(context.publicUrl.length)])
  const milliseconds = performance.now() - begun
  const readBytes = measureReadBytes(server.pid) - before
  server.child.kill()
  const { size } = await stat(path)
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
  return {
    name: 'bytes read for one poster of a large video file, against the file',
    ours: `${megabytes(readBytes)} in ${milliseconds.toFixed(0)} ms`,
    peer: megabytes(size),
    ratio: readBytes / size,
    goal: 'at most 0.1',
    met: readBytes / size <= 0.1,
    note: `frame 1 of ${frameCount}; the modules of the codec process are not counted, those of the server are`,
  }
}

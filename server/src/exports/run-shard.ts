import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { FilePool } from '@nmp/formats/bytes'
import type { Codec } from '@nmp/formats/codec'
import type { CameraFeature } from '@nmp/formats/feature'
import { mapAtMost } from '@nmp/formats/limiter'
import type { CameraStatistics } from '@nmp/formats/statistics/camera'
import { mapPackets } from '@nmp/formats/steps/frame-map'
import { openVideo, type Video } from '@nmp/formats/video'
import { encodeCamera } from '@nmp/formats/writers/encoded-cameras'
import type { Context } from '../context.ts'
import { listRevisionFiles } from '../datasets/service.ts'
import { inTransaction } from '../db/database.ts'
import { notFound } from '../errors.ts'
import type { JobHandler, JobRun } from '../jobs/handler.ts'
import { lockClaim } from '../jobs/statements/lock-claim.ts'
import { wakeJob } from '../jobs/statements/wake-job.ts'
import { openWorkFolder, removeWorkFolder } from '../jobs/work-folder.ts'
import {
  computeResultDigest,
  iterateBlobs,
  type PublishedEntry,
  publishBlobs,
  stageBlob,
  stageFile,
} from '../storage/blobs.ts'
import { layOutAhead } from '../storage/local-tree.ts'
import type { PlannedCamera } from '../versions/plan/plan.ts'
import { getVersion } from '../versions/service.ts'
import { encoderLanes, takeCodec } from './encoders.ts'
import { markRunning } from './mark-running.ts'
import * as repository from './repository.ts'
import { shardJobKind } from './service.ts'
import { settleShard } from './settle.ts'
import { findEpisode, listEncodedCameras, stagedOwner, stagedPath } from './shards.ts'
import { openVersionSource, type SourcePart } from './version-source.ts'

const deadlineHours = 24

/** Encodes the changed cameras of some episodes. Each file is staged once: an attempt that follows a lost one goes on after it. */
export const createShardHandler = (context: Context): JobHandler => ({
  kind: shardJobKind,
  deadlineSeconds: deadlineHours * 3600,
  run: (run) => runShard(context, run),
  settle: settleShard,
})

async function runShard(context: Context, run: JobRun) {
  const { db, job, signal } = run
  const shard = await repository.findShard(db, job.id)
  if (!shard) throw notFound()
  await markRunning(run, { versionId: shard.versionId, key: 'lerobot', exportId: shard.exportId })
  const [source] = (await openVersionSource(context, await getVersion(db, shard.versionId))).parts
  const cameras = listEncodedCameras(source.plan)
  const staged = await listStaged(context, job.orgId, shard.exportId)
  const folder = await openWorkFolder(context, run.claim)
  using taken = takeCodec(context, shard.exportId)
  await using pool = new FilePool()
  const films = new Map<string, Promise<Video>>()
  const openFilm = (path: string, name: string) => {
    const film = films.get(path) ?? openVideo(pool.createSource(path), { name, signal })
    films.set(path, film)
    return film
  }
  const wanted = shard.episodes.flatMap((episode) => cameras.map((planned) => ({ episode, planned })))
  const request = { source, exportId: shard.exportId, folder, codec: taken.codec, pool, openFilm }
  let done = 0
  try {
    const { verified } = await layOutVideos(context, source, { episodes: shard.episodes, cameras }, folder, signal)
    // One more at a time than are encoded: the next one begins while the last one is stored.
    await mapAtMost(encoderLanes + 1, wanted, async ({ episode, planned }) => {
      signal.throwIfAborted()
      if (!staged.has(stagedPath(planned.camera.key, episode, 'mp4')))
        await encodeOne(context, run, { ...request, verified, planned, episode })
      done++
      run.report({
        pct: (100 * done) / wanted.length,
        phase: 'encoding',
        message: `${done} of ${wanted.length} cameras of episodes.`,
      })
    })
    await verified
  } finally {
    for (const film of films.values()) await (await film.catch(() => undefined))?.close()
    await removeWorkFolder(context, run.claim)
  }
  const entries = await listOwn(context, job.orgId, shard, cameras)
  return {
    digest: computeResultDigest(entries),
    publish: async (trx: Parameters<typeof repository.lockExport>[0]) => {
      if (!(await repository.lockExport(trx, shard.exportId))) return
      const { open } = await repository.countShards(trx, shard.exportId)
      if (open === 0) await wakeJob(trx, shard.exportId)
    },
  }
}

/** Only the files that hold these episodes: a part of a large dataset does not fetch the whole of it. */
async function layOutVideos(
  { db, storage }: Context,
  { revision, model, plan }: SourcePart,
  { episodes, cameras }: { episodes: readonly number[]; cameras: readonly PlannedCamera[] },
  folder: string,
  signal: AbortSignal,
): Promise<{ verified: Promise<void> }> {
  const wanted = new Set<string>()
  for (const episode of episodes) {
    const { videos } = model.getEpisode(findEpisode(plan, episode).episode)
    for (const { camera } of cameras) wanted.add(videos.get(camera.key)?.path ?? '')
  }
  const files: { path: string; storeKey: string }[] = []
  for await (const file of listRevisionFiles(db, revision.id, revision.orgId))
    if (wanted.has(file.path)) files.push(file)
  return layOutAhead(storage, files, folder, { signal })
}

interface EncodeOne {
  source: SourcePart
  planned: PlannedCamera
  episode: number
  exportId: string
  folder: string
  codec: Codec
  pool: FilePool
  /** Nothing of it may be stored before that. */
  verified: Promise<void>
  openFilm(path: string, name: string): Promise<Video>
}

async function encodeOne(context: Context, run: JobRun, request: EncodeOne): Promise<void> {
  const { source, planned, episode, exportId, folder, codec, pool, verified, openFilm } = request
  const { db, job, claim, signal } = run
  const { camera, transform } = planned
  const { episode: stored, ranges } = findEpisode(source.plan, episode)
  const { videos, lengthFrames } = source.model.getEpisode(stored)
  const place = videos.get(camera.key)
  if (!place || !transform) throw notFound()
  const path = join(folder, `${camera.key}-${episode}.encoded.mp4`)
  const file = join(folder, place.path)
  const encoded = await encodeCamera({
    codec,
    pool,
    source: await openFilm(file, place.path),
    camera: describeCamera(planned),
    fps: source.plan.fps,
    frames: {
      ...mapPackets(
        { kind: 'packets', file, name: place.path, startFrame: place.startFrame, frameCount: lengthFrames },
        ranges ?? [[0, lengthFrames]],
      ),
      transform,
    },
    path,
    signal,
  }).catch(async (error) => {
    // What a damaged file of the source has led to is its damage.
    await verified
    throw error
  })
  await verified
  const stagingRun = { id: job.id, epoch: claim.epoch }
  const video = await stageFile(context.storage, stagingRun, path, signal)
  const notes = Buffer.from(JSON.stringify(packStatistics(encoded.statistics)))
  const facts = await stageBlob(context.storage, stagingRun, Readable.from([notes]), { signal })
  await rm(path)
  await inTransaction(db, async (trx) => {
    if (!(await lockClaim(trx, claim))) return
    await publishBlobs(trx, stagedOwner(exportId, job.orgId), [
      { logicalPath: stagedPath(camera.key, episode, 'mp4'), ...video },
      { logicalPath: stagedPath(camera.key, episode, 'json'), ...facts },
    ])
  })
}

/** As much of a feature as encoding asks for. */
const describeCamera = ({ camera }: PlannedCamera): CameraFeature => ({
  kind: 'camera',
  name: camera.key,
  storage: camera.storage,
  width: camera.width,
  height: camera.height,
  channels: camera.channels,
  info: {},
  ...(camera.depth_map && { depth: { minMeters: 0, maxMeters: 1, shift: 0, logarithmic: false, unit: 'm' } }),
})

/** Which files earlier attempts and other parts have staged. */
async function listStaged({ db }: Context, orgId: string, exportId: string): Promise<Map<string, PublishedEntry>> {
  const found = new Map<string, PublishedEntry>()
  for await (const blob of iterateBlobs(db, stagedOwner(exportId, orgId))) found.set(blob.logicalPath, blob)
  return found
}

async function listOwn(
  context: Context,
  orgId: string,
  shard: repository.Shard,
  cameras: readonly PlannedCamera[],
): Promise<PublishedEntry[]> {
  const staged = await listStaged(context, orgId, shard.exportId)
  return shard.episodes.flatMap((episode) =>
    cameras.flatMap(({ camera }) => staged.get(stagedPath(camera.key, episode, 'mp4')) ?? []),
  )
}

interface PackedStatistics {
  frame_count: number
  histograms: number[][]
}

const packStatistics = ({ frameCount, histograms }: CameraStatistics): PackedStatistics => ({
  frame_count: frameCount,
  histograms: histograms.map((bins) => [...bins]),
})

export const unpackStatistics = ({ frame_count, histograms }: PackedStatistics): CameraStatistics => ({
  frameCount: frame_count,
  histograms: histograms.map((bins) => Float64Array.from(bins)),
})

import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from '../src/context.ts'
import { summarize, writeReadModel } from '../src/datasets/read-model/build.ts'
import { encodeTexts } from '../src/datasets/read-model/canonical.ts'
import type { EpisodeColumns } from '../src/datasets/read-model/format.ts'
import { describeLengths, orderByLength } from '../src/datasets/read-model/lengths.ts'
import type { ReadModelManifest } from '../src/datasets/read-model/manifest.ts'
import { publishRevision } from '../src/datasets/service.ts'
import { inTransaction } from '../src/db/database.ts'
import { createId } from '../src/ids.ts'
import { computeResultDigest, type PublishedEntry, publishBlobs, stageBlob } from '../src/storage/blobs.ts'

export interface GeneratedModel {
  manifest: ReadModelManifest
  columns: EpisodeColumns
}

/** A read model of any size whose rows and videos do not exist: what a page costs does not depend on them. */
export function generateModel(
  lengths: readonly number[],
  tasksOf: (episode: number) => number[],
  tasks: string[],
): GeneratedModel {
  const count = lengths.length
  const lengthFrames = Uint32Array.from(lengths)
  const fromIndex = new Float64Array(count)
  for (let index = 1; index < count; index++) fromIndex[index] = (fromIndex[index - 1] ?? 0) + (lengths[index - 1] ?? 0)
  const taskIds: number[] = []
  const taskStarts = new Uint32Array(count + 1)
  for (let index = 0; index < count; index++) {
    for (const task of tasksOf(index)) taskIds.push(task)
    taskStarts[index + 1] = taskIds.length
  }
  const byLength = orderByLength(lengthFrames)
  const numbers = (of: (index: number) => number) => new Float64Array(count).map((_, index) => of(index))
  const columns: EpisodeColumns = {
    lengthFrames,
    fromIndex,
    sourceIndex: numbers((index) => index),
    dataFile: new Uint32Array(count).map((_, index) => Math.floor(index / 1000)),
    videoFile: [0, 1].map(() => new Uint32Array(count).map((_, index) => Math.floor(index / 100))),
    videoStart: [0, 1].map(() => new Uint32Array(count).map((_, index) => (index % 100) * 300)),
    taskStarts,
    taskIds: Uint32Array.from(taskIds),
    ...encodeTexts(tasks),
    byLength,
    motion: numbers((index) => ((index * 7919) % 1000) / 1000),
    variance: numbers((index) => ((index * 104729) % 1000) / 1000),
    stillSeconds: numbers((index) => index % 5),
  }
  return { columns, manifest: describeGenerated(columns, tasks) }
}

function describeGenerated(columns: EpisodeColumns, tasks: string[]): ReadModelManifest {
  const fps = 30
  const count = columns.lengthFrames.length
  const file = (place: number) => String(place).padStart(6, '0')
  const camera = { width: 640, height: 480, channels: 3, fps, codec: 'av1', pixel_format: 'yuv420p', depth_map: false }
  const keys = ['observation.images.front', 'observation.images.wrist']
  return {
    schema: 1,
    codebase_version: 'v3.0',
    robot_type: 'so101',
    fps,
    total_episodes: count,
    total_frames: columns.lengthFrames.reduce((sum, length) => sum + length, 0),
    total_tasks: tasks.length,
    split_names: ['train'],
    origin: { layout: 'generated', version: '1', details: {} },
    features: [{ name: 'observation.state', dtype: 'float32', shape: [6], names: null }],
    cameras: keys.map((key) => ({ key, label: key, storage: 'video', ...camera })),
    state: { key: 'observation.state', dimension: 6, names: ['a', 'b', 'c', 'd', 'e', 'f'] },
    action: null,
    annotation_keys: [],
    tasks: tasks.slice(0, 100),
    data_files: Array.from({ length: Math.ceil(count / 1000) }, (_, place) => `data/${file(place)}.parquet`),
    video_files: keys.map((key) => ({
      key,
      files: Array.from({ length: Math.ceil(count / 100) }, (_, place) => `videos/${key}/${file(place)}.mp4`),
    })),
    statistics: describeLengths(columns.lengthFrames, columns.byLength, fps),
    insights: {
      supported: true,
      signal: 'observation.state',
      dimensions: [0],
      median_step: 0.1,
    },
    feature_statistics: {},
    size_bytes: 0,
  }
}

/** A million differ in length and task as real ones do. */
export const generateEpisodes = (count: number): GeneratedModel => {
  const tasks = Array.from({ length: 50 }, (_, task) => `put object number ${task} into the box`)
  const lengths = Array.from({ length: count }, (_, index) => 60 + ((index * 2654435761) % 900))
  return generateModel(lengths, (index) => [index % tasks.length], tasks)
}

export async function publishModel(
  context: Context,
  place: { orgId: string; projectId: string; slug: string },
  { manifest, columns }: GeneratedModel,
): Promise<{ datasetId: string; revisionId: string; revisionNumber: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-generated-'))
  try {
    const revisionId = createId('rev')
    const entries: PublishedEntry[] = []
    for (const { path } of await writeReadModel(folder, manifest, columns)) {
      const bytes = createReadStream(join(folder, path))
      entries.push({
        logicalPath: `read-model/${path}`,
        ...(await stageBlob(context.storage, { id: revisionId, epoch: 0 }, bytes)),
      })
    }
    const info = Readable.from([Buffer.from(JSON.stringify({ codebase_version: manifest.codebase_version }))])
    entries.push({
      logicalPath: 'dataset/meta/info.json',
      ...(await stageBlob(context.storage, { id: revisionId, epoch: 0 }, info)),
    })
    return await inTransaction(context.db, async (trx) => {
      await publishBlobs(trx, { kind: 'revision', id: revisionId, orgId: place.orgId }, entries)
      const published = await publishRevision(trx, {
        ...place,
        title: place.slug,
        importId: null,
        revisionId,
        sourceKind: 'lerobot',
        sourceUri: null,
        hfRepoId: null,
        hfRevision: null,
        digest: computeResultDigest(entries.slice(-1)),
        readModelDigest: computeResultDigest(entries.slice(0, -1)),
        summary: summarize(manifest),
        createdBy: null,
      })
      return { ...published, revisionId }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

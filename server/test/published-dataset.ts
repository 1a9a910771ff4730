import { createReadStream, rmSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CameraFrames, Dataset } from '@nmp/formats/dataset'
import type { CameraFeature, ColumnFeature } from '@nmp/formats/feature'
import { openFolder } from '@nmp/formats/file-tree'
import { encodePng } from '@nmp/formats/image'
import { openDataset } from '@nmp/formats/layouts'
import { write } from '@nmp/formats/lerobot/writer'
import { createMemoryDataset } from '../../formats/test/memory-dataset.ts'
import { drawNumberedPictures } from '../../formats/test/numbered-picture.ts'
import type { Context } from '../src/context.ts'
import { buildReadModel } from '../src/datasets/read-model/build.ts'
import type { RevisionSummary } from '../src/datasets/revision-summary.ts'
import { publishRevision } from '../src/datasets/service.ts'
import { inTransaction } from '../src/db/database.ts'
import { createId } from '../src/ids.ts'
import { computeResultDigest, type PublishedEntry, publishBlobs, stageBlob } from '../src/storage/blobs.ts'

interface Place {
  orgId: string
  projectId: string
  slug: string
}

interface Published {
  datasetId: string
  revisionId: string
  revisionNumber: number
}

export async function publishFolder(
  context: Context,
  source: string,
  place: Place,
  change: (dataset: Dataset) => Dataset = (dataset) => dataset,
): Promise<Published> {
  await using dataset = await openDataset(await openFolder(source))
  return await publishPrepared(context, await prepareDataset(change(dataset)), place)
}

const camera: CameraFeature = {
  kind: 'camera',
  name: 'observation.images.top',
  storage: 'video',
  width: 64,
  height: 64,
  channels: 3,
  info: {},
}
const state: ColumnFeature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [2], names: null }

/** A small recording that needs no fixture: numbers, and one camera whose every picture carries its frame's number. */
export async function publishRecording(context: Context, place: Place, lengths: readonly number[]): Promise<Published> {
  return publishPrepared(context, await prepareRecording(lengths), place)
}

/** The same as a folder: `dataset` in it is a LeRobot v3 dataset. */
export function prepareRecording(lengths: readonly number[]): Promise<Prepared> {
  const key = lengths.join(' ')
  const prepared = recordings.get(key) ?? prepareDataset(makeRecording(lengths), 'h264')
  recordings.set(key, prepared)
  return prepared
}

const recordings = new Map<string, Promise<Prepared>>()

function makeRecording(lengths: readonly number[]): Dataset {
  const episodes = lengths.map((length, episode) => ({
    length,
    tasks: ['Look around'],
    columns: new Map([
      [state.name, Float32Array.from({ length: length * 2 }, (_, at) => Math.sin(at * 0.3) + episode)],
    ]),
    cameras: new Map([
      [
        camera.name,
        {
          kind: 'pixels' as const,
          frameCount: length,
          width: 64,
          height: 64,
          channels: 3,
          read: async function* () {
            let frameIndex = 0
            for await (const data of drawNumberedPictures(64, 64, length))
              yield { frameIndex: frameIndex++, width: 64, height: 64, channels: 3, data }
          },
        },
      ],
    ]),
  }))
  return createMemoryDataset([state, camera], episodes)
}

const action: ColumnFeature = { kind: 'column', name: 'action', dtype: 'float32', shape: [2], names: ['x', 'y'] }
const wrist: CameraFeature = { ...camera, name: 'observation.images.wrist', storage: 'image', width: 48, height: 32 }

/** Actions, a task for every third episode, a film and a camera of single pictures: something for every step of a recipe. */
export async function publishArm(context: Context, place: Place, lengths: readonly number[]): Promise<Published> {
  const key = `arm ${lengths.join(' ')}`
  const prepared = recordings.get(key) ?? prepareDataset(makeArm(lengths), 'h264')
  recordings.set(key, prepared)
  return publishPrepared(context, await prepared, place)
}

function makeArm(lengths: readonly number[]): Dataset {
  const episodes = lengths.map((length, episode) => {
    const wave = (_: unknown, at: number) => Math.sin(at * 0.7 + episode) * (1 + episode)
    const numbers = () => Float32Array.from({ length: length * 2 }, wave)
    const film = ({ width, height }: CameraFeature) => ({
      kind: 'pixels' as const,
      frameCount: length,
      width,
      height,
      channels: 3,
      read: async function* () {
        let frameIndex = 0
        for await (const data of drawNumberedPictures(width, height, length, 100 * episode))
          yield { frameIndex: frameIndex++, width, height, channels: 3, data }
      },
    })
    const pictures = {
      kind: 'images' as const,
      frameCount: length,
      read: async function* () {
        for await (const { frameIndex, data } of film(wrist).read())
          yield { frameIndex, bytes: await encodePng({ width: wrist.width, height: wrist.height, channels: 3, data }) }
      },
    }
    return {
      length,
      tasks: [`Task ${episode % 3}`],
      columns: new Map([
        [action.name, numbers()],
        [state.name, numbers()],
      ]),
      cameras: new Map<string, CameraFrames>([
        [camera.name, film(camera)],
        [wrist.name, pictures],
      ]),
    }
  })
  return createMemoryDataset([action, state, camera, wrist], episodes)
}

export interface Prepared {
  folder: string
  summary: RevisionSummary
}

/** What an import does with robot data once it is on this machine: canonical form, then read model. */
export async function prepareDataset(dataset: Dataset, videoCodec: 'av1' | 'h264' = 'av1'): Promise<Prepared> {
  // The folder of a run of tests is removed after it; vitest ends its workers by a signal.
  const folder = await mkdtemp(join(process.env.NMP_TEST_FOLDER ?? tmpdir(), 'nmp-published-'))
  if (!process.env.NMP_TEST_FOLDER) process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await write(dataset, join(folder, 'dataset'), { videoCodec, cameraStatistics: 'carry' })
  const { summary } = await buildReadModel({
    datasetFolder: join(folder, 'dataset'),
    targetFolder: join(folder, 'read-model'),
  })
  return { folder, summary }
}

export async function publishPrepared(
  context: Context,
  { folder, summary }: Prepared,
  { orgId, projectId, slug }: Place,
): Promise<Published> {
  const revisionId = createId('rev')
  const entries: PublishedEntry[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const blob = await stageBlob(context.storage, { id: revisionId, epoch: 0 }, createReadStream(path))
    entries.push({ logicalPath: path.slice(folder.length + 1), ...blob })
  }
  const digest = (prefix: string): string =>
    computeResultDigest(entries.filter(({ logicalPath }) => logicalPath.startsWith(prefix)))
  return inTransaction(context.db, async (trx) => {
    await publishBlobs(trx, { kind: 'revision', id: revisionId, orgId }, entries)
    const published = await publishRevision(trx, {
      orgId,
      projectId,
      slug,
      title: slug,
      importId: null,
      revisionId,
      sourceKind: 'lerobot',
      sourceUri: null,
      hfRepoId: null,
      hfRevision: null,
      digest: digest('dataset/'),
      readModelDigest: digest('read-model/'),
      summary,
      createdBy: null,
    })
    return { ...published, revisionId }
  })
}

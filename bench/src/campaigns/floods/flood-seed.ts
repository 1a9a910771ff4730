import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CameraFeature, ColumnFeature } from '@nmp/formats/feature'
import { write } from '@nmp/formats/lerobot/writer'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { makeFolder, type Program } from '../../../../e2e/program.ts'
import { createMemoryDataset } from '../../../../formats/test/memory-dataset.ts'
import { writePng } from '../../../../formats/test/picture-bombs.ts'

/** What the floods go to: a dataset with one long episode, some of strangers, and a repository that can be pushed to. */
export interface FloodSeed {
  bearer: string
  org: string
  project: string
  dataset: string
  datasetId: string
  /** Of another program: each is read by a process of its own. */
  foreignIds: string[]
  /** Frames of fifty million pixels, kept as pictures in the rows. */
  pictures: { datasetId: string; camera: string; frames: number }
  push: string
}

const frames = 400_000
const foreignFrames = 60_000
const foreignSets = 6
const pictureFrames = 12
const state: ColumnFeature = {
  kind: 'column',
  name: 'observation.state',
  dtype: 'float32',
  shape: [32],
  names: null,
}
const camera: CameraFeature = {
  kind: 'camera',
  name: 'observation.images.wide',
  storage: 'image',
  width: 7000,
  height: 7000,
  channels: 3,
  info: {},
}

/** Those of strangers take a while, and are for the clients that hold memory alone. */
export async function seedFloods(program: Program, withStrangers: boolean): Promise<FloodSeed> {
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '240')
  const client = createClient({ baseUrl: program.url, token: bearer })
  const org = (await client.projects.listOrganizations({})).items[0]?.slug ?? ''
  const place = { org_slug: org, project_slug: 'default' }
  const importFolder = async (slug: string, fill: (folder: string) => Promise<void>): Promise<string> => {
    const folder = join(await makeFolder(), slug)
    await fill(folder)
    const uploads = await uploadPaths(client.transport, [folder], { orgSlug: org, projectSlug: 'default' })
    const upload_ids = uploads.map(({ id }) => id)
    const body = { source_kind: 'lerobot', dataset_slug: slug, upload_ids } as const
    return (await client.imports.createAndWait({ ...place, body })).dataset_id ?? ''
  }
  const datasetId = await importFolder('long', (folder) => writeLongSet(folder, frames))
  const foreignIds: string[] = []
  for (let index = 0; withStrangers && index < foreignSets; index++)
    foreignIds.push(await importFolder(`foreign-${index}`, (folder) => writeForeignSet(folder, index)))
  const pictures = {
    datasetId: withStrangers ? await importFolder('pictures', writePictures) : '',
    camera: camera.name,
    frames: pictureFrames,
  }
  await program.call('POST', '/hf/api/repos/create', {
    bearer,
    body: { type: 'dataset', name: 'pushed', organization: org },
  })
  return { bearer, org, project: 'default', dataset: 'long', datasetId, foreignIds, pictures, push: 'pushed' }
}

async function writeLongSet(folder: string, length: number, seed = 0): Promise<void> {
  const values = Float32Array.from({ length: length * 32 }, (_, at) => Math.sin(at * 0.0137 + seed))
  const episode = { length, tasks: ['Move'], columns: new Map([[state.name, values]]) }
  await using dataset = createMemoryDataset([state], [episode], 10_000, 30)
  await write(dataset, folder, {})
}

/** Said to be of another program, in as many letters: what does not name our writer is read by DuckDB. */
async function writeForeignSet(folder: string, seed: number): Promise<void> {
  await writeLongSet(folder, foreignFrames, seed)
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.parquet')) continue
    const bytes = await readFile(join(folder, name))
    bytes.write('abc', bytes.lastIndexOf('nmp-formats'))
    await writeFile(join(folder, name), bytes)
  }
}

/** Black, so that they take no room: what they are decoded to is what counts. */
async function writePictures(folder: string): Promise<void> {
  const bytes = writePng(camera)
  const numbers = new Float32Array(pictureFrames * 32)
  const seen = {
    kind: 'images' as const,
    frameCount: pictureFrames,
    read: async function* () {
      for (let frameIndex = 0; frameIndex < pictureFrames; frameIndex++) yield { frameIndex, bytes }
    },
  }
  const episode = {
    length: pictureFrames,
    tasks: ['Look'],
    columns: new Map([[state.name, numbers]]),
    cameras: new Map([[camera.name, seen]]),
  }
  await using dataset = createMemoryDataset([state, camera], [episode], 10_000, 30)
  await write(dataset, folder, {})
}

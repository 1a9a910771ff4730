import { join } from 'node:path'
import { write } from '@nmp/formats/lerobot/writer'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { makeFolder, type Program } from '../../../../e2e/program.ts'
import { createMemoryDataset } from '../../../../formats/test/memory-dataset.ts'

/** What the floods go to: a dataset with one long episode, and a repository that can be pushed to. */
export interface FloodSeed {
  bearer: string
  org: string
  project: string
  dataset: string
  datasetId: string
  push: string
}

const frames = 400_000
const width = 32

export async function seedFloods(program: Program): Promise<FloodSeed> {
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '240')
  const client = createClient({ baseUrl: program.url, token: bearer })
  const org = (await client.projects.listOrganizations({})).items[0]?.slug ?? ''
  const place = { org_slug: org, project_slug: 'default' }
  const folder = join(await makeFolder(), 'long')
  await writeLongSet(folder)
  const uploads = await uploadPaths(client.transport, [folder], { orgSlug: org, projectSlug: 'default' })
  const job = await client.imports.createAndWait({
    ...place,
    body: { source_kind: 'lerobot', dataset_slug: 'long', upload_ids: uploads.map(({ id }) => id) },
  })
  await program.call('POST', '/hf/api/repos/create', {
    bearer,
    body: { type: 'dataset', name: 'pushed', organization: org },
  })
  return { bearer, org, project: 'default', dataset: 'long', datasetId: job.dataset_id ?? '', push: 'pushed' }
}

async function writeLongSet(folder: string): Promise<void> {
  const feature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [width], names: null } as const
  const values = Float32Array.from({ length: frames * width }, (_, at) => Math.sin(at * 0.0137))
  const episode = { length: frames, tasks: ['Move'], columns: new Map([[feature.name, values]]) }
  await using dataset = createMemoryDataset([feature], [episode], 10_000, 30)
  await write(dataset, folder, {})
}

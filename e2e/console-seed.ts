import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { findCampaignSet, getFixture } from '../fixtures/fixture.ts'

interface SeedSet {
  slug: string
  title: string
  /** Undefined: not on this machine. */
  folder: string | undefined
  kind: 'lerobot' | 'hdf5'
  tags: string[]
  /** The last quarter of its episodes is for validation. */
  hasSplits?: boolean
}

/** What a lab would have: sets of several robots and sources, with and without cameras. Two are not in the repository. */
const sets: SeedSet[] = [
  {
    slug: 'can-to-bin-panda',
    title: 'Can to bin, Panda',
    folder: findCampaignSet('lerobot/recorded-v3.0-can'),
    kind: 'lerobot',
    tags: ['simulated', 'pick-place'],
    hasSplits: true,
  },
  {
    slug: 'aloha-transfer-cube',
    title: 'Transfer cube, ALOHA',
    folder: getFixture('hdf5/act_sim_transfer_cube'),
    kind: 'hdf5',
    tags: ['simulated', 'bimanual'],
  },
  {
    slug: 'so101-wrist-pick',
    title: 'SO-101 wrist pick',
    folder: findCampaignSet('lerobot/so101-v3.0'),
    kind: 'lerobot',
    tags: ['teleoperated', 'pick-place'],
  },
  {
    slug: 'robonet-sawyer',
    title: 'RoboNet Sawyer, vestri table',
    folder: getFixture('hdf5/robonet_mp4.hdf5'),
    kind: 'hdf5',
    tags: ['teleoperated', 'random-policy'],
  },
  {
    slug: 'lift-robomimic',
    title: 'Lift, robomimic',
    folder: getFixture('hdf5/robomimic_0.5_lift_image.hdf5'),
    kind: 'hdf5',
    tags: ['simulated'],
  },
  {
    slug: 'droid-kitchen',
    title: 'DROID, kitchen counter',
    folder: getFixture('hdf5/droid_raw_trajectory.h5'),
    kind: 'hdf5',
    tags: ['teleoperated'],
  },
  {
    slug: 'two-cameras',
    title: 'Sort by colour, two cameras',
    folder: getFixture('lerobot/recorded-v3.0-two-cameras'),
    kind: 'lerobot',
    tags: ['teleoperated', 'language'],
    hasSplits: true,
  },
  {
    slug: 'insertion-mobile-aloha',
    title: 'Peg insertion, Mobile ALOHA',
    folder: getFixture('hdf5/actpp_sim_insertion_compressed'),
    kind: 'hdf5',
    tags: ['simulated', 'bimanual'],
  },
]

export interface Seeded {
  org: string
  project: string
  /** The dataset that pages are shown with. */
  dataset: string
  slug: string
  versionId: string
  /** Made of the version above, with a crop and a smoother action. */
  composedId: string
  failedImportId: string
  /** An import whose source had lost the videos of a camera. */
  lossyImportId: string
}

/** Something real to see on every page: datasets of the fixtures, flags, a version with its export, a token, an import that failed. */
export async function seedConsole(url: string, bearer: string, slugs?: readonly string[]): Promise<Seeded> {
  const client = createClient({ baseUrl: url, token: bearer })
  const { org, project } = await findProject(client)
  const place = { org_slug: org, project_slug: project }
  const wanted = sets.filter(({ slug }) => slugs?.includes(slug) ?? true)
  const ids = new Map<string, string>()
  await Promise.all(
    wanted.map(async ({ slug, title, folder: stored, kind, tags, hasSplits = false }) => {
      if (!stored) return
      const folder = hasSplits ? await copyWithSplits(stored) : stored
      const uploads = await uploadPaths(client.transport, [folder], { orgSlug: org, projectSlug: project })
      if (hasSplits) await rm(folder, { recursive: true })
      const upload_ids = uploads.map(({ id }) => id)
      const body = { source_kind: kind, dataset_slug: slug, title, upload_ids }
      const job = await client.imports.createAndWait({ ...place, body })
      ids.set(slug, job.dataset_id ?? '')
      await client.datasets.changeProjectDataset({
        ...place,
        dataset_slug: slug,
        body: { visibility: 'public', tags },
      })
    }),
  )
  const slug = (slugs ?? ['can-to-bin-panda']).find((one) => ids.has(one)) ?? 'blocks-to-bin'
  const dataset = ids.get(slug) ?? (await waitForDemo(client, org, project))
  const { item } = await client.catalog.getCatalogDataset({ dataset_id: dataset })
  const items = flags.filter(({ episode_index }) => episode_index < item.metrics.total_episodes)
  await client.curation.putFlags({ ...place, dataset_slug: slug, body: { items } })
  const { item: version } = await client.versions.createVersion({
    org_slug: org,
    body: {
      slug: `${slug}-clean`,
      name: 'Without flags',
      source: { dataset_kind: 'project', dataset_id: dataset },
      recipe: { excluded_episode_indices: [1], notes: 'Without the flagged ones.' },
    },
  })
  await client.exports.createAndWait({ org_slug: org, version_id: version.id })
  const { item: composed } = await client.versions.createVersion({
    org_slug: org,
    body: {
      slug: `${slug}-cropped`,
      name: 'Cropped and smoothed',
      source: { dataset_kind: 'version', dataset_id: version.id },
      recipe: {
        first_n_episodes: 5,
        crop: { left_pct: 10, top_pct: 5, width_pct: 70, height_pct: 80 },
        resize: { width: 128, height: 96, mode: 'fit' },
        action: { smoothing_mode: 'gaussian', smoothing_window: 9 },
        notes: 'Closer to the table.',
      },
    },
  })
  const failedImportId = await failImport(client, org, project)
  const lossyImportId = await importWithLoss(client, org, project)
  await client.users.createToken({ body: { name: 'bench recorder', scopes: ['workspace:read', 'imports:write'] } })
  return {
    ...{ org, project, dataset, slug },
    versionId: version.id,
    composedId: composed.id,
    failedImportId,
    lossyImportId,
  }
}

/** Of a LeRobot folder, with the last quarter of its episodes for validation. */
async function copyWithSplits(stored: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-seed-'))
  await cp(stored, folder, { recursive: true })
  const path = join(folder, 'meta', 'info.json')
  const info = JSON.parse(await readFile(path, 'utf8'))
  const from = Math.floor(info.total_episodes * 0.75)
  info.splits = { train: `0:${from}`, val: `${from}:${info.total_episodes}` }
  await writeFile(path, JSON.stringify(info))
  return folder
}

async function importWithLoss(client: Client, org_slug: string, project_slug: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-seed-'))
  try {
    await cp(getFixture('lerobot/recorded-v3.0-two-cameras'), folder, { recursive: true })
    await rm(join(folder, 'videos', 'observation.images.wrist'), { recursive: true })
    const uploads = await uploadPaths(client.transport, [folder], { orgSlug: org_slug, projectSlug: project_slug })
    const { id } = await client.imports.createAndWait({
      org_slug,
      project_slug,
      body: {
        source_kind: 'lerobot',
        dataset_slug: 'wrist-lost',
        title: 'Wrist camera lost',
        upload_ids: uploads.map((upload) => upload.id),
      },
    })
    return id
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A recording that was cut off while it was copied. */
async function failImport(client: Client, org_slug: string, project_slug: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-seed-'))
  try {
    const path = join(folder, 'lab_sweep_07.hdf5')
    await writeFile(path, Buffer.concat([Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'), Buffer.alloc(88)]))
    const [upload] = await uploadPaths(client.transport, [path], { orgSlug: org_slug, projectSlug: project_slug })
    const { item } = await client.imports.createImport({
      org_slug,
      project_slug,
      body: {
        source_kind: 'hdf5',
        dataset_slug: 'lab-sweep',
        title: 'Lab sweep, wrist 2',
        upload_ids: upload ? [upload.id] : [],
      },
    })
    for (let tries = 0; tries < 120; tries++) {
      const { status } = (await client.imports.getImport({ org_slug, project_slug, job_id: item.id })).item
      if (status === 'failed') return item.id
      await sleep(500)
    }
    throw new Error('The import of a damaged file has not failed within a minute.')
  } finally {
    await rm(folder, { recursive: true })
  }
}

const flags = [
  { episode_index: 1, reason: 'idle', note: 'Holds still above the bin.', start_frame: 10, end_frame: 60 },
  { episode_index: 4, reason: 'shaky' },
  { episode_index: 9, reason: 'failed', note: 'Misses the can.' },
  { episode_index: 9, reason: 'camera', start_frame: 30, end_frame: 44 },
] as const

async function findProject(client: Client): Promise<{ org: string; project: string }> {
  const { user } = await client.users.getCurrentUser()
  const [first] = user.projects
  if (!first) throw new Error('The first account has no project.')
  return { org: first.org_slug, project: first.project_slug }
}

async function waitForDemo(client: Client, org_slug: string, project_slug: string): Promise<string> {
  for (let tries = 0; tries < 300; tries++) {
    const { items } = await client.datasets.listProjectDatasets({ org_slug, project_slug })
    const demo = items.find(({ slug }) => slug === 'blocks-to-bin')
    if (demo) return demo.id
    await sleep(1000)
  }
  throw new Error('The demo was not imported within five minutes.')
}

import { type Client, createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Program } from '../../../e2e/program.ts'

type Values = Record<string, unknown[]>

/** What `fuzz_hooks.py` puts into the requests of the fuzzer. */
interface FuzzValues {
  values: Values
  operations: Record<string, Values>
  /** What would take from the fuzzer what it looks at. */
  spared: Record<string, Record<string, string>>
}

export interface FuzzSeed {
  /** Of the account that everything is sent with, but for the operations in `bearers`, which end a session or an account. */
  session: string
  bearers: Record<string, string>
  fuzz: FuzzValues
}

export const org_slug = 'fuzz'
const project_slug = 'default'
const place = { org_slug, project_slug }
const range = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

/** An account with one of everything, and a few of whatever a request may destroy. */
export async function seedProgram(program: Program, folder: string): Promise<FuzzSeed> {
  const enter = async (email: string): Promise<string> => {
    await program.mustAdmin('user', 'add', email)
    return program.mustAdmin('session', email, '--minutes', '120')
  }
  const session = await enter('fuzz@example.org')
  const [member, leaver, goer] = [
    await enter('member@example.org'),
    await enter('leaver@example.org'),
    await enter('goer@example.org'),
  ]
  const [ender, loner] = [await enter('ender@example.org'), await enter('loner@example.org')]
  const ended = await seedSessions(program, 'ender@example.org', ender)
  const client = createClient({ baseUrl: program.url, token: session })
  const send = async (): Promise<string[]> =>
    (await uploadPaths(client.transport, [folder], { orgSlug: org_slug, projectSlug: project_slug })).map(
      ({ id }) => id,
    )
  const importSet = async (dataset_slug: string, idempotency_key: string) =>
    client.imports.createAndWait({
      ...place,
      body: { source_kind: 'lerobot', dataset_slug, upload_ids: await send(), idempotency_key },
    })
  const job = await importSet('arm', 'seed-1')
  await importSet('arm', 'seed-2')
  await importSet('doomed', 'seed-3')
  const dataset_id = job.dataset_id ?? ''
  const manifest = (await client.catalog.getCatalogDataset({ dataset_id })).item
  const cameras = manifest.observation.cameras.map(({ key }) => key)
  const people = await seedPeople(client, createClient({ baseUrl: program.url, token: member }))
  const versions = await seedVersions(client, dataset_id)
  const curation = await seedCuration(client, 'arm')
  const tokens = await Promise.all(
    range(6).map(async () => (await client.users.createToken({ body: { name: 'seed' } })).item.id),
  )
  const { items: files } = await client.catalog.listFiles({ dataset_id })
  const paths = files.map(({ path }) => path)
  const { items: revisions } = await client.datasets.listDatasetRevisions({ ...place, dataset_slug: 'arm' })
  await client.projects.createOrganization({ body: { slug: 'doomed' } })
  await client.projects.createProject({ org_slug, body: { slug: 'doomed' } })
  const spare = await send()
  const previews = job.preview_assets.map(({ path }) => path.split('/').at(-1))

  const episodes = [0, 1, 2, 3, 3, 4, 1_000_000]
  const doomed = { dataset_slug: ['doomed'] }
  return {
    session,
    // What the fuzzer has seen in an answer it sends again: the sessions that it ends are not its own.
    bearers: {
      signOut: leaver,
      deleteAccount: goer,
      acceptInvite: member,
      endSession: ender,
      endOtherSessions: loner,
      listSessions: loner,
    },
    fuzz: {
      values: {
        org_slug: [org_slug],
        project_slug: [project_slug],
        dataset_slug: ['arm'],
        dataset_id: [dataset_id],
        revision_id: revisions.map(({ id }) => id),
        number: [1, 2],
        revision_number: [1, 2, null],
        episode_index: episodes,
        job_id: [job.id],
        name: previews.length > 0 ? previews : ['none'],
        version_id: [versions.exported],
        artifact_key: ['lerobot', 'manifest'],
        set_id: [curation.set_id],
        flag_id: curation.flag_ids,
        token_id: tokens,
        user_id: [people.memberId],
        invite_id: people.inviteIds,
        camera_key: [...cameras, null],
        camera: cameras,
        episode: episodes,
        frame: [0, 1, 39, 40, 1000],
        path: paths,
        // A signature that holds is never guessed; without one the bearer decides.
        signature: [null],
        access: [null],
        expires: [null],
        source: [dataset_id],
        last_event_id: ['0', null],
        'body.dataset_id': [dataset_id],
        'body.upload_ids': [spare, spare.slice(0, 1), null],
        'body.hf_repo_id': ['lab/set', 'lab/none'],
        'body.source_uri': [null],
        'body.annotation_set_id': [curation.set_id, null],
        'body.annotation_set_version': [1, null],
        'body.selected_episode_indices': [[0], [1, 3], [9], null],
        'body.excluded_episode_indices': [[0], [], null],
        'body.camera_keys': [cameras, cameras.slice(0, 1), ['none'], null],
        'body.episode_index': episodes,
        'body.start_frame': [0, 3],
        'body.end_frame': [5, 40, 10_000],
        'body.project_slug': [project_slug, null],
        'body.default_project_org_slug': [org_slug, null],
        'body.default_project_slug': [project_slug, null],
        'body.from_revision': [1, 2, 3],
        'body.to_revision': [1, 2, null],
        'body.ids': [curation.flag_ids.slice(0, 2), ['ntf_none']],
      },
      operations: {
        endSession: { session_id: [...ended, 'ses_none'] },
        deleteAccount: { confirm: ['goer@example.org', 'other@example.org'] },
        deleteOrganization: { org_slug: ['doomed'], confirm: ['doomed', 'other'] },
        restoreOrganization: { org_slug: ['doomed'] },
        renameOrganization: { org_slug: ['doomed', org_slug] },
        changeProject: { project_slug: ['doomed'] },
        deleteProjectDataset: { ...doomed, confirm: ['doomed', 'other'] },
        restoreProjectDataset: doomed,
        changeProjectDataset: doomed,
        restoreDatasetRevision: { dataset_slug: ['arm', 'doomed'] },
        createImport: {
          'body.dataset_slug': ['doomed', 'arm', 'fresh'],
          'body.idempotency_key': ['seed-1', 'again', null],
        },
        lookupImport: { 'body.idempotency_key': ['seed-1', 'none'] },
        retryImport: { job_id: [job.id, ...(await failImports(client))] },
        cancelImport: { job_id: [job.id, ...(await failImports(client))] },
        deleteAnnotationSet: { set_id: curation.sets },
        getExportJob: { job_id: versions.jobIds },
        cancelExportJob: { job_id: versions.jobIds },
        retryExportJob: { job_id: versions.jobIds },
        deleteVersion: { version_id: versions.spare },
        changeVersion: { version_id: [versions.exported, ...versions.spare] },
        getDerivedVersion: { version_id: [versions.exported, ...versions.spare] },
        queueExport: { version_id: [versions.exported, ...versions.spare] },
        acceptInvite: { 'body.token': people.inviteTokens },
        markNotificationsRead: { 'body.ids': [['ntf_none'], null] },
      },
      spared: {
        changeMember: { user_id: people.ownId },
        removeMember: { user_id: people.ownId },
        deleteProjectDataset: { dataset_slug: 'arm' },
      },
    },
  }
}

/** Sessions beside the one that asks, which are listed once they were used. */
async function seedSessions(program: Program, email: string, asking: string): Promise<string[]> {
  const open = (token: string): Client => createClient({ baseUrl: program.url, token })
  for (const _ of range(4))
    await open(await program.mustAdmin('session', email, '--minutes', '120')).users.getCurrentUser()
  const { items } = await open(asking).users.listSessions()
  return items.filter(({ current }) => !current).map(({ id }) => id)
}

async function seedPeople(client: Client, member: Client) {
  const invite = async (email: string) => {
    const { item, accept_url } = await client.projects.createInvite({
      org_slug,
      body: { email, project_slug, project_role: 'viewer' },
    })
    return { id: item.id, token: new URL(accept_url).searchParams.get('token') ?? '' }
  }
  const accepted = await invite('member@example.org')
  await member.projects.acceptInvite({ body: { token: accepted.token } })
  const invites = await Promise.all(range(6).map((number) => invite(`guest${number}@example.org`)))
  const { items } = await client.projects.listMembers({ org_slug })
  const find = (email: string): string => items.find((one) => one.email === email)?.user_id ?? ''
  return {
    ownId: find('fuzz@example.org'),
    memberId: find('member@example.org'),
    inviteIds: invites.map(({ id }) => id),
    inviteTokens: [accepted.token, ...invites.map(({ token }) => token)],
  }
}

async function seedVersions(client: Client, dataset_id: string) {
  const create = async (slug: string): Promise<string> => {
    const body = {
      slug,
      name: slug,
      project_slug,
      source: { dataset_kind: 'catalog' as const, dataset_id },
      recipe: { first_n_episodes: 2 },
    }
    return (await client.versions.createVersion({ org_slug, body })).item.id
  }
  const exported = await create('short')
  const job = await client.exports.createAndWait({ org_slug, version_id: exported })
  return { exported, jobIds: [job.id], spare: await Promise.all(range(4).map((number) => create(`spare-${number}`))) }
}

async function seedCuration(client: Client, dataset_slug: string) {
  const dataset = { ...place, dataset_slug }
  const flags = await client.curation.putFlags({
    ...dataset,
    body: { items: range(4).map((episode_index) => ({ episode_index, reason: 'idle' as const, note: 'seed' })) },
  })
  const create = async (name: string): Promise<string> =>
    (
      await client.curation.createAnnotationSet({
        ...dataset,
        body: { name, episodes: [{ episode_index: 0, success: true }] },
      })
    ).item.id
  const [set_id, ...sets] = [await create('kept'), await create('one'), await create('two'), await create('three')]
  return { set_id, sets, flag_ids: flags.items.map(({ id }) => id) }
}

/** Imports that ended badly, for what may be retried or canceled. */
async function failImports(client: Client): Promise<string[]> {
  const jobs = range(2).map((number) =>
    client.imports.createImport({
      ...place,
      body: { source_kind: 'huggingface', dataset_slug: `absent-${number}`, hf_repo_id: 'lab/none' },
    }),
  )
  return (await Promise.all(jobs)).map(({ item }) => item.id)
}

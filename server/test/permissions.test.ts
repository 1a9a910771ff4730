import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { User } from '../src/identity/users/service.ts'
import { putProjectMember } from '../src/organizations/members/service.ts'
import { addOrgMember, getOrg } from '../src/organizations/service.ts'
import { routes } from '../src/routes.ts'
import { generateEpisodes, publishModel } from './generated-dataset.ts'
import { type HubServer, startHubServer } from './hub-server.ts'
import { addImportResults } from './import-dataset.ts'
import { makeMediaRequests, publishDepthOnce, publishOnce } from './media-requests.ts'
import { addPeople, type People } from './permission-people.ts'
import { identities, rows } from './permission-table.ts'
import { startProgram, type TestProgram } from './program.ts'
import { makeReviewRequests } from './review-requests.ts'
import { makeRobotRequests } from './robot-requests.ts'

let program: TestProgram
let hub: HubServer
let bearers: People['bearers']
let org: People['org']
let project: People['project']

/** Routes that take from people, or from their organization or dataset, what the rows after them need: those get new ones. */
const ending = new Set([
  'deleteAccount',
  'signOut',
  'endOtherSessions',
  'deleteOrganization',
  'restoreOrganization',
  'deleteProjectDataset',
  'restoreProjectDataset',
  'restoreDatasetRevision',
])

let isSpoiled = true

async function prepare(): Promise<void> {
  const people = await addPeople(program)
  bearers = people.bearers
  org = people.org
  project = people.project
}

async function addMember(): Promise<User> {
  const user = await program.addUser(`${randomUUID()}@example.org`)
  await addOrgMember(program.context.db, org.id, user.id, 'member')
  await putProjectMember(program.context.db, 'operator', { orgId: org.id, projectId: project.id }, user.id, 'viewer')
  return user
}

const asAdmin = (method: string, path: string, body?: unknown) =>
  program.call(method, path, { bearer: bearers.oadm ?? '', ...(body === undefined ? {} : { body }) })

const datasets = new Map<string, Record<string, string>>()

/** A private dataset of the project, made once for each. */
async function addDataset(): Promise<Record<string, string>> {
  const known = datasets.get(project.id)
  if (known) return known
  const place = { orgId: org.id, projectId: project.id, slug: 'cans' }
  const { datasetId, revisionId } = await publishModel(program.context, place, generateEpisodes(3))
  const params = {
    dataset_slug: 'cans',
    dataset_id: datasetId,
    revision_id: revisionId,
    episode_index: '0',
    number: '1',
  }
  datasets.set(project.id, params)
  return params
}

const addRecording = () => publishOnce(program.context, { orgId: org.id, projectId: project.id })
const addDepth = () => publishDepthOnce(program.context, { orgId: org.id, projectId: project.id })

const curationPath = (kind: string): string => `/api/v1/orgs/${org.slug}/projects/${project.slug}/datasets/cans/${kind}`

const addFlag = async (): Promise<string> => {
  const items = [{ episode_index: 0, reason: 'idle' }]
  return (await asAdmin('PUT', curationPath('flags'), { items })).body.items[0].id
}

const ofAnnotationSet = async (body?: () => unknown) => {
  const params = await addDataset()
  const set = await asAdmin('POST', curationPath('annotation-sets'), { name: randomUUID() })
  return { params: { ...params, set_id: set.body.item.id }, ...(body ? { body: body() } : {}) }
}

/** With a run that is under way, or none. */
const ofChecks = async (action: 'POST' | 'cancel', body?: unknown) => {
  const params = await addDataset()
  await asAdmin(
    'POST',
    curationPath(action === 'cancel' ? 'checks' : 'checks/cancel'),
    action === 'cancel' ? {} : undefined,
  )
  return { params, ...(body === undefined ? {} : { body }) }
}

const ofVersionChecks = async () => {
  const asked = await ofVersion()
  await asAdmin('POST', `${versionsPath()}/${asked.params.version_id}/checks`, {})
  return asked
}

interface Asked {
  params?: Record<string, string>
  query?: string
  body?: unknown
}

const requestsOfQueues = makeReviewRequests({
  projectPath: () => `/api/v1/orgs/${org.slug}/projects/${project.slug}`,
  getDatasetId: async () => (await addDataset()).dataset_id ?? '',
  call: (who, method, path, body) =>
    program.call(method, path, { bearer: bearers[who] ?? '', ...(body === undefined ? {} : { body }) }),
})

const requestsOfRobots = makeRobotRequests({
  url: () => program.url,
  projectPath: () => `/api/v1/orgs/${org.slug}/projects/${project.slug}`,
  getDatasetId: async () => (await addDataset()).dataset_id ?? '',
  getNamed: async () => ({
    address: `${hub.url}/datasets/lab/set/resolve/main/arm.urdf`,
    datasetPath: `/api/v1/orgs/${org.slug}/projects/${project.slug}/datasets/${(await addDataset()).dataset_slug}`,
  }),
  bearerOf: (who) => bearers[who] ?? '',
  call: (who, method, path, body) => program.call(method, path, { bearer: bearers[who] ?? '', body }),
})

/** The parts of a request that would succeed. */
const ofSources = async () => ({
  body: { sources: [{ dataset_kind: 'catalog', dataset_id: (await addRecording()).dataset_id }] },
})
const requests: Record<string, (who: string) => Promise<Asked>> = {
  listVersionFlags: async () => ofVersion(),
  putVersionFlags: async () => ofVersion({ items: [{ episode_index: 0, reason: 'idle' }] }),
  deleteVersionFlag: async () => ofVersionFlag(),
  deleteVersionFlags: async () => ofVersionFlag(({ flag_id: id }) => ({ ids: [id] })),
  listVersionAnnotationSets: async () => ofVersion(),
  createVersionAnnotationSet: async () => ofVersion({ name: randomUUID() }),
  getVersionAnnotationSet: async () => ofVersionSet(),
  putVersionAnnotationSet: async () => ofVersionSet({ episodes: [] }),
  deleteVersionAnnotationSet: async () => ofVersionSet(),
  listCheckRankings: async () => ({ params: await addDataset(), query: 'rule=length' }),
  runChecks: () => ofChecks('POST', {}),
  cancelChecks: () => ofChecks('cancel'),
  putCheckSettings: async () => ({ params: await addDataset(), body: { cut_offs: { jump: 8 } } }),
  changeDatasetSignals: async () => ({ params: await addDataset(), body: { state: null } }),
  runVersionChecks: async () => ofVersion({}),
  cancelVersionChecks: () => ofVersionChecks(),
  putVersionCheckSettings: async () => ofVersion({ cut_offs: { jump: 8 } }),
  changeProjectDataset: async () => ({ params: await addDataset(), body: { title: 'Cans' } }),
  deleteProjectDataset: async () => ({ params: await addDataset(), query: 'confirm=cans' }),
  renameProjectDataset: async () => {
    const place = { orgId: org.id, projectId: project.id, slug: randomUUID() }
    await publishModel(program.context, place, generateEpisodes(1))
    return { params: { dataset_slug: place.slug }, body: { slug: randomUUID() } }
  },
  createVersion: async () => ({ body: await derivation() }),
  previewVersion: async () => {
    const { dataset_id } = await addRecording()
    return { body: { source: { dataset_kind: 'catalog', dataset_id }, recipe: {} } }
  },
  previewCuts: async () => {
    const { dataset_id } = await addRecording()
    return { body: { source: { dataset_kind: 'catalog', dataset_id }, recipe: {} } }
  },
  getDiff: async () => {
    const { dataset_id: id } = await addRecording()
    return { query: `from=${id}&to=${id}` }
  },
  getVersionLineage: async () => ofVersion(),
  getDatasetLineage: async () => ({ params: await addDataset() }),
  previewMerge: () => ofSources(),
  suggestMap: () => ofSources(),
  getDerivedVersion: async () => ({ params: { version_id: await addVersion() } }),
  changeVersion: async () => ({ params: { version_id: await addVersion() }, body: { name: 'Renamed' } }),
  deleteVersion: async () => ({ params: { version_id: await addVersion() } }),
  queueExport: async () => ({ params: { version_id: await addVersion() }, body: { artifact_keys: ['lerobot'] } }),
  copyVersion: async () => ({
    params: { version_id: await addVersion() },
    body: { dataset_slug: `copy-${randomUUID().slice(0, 8)}` },
  }),
  listExportTargets: async () => ({ params: { version_id: await addVersion() } }),
  listExportJobs: async () => ({ params: { version_id: await addVersion() } }),
  getExportJob: async () => ({ params: await addExport() }),
  cancelExportJob: async () => ({ params: await addExport() }),
  retryExportJob: async () => {
    const params = await addExport()
    await asAdmin('POST', `${versionsPath()}/${params.version_id}/export-jobs/${params.job_id}/cancel`)
    return { params }
  },
  getArtifactDownloadUrl: async () => ({ params: { version_id: await addVersion(), artifact_key: 'manifest' } }),
  listVersionFiles: async () => ({ params: { version_id: await addVersion() } }),
  ...makeMediaRequests(addRecording, addDepth),
  putFlags: async () => ({ params: await addDataset(), body: { items: [{ episode_index: 0, reason: 'idle' }] } }),
  deleteFlag: async () => ({ params: { ...(await addDataset()), flag_id: await addFlag() } }),
  deleteFlags: async () => ({ params: await addDataset(), body: { ids: [await addFlag()] } }),
  copyFlags: async () => ({ params: await addDataset(), body: { from_revision: 1 } }),
  ...requestsOfQueues,
  ...requestsOfRobots,
  createAnnotationSet: async () => ({ params: await addDataset(), body: { name: randomUUID() } }),
  getAnnotationSet: () => ofAnnotationSet(),
  putAnnotationSet: () => ofAnnotationSet(() => ({ episodes: [{ episode_index: 0, success: true }] })),
  deleteAnnotationSet: () => ofAnnotationSet(),
  copyAnnotationSet: () => ofAnnotationSet(() => ({ name: randomUUID() })),
  deleteAccount: async (who) => ({ query: `confirm=${encodeURIComponent(await emailOf(who))}` }),
  changeProfile: async () => ({ body: { title: 'Engineer' } }),
  streamEvents: async () => ({ query: 'seconds=0' }),
  markNotificationsRead: async () => ({ body: {} }),
  endSession: async () => ({ params: { session_id: 'ses_unknown' } }),
  createToken: async () => ({ body: { name: 'ci' } }),
  revokeToken: async () => ({
    params: { token_id: (await asAdmin('POST', '/api/v1/users/me/tokens', { name: 'x' })).body.item.id },
  }),
  createOrganization: async () => ({ body: { slug: `new-${randomUUID()}` } }),
  renameOrganization: async () => ({ body: { name: 'Renamed' } }),
  deleteOrganization: async () => ({ query: `confirm=${org.slug}` }),
  changeMember: async () => ({ params: { user_id: (await addMember()).id }, body: { role: 'member' } }),
  removeMember: async () => ({ params: { user_id: (await addMember()).id } }),
  createInvite: async () => ({ body: { email: `${randomUUID()}@example.org` } }),
  revokeInvite: async () => ({
    params: {
      invite_id: (await asAdmin('POST', `/api/v1/orgs/${org.slug}/invites`, { email: `${randomUUID()}@example.org` }))
        .body.item.id,
    },
  }),
  acceptInvite: async () => ({ body: { token: 'unknown' } }),
  createProject: async () => ({ body: { slug: `p-${randomUUID()}` } }),
  changeProject: async () => ({ body: { name: 'Lab 2' } }),
  putProjectMember: async () => ({ params: { user_id: (await addMember()).id }, body: { role: 'editor' } }),
  createImport: async () => ({ body: asked() }),
  lookupImport: async () => ({ body: { idempotency_key: (await addImport()).idempotency_key } }),
  checkHuggingFace: async () => ({ body: { hf_repo_id: 'nobody/nothing' } }),
  getImport: async () => ({ params: { job_id: (await addImport()).id } }),
  cancelImport: async () => ({ params: { job_id: (await addImport()).id } }),
  dismissImport: async () => {
    const { id } = await addImport()
    await program.context.db
      .updateTable('jobs')
      .set({ state: 'failed', finished_at: new Date(), error_code: 'internal_error', error_message: 'It failed.' })
      .where('id', '=', id)
      .execute()
    return { params: { job_id: id }, body: { dismissed: true } }
  },
  retryImport: async () => {
    const { id } = await addImport()
    await asAdmin('POST', `/api/v1/orgs/${org.slug}/projects/lab/imports/${id}/cancel`)
    return { params: { job_id: id } }
  },
  getImportReport: async () => ({
    params: { job_id: await addImportResults(program, org.id, (await addImport()).id) },
  }),
  getImportPreviewUrl: async () => ({
    params: { job_id: await addImportResults(program, org.id, (await addImport()).id), name: 'a.png' },
  }),
  removeProjectMember: async () => ({ params: { user_id: (await addMember()).id } }),
}

const asked = () => ({
  source_kind: 'huggingface',
  hf_repo_id: 'nobody/nothing',
  dataset_slug: 'asked',
  idempotency_key: randomUUID(),
})

const addImport = async (): Promise<{ id: string; idempotency_key: string }> =>
  (await asAdmin('POST', `/api/v1/orgs/${org.slug}/projects/lab/imports`, asked())).body.item

const versionsPath = () => `/api/v1/orgs/${org.slug}/derived-dataset-versions`

const derivation = async () => ({
  slug: 'curated',
  name: 'Curated',
  project_slug: 'lab',
  source: { dataset_kind: 'project', dataset_id: (await addDataset()).dataset_id ?? '' },
  recipe: { first_n_episodes: 2 },
})

const addVersion = async (): Promise<string> => (await asAdmin('POST', versionsPath(), await derivation())).body.item.id

const addExport = async (): Promise<{ version_id: string; job_id: string }> => {
  const versionId = await addVersion()
  const path = `${versionsPath()}/${versionId}/export-jobs`
  const { body } = await asAdmin('POST', path, { artifact_keys: ['lerobot'] })
  return { version_id: versionId, job_id: body.jobs[0].id }
}

/** Of every episode: its read model is then known without rows, which the generated dataset has not. */
const addWholeVersion = async (): Promise<string> =>
  (await asAdmin('POST', versionsPath(), { ...(await derivation()), recipe: {} })).body.item.id

const ofVersion = async (body?: unknown) => ({
  params: { version_id: await addWholeVersion() },
  ...(body === undefined ? {} : { body }),
})

const ofVersionFlag = async (describe?: (params: { flag_id: string }) => unknown) => {
  const versionId = await addWholeVersion()
  const items = [{ episode_index: 0, reason: 'idle' }]
  const put = await asAdmin('PUT', `${versionsPath()}/${versionId}/flags`, { items })
  const params = { version_id: versionId, flag_id: put.body.items[0].id as string }
  return { params, ...(describe ? { body: describe(params) } : {}) }
}

const ofVersionSet = async (body?: unknown) => {
  const versionId = await addWholeVersion()
  const set = await asAdmin('POST', `${versionsPath()}/${versionId}/annotation-sets`, { name: randomUUID() })
  return { params: { version_id: versionId, set_id: set.body.item.id }, ...(body === undefined ? {} : { body }) }
}

const emailOf = async (who: string): Promise<string> =>
  bearers[who]
    ? ((await program.call('GET', '/api/v1/users/me', { bearer: bearers[who] })).body.user?.email ?? 'x')
    : 'x'

const ask = async (route: { id: string; path: string }, who: string): Promise<Asked> =>
  (await requests[route.id]?.(who)) ?? (/\{dataset_/.test(route.path) ? { params: await addDataset() } : {})

/** Requests that name who sends them. */
const personal = new Set(['deleteAccount', 'putRecipeDraft', 'createRobot'])

/** Reads that are sent by POST. */
const reads = new Set([
  'previewVersion',
  'previewCuts',
  'previewMerge',
  'suggestMap',
  'lookupImport',
  'checkHuggingFace',
])

const isAudited = async (requestId: string): Promise<boolean> => {
  const found = program.context.db.selectFrom('audit_events').select('id').where('request_id', '=', requestId)
  return (await found.executeTakeFirst()) !== undefined
}

beforeAll(async () => {
  hub = await startHubServer(undefined, {
    extra: [{ path: 'arm.urdf', content: Buffer.from('<robot name="arm"/>'), isLarge: false }],
  })
  program = await startProgram({ NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow, NMP_TRUST_PROXY: '1' })
})
afterAll(async () => {
  await program.close()
  await hub.close()
})

test('every route is in the table, and the table names no other', () => {
  expect(rows.map((row) => row.id).sort()).toEqual(routes.map((route) => route.id).sort())
})

describe.each(rows)('$id', ({ id, statuses }) => {
  test('answers everybody as written', async () => {
    const route = routes.find((candidate) => candidate.id === id)
    if (!route) throw new Error(`no route ${id}`)
    if (isSpoiled) await prepare()
    isSpoiled = ending.has(id)
    const seen: number[] = []
    // Who is refused changes nothing, and a read changes nothing: one request serves them until somebody has used it up.
    let unused: Asked | undefined
    for (const who of identities) {
      const asked = unused ?? (await ask(route, who))
      const { params, query, body } = asked
      const values: Record<string, string> = { org_slug: org.slug, project_slug: project.slug, ...params }
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)
      const bearer = bearers[who]
      const requestId = `${id}-${who}`
      const answer = await program.call(route.method, query ? `${path}?${query}` : path, {
        ...(bearer ? { bearer } : {}),
        ...(body === undefined ? {} : { body }),
        // Bad credentials are counted by address, and there are more routes than that allows.
        headers: {
          'x-request-id': requestId,
          'x-forwarded-for': `10.0.${rows.findIndex((row) => row.id === id)}.1`,
        },
      })
      seen.push(answer.status)
      const isRead = route.method === 'GET' || reads.has(id)
      unused = isRead || (answer.status >= 400 && !personal.has(id)) ? asked : undefined
      if (!isRead && answer.status < 300)
        expect(await isAudited(requestId), `${id} by ${who} leaves an audit event`).toBe(true)
    }
    expect(Object.fromEntries(identities.map((who, index) => [who, seen[index]]))).toEqual(
      Object.fromEntries(identities.map((who, index) => [who, statuses[index]])),
    )
  })
})

test('what belongs to another organization answers as what does not exist', async () => {
  await prepare()
  const { slug } = await getOrg(program.context.db, org.id)
  for (const path of ['', '/members', '/projects', '/projects/lab', '/projects/lab/members']) {
    const foreign = await program.call('GET', `/api/v1/orgs/${slug}${path}`, { bearer: bearers.other ?? '' })
    const absent = await program.call('GET', `/api/v1/orgs/no-such-org${path}`, { bearer: bearers.other ?? '' })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' })
    expect(foreign.status).toBe(404)
  }
})

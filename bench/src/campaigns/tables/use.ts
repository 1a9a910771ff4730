import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../../e2e/program.ts'
import { pushFiles } from '../../../../server/test/hub-push.ts'

export interface Used {
  token: string
  userId: string
  org: string
  datasetId: string
  slug: string
  versionId: string
}

const project = 'default'
const patienceSeconds = 600

type Call = (method: string, path: string, body?: unknown) => Promise<unknown>

const createCall =
  (program: Program, bearer: string): Call =>
  async (method, path, body) => {
    const answer = await program.call(method, path, { bearer, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

/** For as long as the program runs: the address that it listens on is part of it. */
const signIn = (program: Program): Promise<string> =>
  program.mustAdmin('session', 'admin@localhost', '--minutes', '600')

/** As the first person of a new installation: one of everything that tables have rows of. */
export async function begin(program: Program): Promise<Used> {
  const bearer = await signIn(program)
  const call = createCall(program, bearer)
  const { user } = (await call('GET', '/api/v1/users/me')) as { user: { id: string; org_slugs: string[] } }
  const org = user.org_slugs[0] ?? ''
  const found = await until(async () => {
    const { items } = (await call('GET', `/api/v1/orgs/${org}/projects/${project}/datasets`)) as {
      items: { id: string; slug: string; visibility: string }[]
    }
    return items.find(({ visibility }) => visibility === 'public')
  })
  const { token } = (await call('POST', '/api/v1/users/me/tokens', {
    name: 'door',
    scopes: ['workspace:read', 'imports:write', 'datasets:write'],
  })) as { token: string }
  await call('PUT', `/api/v1/orgs/${org}/projects/${project}/members/${user.id}`, { role: 'admin' })
  const used = { token, userId: user.id, org, datasetId: found.id, slug: found.slug, versionId: '' }
  used.versionId = await derive(call, used, 'first')
  await write(program, call, used, 0)
  return used
}

/** A person at work, `rounds` times: every list and page, changes, and now and then an import and an export. */
export async function use(program: Program, used: Used, rounds: number): Promise<void> {
  const call = createCall(program, await signIn(program))
  for (let round = 1; round <= rounds; round += 1) {
    for (const path of listReads(used)) await call('GET', path)
    if (round % 10 === 1) await write(program, call, used, round)
  }
}

function listReads({ org, datasetId, slug, versionId }: Used): string[] {
  const place = `/api/v1/orgs/${org}/projects/${project}`
  const dataset = `${place}/datasets/${slug}`
  const catalog = `/api/v1/catalog/datasets/${datasetId}`
  const versions = `/api/v1/orgs/${org}/derived-dataset-versions`
  const door = `/hf/api/datasets/${org}`
  return [
    '/api/v1/users/me',
    '/api/v1/users/me/tokens',
    '/api/v1/users/me/sessions',
    '/api/v1/users/me/notifications',
    '/api/v1/users/me/notifications?unread=true',
    '/api/v1/orgs',
    `/api/v1/orgs/${org}`,
    `/api/v1/orgs/${org}/usage`,
    `/api/v1/orgs/${org}/members`,
    `/api/v1/orgs/${org}/audit-events`,
    `/api/v1/orgs/${org}/projects`,
    place,
    `${place}/members`,
    `${place}/datasets`,
    `${place}/datasets?q=dataset`,
    `${place}/imports`,
    `${place}/reviews?dataset_id=${datasetId}`,
    dataset,
    `${dataset}/revisions`,
    `${dataset}/manifest`,
    `${dataset}/flags`,
    `${dataset}/annotation-sets`,
    `${dataset}/lineage`,
    '/api/v1/catalog/datasets',
    '/api/v1/catalog/datasets?q=word77',
    '/api/v1/catalog/datasets?tag=tag-3&robot_type=robot-3',
    '/api/v1/catalog/datasets?sort=episodes',
    catalog,
    `${catalog}/episodes`,
    `${catalog}/episodes/0/rows`,
    `${catalog}/episodes/0/media`,
    `${catalog}/insights`,
    `${catalog}/checks`,
    `${catalog}/checks/findings`,
    `${catalog}/files`,
    versions,
    `${versions}/${versionId}`,
    `${versions}/${versionId}/export-jobs`,
    `${versions}/${versionId}/artifacts/lerobot/download-url`,
    `${versions}/${versionId}/lineage`,
    '/api/v1/status',
    '/api/v1/status/details',
    '/readyz',
    '/metrics',
    `${door}/${slug}`,
    `${door}/${slug}/refs`,
    `${door}/${slug}/tree/main?recursive=true`,
    `/hf/datasets/${org}/${slug}/resolve/main/meta/info.json`,
    `/hf/api/datasets?author=${org}&limit=20`,
    '/hf/api/datasets?search=set-77',
  ]
}

async function write(program: Program, call: Call, used: Used, round: number): Promise<void> {
  const { org, slug, token } = used
  const dataset = `/api/v1/orgs/${org}/projects/${project}/datasets/${slug}`
  const flags = `${dataset}/flags`
  await call('PUT', flags, { items: [{ episode_index: 1, reason: 'other', note: `round ${round}` }] })
  await call('PATCH', dataset, { description: `Round ${round}` })
  await pushFiles({ url: program.url, token }, `${org}/pushed-${round}`, [
    { path: 'README.md', content: Buffer.from(`# Round ${round}\n`) },
    { path: 'data/part.bin', content: randomBytes(1000) },
  ])
  const versionId = round === 0 ? used.versionId : await derive(call, used, `round-${round}`)
  const versions = `/api/v1/orgs/${org}/derived-dataset-versions/${versionId}`
  const { jobs } = (await call('POST', `${versions}/export-jobs`, { artifact_keys: ['lerobot'] })) as {
    jobs: { id: string }[]
  }
  await ended(call, `${versions}/export-jobs/${jobs[0]?.id}`)
  const { item } = (await call('POST', `${versions}/copy`, { dataset_slug: `copy-${round}` })) as {
    item: { id: string }
  }
  await ended(call, `/api/v1/orgs/${org}/projects/${project}/imports/${item.id}`)
}

async function derive(call: Call, { org, datasetId }: Used, slug: string): Promise<string> {
  const { item } = (await call('POST', `/api/v1/orgs/${org}/derived-dataset-versions`, {
    slug,
    name: slug,
    project_slug: project,
    source: { dataset_kind: 'catalog', dataset_id: datasetId },
    recipe: {},
  })) as { item: { id: string } }
  return item.id
}

const ended = (call: Call, path: string): Promise<true> =>
  until(async () => {
    const { item } = (await call('GET', path)) as { item: { status: string; error_message: string | null } }
    if (item.status === 'failed') throw new Error(`${path} failed: ${item.error_message}`)
    return item.status === 'succeeded' || undefined
  })

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + patienceSeconds * 1000
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`It did not come about in ${patienceSeconds} s.`)
    await sleep(500)
  }
}

import { type Database, inTransaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'
import { notify } from '../notifications/service.ts'
import { listAllOrgsOf } from '../organizations/service.ts'
import { openRepository } from './branches.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { HubRequest, HubRoute } from './hub-request.ts'
import { findPlace, openPush, type PushPlace } from './pushes.ts'
import { readJson } from './request-body.ts'
import { callerOf } from './write-routes.ts'

/** For everything of other kinds. */
export const datasetsOnly =
  'Only datasets are kept here. Pass repo_type="dataset"; for models and spaces use the Hub itself: unset HF_ENDPOINT, or push without it.'

const repository = '/api/datasets/(?<org>[^/]+)/(?<name>[^/]+)'

/** Repositories as such: made, checked, and what is not done to them through this door. */
export const repoRoutes: readonly HubRoute[] = [
  { method: 'POST', address: /^\/api\/repos\/create$/, writes: true, handle: createRepository },
  { method: 'DELETE', address: /^\/api\/repos\/delete$/, writes: true, handle: refuseDeletion },
  { method: 'POST', address: /^\/api\/validate-yaml$/, handle: async () => ({ json: { errors: [], warnings: [] } }) },
  { method: 'GET', address: new RegExp(`^${repository}/auth-check$`), handle: checkAccess },
  {
    method: 'DELETE',
    address: new RegExp(`^${repository}/branch/(?<branch>[^/]+)$`),
    writes: true,
    handle: refuseDeletion,
  },
]

async function createRepository(call: HubRequest): Promise<HubAnswer> {
  const { context, request, requestId } = call
  const principal = callerOf(call)
  const body = await readJson(request)
  if (body.type !== 'dataset') throw new ServiceError('malformed_request', datasetsOnly)
  const [orgGiven, nameGiven] = String(body.name ?? '').split('/', 2) as [string, string | undefined]
  const name = nameGiven ?? orgGiven
  const org = nameGiven ? orgGiven : String(body.organization ?? (await findOwnOrg(call)))
  const place = await findPlace(context.db, principal, org, name)
  const full = `${org}/${place.project.slug}.${place.slug}`
  const answer = { url: `${context.publicUrl}/hf/datasets/${org}/${name}`, name: `${org}/${name}`, id: full }
  const known = await openRepository({ ...call, params: { org, name } }).catch(() => undefined)
  if (known) return { status: 409, json: { ...answer, error: 'You already have this dataset.' } }
  await openPush(context, principal, place, requestId)
  if (body.private === false || body.visibility === 'public') await tellOfPublishing(context.db, principal, place)
  return { json: answer }
}

/** Recorders ask for public repositories without being told to. It is private all the same, and whoever asked hears how to publish it. */
const tellOfPublishing = (db: Database, { userId }: Principal, { org, project, slug }: PushPlace): Promise<unknown> =>
  inTransaction(db, (trx) =>
    notify(trx, {
      kind: 'import_fail',
      userIds: [userId],
      orgId: org.id,
      projectId: project.id,
      resourceKind: 'project',
      resourceId: project.id,
      title: `${org.slug}/${project.slug}.${slug} was created as public and is private: an admin of the project publishes it.`,
      path: `/orgs/${org.slug}/projects/${project.slug}/datasets/${slug}`,
      lines: ['Open the dataset in the console once it is imported, and publish it there.'],
    }),
  )

/** Without an organization the person's own is meant: the one named like them, or their first. */
async function findOwnOrg({ context, principal }: HubRequest): Promise<string> {
  const orgs = await listAllOrgsOf(context.db, principal?.userId ?? '')
  const own = orgs.find(({ slug }) => slug === principal?.email.split('@')[0]) ?? orgs[0]
  return own?.slug ?? ''
}

async function refuseDeletion(): Promise<HubAnswer> {
  throw new ServiceError(
    'insufficient_role',
    'Nothing is deleted through this door. Use the console, which asks twice.',
  )
}

async function checkAccess(call: HubRequest): Promise<HubAnswer> {
  await openRepository(call)
  return { json: {} }
}

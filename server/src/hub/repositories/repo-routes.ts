import { projectAdmin } from '../../access/access.ts'
import type { Principal } from '../../access/principal.ts'
import { changeDataset, findDatasetBySlug, requireSessionToPublish } from '../../datasets/service.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { notify } from '../../notifications/service.ts'
import { authorize, listAllOrgsOf } from '../../organizations/service.ts'
import { type HubAnswer, revisionNotFound } from '../hub-answer.ts'
import { type HubRequest, type HubRoute, pushRoute } from '../hub-request.ts'
import { describeAddress, isModelName, isModelSlug, nameModel, showName } from '../models/names.ts'
import { findPlace, openPush, type PushPlace } from '../push/pushes.ts'
import { callerOf } from '../push/write-routes.ts'
import { readJson } from '../request-body.ts'
import { openBranches, openRepository } from './branches.ts'
import { deleteRepository } from './deletion.ts'
import { duplicate } from './duplication.ts'
import { moveRepository } from './renaming.ts'
import { mayRead } from './repositories.ts'

const repository = '/api/datasets/(?<org>[^/]+)/(?<name>[^/]+)'

/** What changes a repository that is there: seen by who may read it, changed by who may change datasets. */
function changeRoute(id: string, method: HubRoute['method'], address: RegExp, handle: HubRoute['handle']): HubRoute {
  return { id, method, address, credentials: ['workspace:read', 'datasets:write'], handle }
}

/** The same, for who may delete them. */
function deleteRoute(id: string, address: RegExp, handle: HubRoute['handle']): HubRoute {
  return { id, method: 'DELETE', address, credentials: ['workspace:read', 'datasets:delete'], handle }
}

/** Repositories as such: made, deleted, checked, and what is not done to them through this door. */
export const repoRoutes: readonly HubRoute[] = [
  pushRoute('hub.createRepository', 'POST', /^\/api\/repos\/create$/, createRepository),
  pushRoute('hub.duplicate', 'POST', new RegExp(`^${repository}/duplicate$`), duplicate),
  deleteRoute('hub.deleteRepository', /^\/api\/repos\/delete$/, deleteByName),
  changeRoute('hub.move', 'POST', /^\/api\/repos\/move$/, moveRepository),
  changeRoute('hub.changeSettings', 'PUT', new RegExp(`^${repository}/settings$`), changeSettings),
  deleteRoute('hub.deleteBranch', new RegExp(`^${repository}/branch/(?<branch>[^/]+)$`), deleteBranch),
  {
    id: 'hub.checkCard',
    method: 'POST',
    address: /^\/api\/validate-yaml$/,
    credentials: 'optional',
    handle: async () => ({ json: { errors: [], warnings: [] } }),
  },
  {
    id: 'hub.checkAccess',
    method: 'GET',
    address: new RegExp(`^${repository}/auth-check$`),
    credentials: 'optional',
    handle: checkAccess,
  },
]

async function createRepository(call: HubRequest): Promise<HubAnswer> {
  const { context } = call
  const caller = callerOf(call)
  const body = await readJson(call)
  const { org, name } = await readRepository(call, body)
  const place = await findPlace(context.db, caller, org, name)
  const answer = {
    url: `${context.publicUrl}/hf/${describeAddress(call, { org, name })}`,
    name: `${org}/${showName(name)}`,
    id: `${org}/${place.project.slug}.${showName(place.slug)}`,
  }
  const known = await openRepository({ ...call, params: { org, name } }).catch(() => undefined)
  if (known) return { status: 409, json: { ...answer, error: 'You already have this repository.' } }
  await openPush(context, caller, place)
  if (!isModelName(name) && (body.private === false || body.visibility === 'public'))
    await tellOfPublishing(context.db, caller, place)
  return { json: answer }
}

/** `{"name": "set", "organization": "lab"}`, or both in the name; a model where no type is given. */
async function readRepository(call: HubRequest, body: Record<string, unknown>): Promise<{ org: string; name: string }> {
  const { type = 'model' } = body
  const [orgGiven, nameGiven] = String(body.name ?? '').split('/', 2) as [string, string | undefined]
  const name = nameGiven ?? orgGiven
  if ((type !== 'dataset' && type !== 'model') || isModelName(name))
    throw new ServiceError(
      'malformed_request',
      'Only datasets and models are stored here: repo_type is "dataset" or "model".',
    )
  const org = nameGiven ? orgGiven : String(body.organization ?? (await findOwnOrg(call)))
  return { org, name: type === 'model' ? nameModel(name) : name }
}

/** Recorders ask for public repositories without being told to. It is private all the same, and whoever asked hears how to publish it. */
const tellOfPublishing = (db: Database, { userId }: Principal, { org, project, slug }: PushPlace): Promise<unknown> =>
  inTransaction(db, (trx) =>
    notify(trx, {
      kind: 'import_fail',
      severity: 'warning',
      userIds: [userId],
      orgId: org.id,
      projectId: project.id,
      resourceKind: 'project',
      resourceId: project.id,
      title: `${org.slug}/${project.slug}.${slug} was created with private=False, but is private until an admin of the project publishes it.`,
      path: `/orgs/${org.slug}/projects/${project.slug}/datasets/${slug}`,
      detail: 'Open the dataset in the console once it is imported, and publish it there.',
    }),
  )

/** Without an organization the person's own is meant: the one named like them, or their first. */
async function findOwnOrg(call: HubRequest): Promise<string> {
  const caller = callerOf(call)
  if (!mayRead(caller))
    throw new ServiceError(
      'insufficient_scope',
      'Name the organization (ORG/NAME): without the scope workspace:read the token cannot see which ones are yours.',
    )
  const orgs = await listAllOrgsOf(call.context.db, caller.userId)
  const own = orgs.find(({ slug }) => slug === caller.email.split('@')[0]) ?? orgs[0]
  return own?.slug ?? ''
}

async function deleteByName(call: HubRequest): Promise<HubAnswer> {
  const body = await readJson(call)
  const found = await openRepository({ ...call, params: await readRepository(call, body) })
  await deleteRepository(call.context, callerOf(call), found)
  return { json: {} }
}

/** A branch is a dataset of its own. */
async function deleteBranch(call: HubRequest): Promise<HubAnswer> {
  const name = call.params.branch ?? ''
  const branches = await openBranches(call, await openRepository(call))
  const found = branches.find(({ branch }) => branch === name)
  if (!found) throw revisionNotFound(name)
  await deleteRepository(call.context, callerOf(call), found.repository)
  return { json: {} }
}

/** Visibility as in the console: for a signed-in admin of the project. */
async function changeSettings(call: HubRequest): Promise<HubAnswer> {
  const { context } = call
  const caller = callerOf(call)
  const body = await readJson(call)
  if (body.gated !== undefined && body.gated !== false)
    throw new ServiceError(
      'malformed_request',
      'Gated datasets are not supported. Give people a role in the project instead.',
    )
  const asked =
    body.visibility ?? (typeof body.private === 'boolean' ? (body.private ? 'private' : 'public') : undefined)
  if (asked !== 'private' && asked !== 'public')
    throw new ServiceError('malformed_request', 'A dataset is private or public.')
  const found = await openRepository(call)
  if ((asked === 'private') === found.isPrivate) return { json: {} }
  if (isModelSlug(found.slug))
    throw new ServiceError(
      'malformed_request',
      'Models are private to their project. Give people a role in it instead.',
    )
  requireSessionToPublish(caller, { visibility: asked })
  const { project } = await authorize(context.db, caller, projectAdmin, {
    org_slug: found.org,
    project_slug: found.project.slug,
  })
  const dataset = await findDatasetBySlug(context.db, found.project.id, found.slug)
  if (!project || !dataset)
    throw new ServiceError('conflict', 'A dataset can be published only after it has been imported.')
  await changeDataset(context.db, caller, { project, dataset }, { visibility: asked })
  return { json: {} }
}

async function checkAccess(call: HubRequest): Promise<HubAnswer> {
  await openRepository(call)
  return { json: {} }
}

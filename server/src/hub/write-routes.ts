import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ServiceError } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'
import { listAllOrgsOf } from '../organizations/service.ts'
import { stageBlob } from '../storage/blobs.ts'
import { createBranch, openCommit, placeBranch } from './branches.ts'
import { readCommitLines } from './commit-body.ts'
import { isLargeFile } from './git-object.ts'
import { type HubAnswer, revisionNotFound } from './hub-answer.ts'
import type { HubRequest, HubRoute } from './hub-request.ts'
import { requireQuota } from './push-quota.ts'
import {
  commitPush,
  findPlace,
  findPushedObject,
  finishPush,
  keepPushedObject,
  listPushFiles,
  openPush,
  type Push,
  type PushFile,
} from './pushes.ts'
import { openRepository } from './read-routes.ts'
import { readJson } from './request-body.ts'

const repository = '/api/datasets/(?<org>[^/]+)/(?<name>[^/]+)'
const mostFilesAtOnce = 1000
const preuploadBytes = 4 * 1024 * 1024

export const writeRoutes: readonly HubRoute[] = [
  { method: 'POST', address: /^\/api\/repos\/create$/, writes: true, handle: createRepository },
  { method: 'DELETE', address: /^\/api\/repos\/delete$/, writes: true, handle: refuseDeletion },
  { method: 'POST', address: /^\/api\/validate-yaml$/, handle: async () => ({ json: { errors: [], warnings: [] } }) },
  {
    method: 'POST',
    address: new RegExp(`^${repository}/preupload/(?<revision>[^/]+)$`),
    writes: true,
    handle: planUpload,
  },
  { method: 'POST', address: new RegExp(`^${repository}/commit/(?<revision>[^/]+)$`), writes: true, handle: commit },
  { method: 'POST', address: new RegExp(`^${repository}/tag/(?<revision>[^/]+)$`), writes: true, handle: createTag },
  { method: 'DELETE', address: new RegExp(`^${repository}/tag/(?<tag>[^/]+)$`), writes: true, handle: deleteTag },
  {
    method: 'POST',
    address: new RegExp(`^${repository}/branch/(?<branch>[^/]+)$`),
    writes: true,
    handle: makeBranch,
  },
  {
    method: 'DELETE',
    address: new RegExp(`^${repository}/branch/(?<branch>[^/]+)$`),
    writes: true,
    handle: refuseDeletion,
  },
]

/** Routes that write are reached with a credential only. */
const callerOf = ({ principal }: HubRequest): Principal => principal as Principal

async function createRepository(call: HubRequest): Promise<HubAnswer> {
  const { context, request, requestId } = call
  const principal = callerOf(call)
  const body = await readJson(request)
  if (body.type !== 'dataset')
    throw new ServiceError('malformed_request', 'Only datasets are kept here: pass repo_type="dataset".')
  const [orgGiven, nameGiven] = String(body.name ?? '').split('/', 2) as [string, string | undefined]
  const name = nameGiven ?? orgGiven
  const org = nameGiven ? orgGiven : String(body.organization ?? (await findOwnOrg(call)))
  const place = await findPlace(context.db, principal, org, name)
  const full = `${org}/${place.project.slug}.${place.slug}`
  const answer = { url: `${context.publicUrl}/hf/datasets/${org}/${name}`, name: `${org}/${name}`, id: full }
  const known = await openRepository({ ...call, params: { org, name } }).catch(() => undefined)
  if (known) return { status: 409, json: { ...answer, error: 'You already have this dataset.' } }
  await openPush(context, principal, place, requestId)
  return { json: answer }
}

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

/** The push that a request goes on with: of `main`, or of a branch that was made. */
export async function findPush(call: HubRequest, branch = call.params.revision): Promise<Push> {
  const { context, params, requestId } = call
  const revision = (branch ?? 'main').replace(/^refs\/heads\//, '')
  const principal = callerOf(call)
  const place = await findPlace(context.db, principal, params.org ?? '', params.name ?? '')
  const target = revision === 'main' ? place : await placeBranch(context.db, place, revision)
  return openPush(context, principal, target, requestId)
}

interface WantedFile {
  path: string
  size: number
}

/** Which files come as large objects, and what of them is there already: that is what makes a second push short. */
async function planUpload(call: HubRequest): Promise<HubAnswer> {
  const push = await findPush(call)
  const { files } = await readJson(call.request, preuploadBytes)
  if (!Array.isArray(files) || files.length > mostFilesAtOnce)
    throw new ServiceError('malformed_request', `Send files, at most ${mostFilesAtOnce} at a time.`)
  const wanted = files as WantedFile[]
  if (!wanted.every((file) => typeof file?.path === 'string' && typeof file.size === 'number'))
    throw new ServiceError('malformed_request', 'A file has no path or no size.')
  const present = new Map((await listPushFiles(call.context.db, push.id)).map((file) => [file.path, file]))
  const answers: object[] = []
  for (const { path, size } of wanted) {
    const isLarge = isLargeFile(path, size)
    const known = present.get(path)
    answers.push({
      path,
      uploadMode: isLarge ? 'lfs' : 'regular',
      shouldIgnore: false,
      ...(known ? { oid: isLarge ? known.sha256 : await nameRegular(call, push, known) } : {}),
    })
  }
  return { json: { files: answers, ...(push.head ? { commitOid: push.head } : {}) } }
}

async function nameRegular(call: HubRequest, push: Push, { path, sha256, sizeBytes }: PushFile): Promise<string> {
  const blob = await findPushedObject(call.context.db, push, sha256)
  return blob ? call.nameFile({ path, sizeBytes, sha256, isLarge: false, storeKey: blob.storeKey }) : ''
}

async function commit(call: HubRequest): Promise<HubAnswer> {
  const { context, request, signal, params } = call
  const push = await findPush(call)
  const files: PushFile[] = []
  const deletedPaths: string[] = []
  let parentCommit: string | undefined
  for await (const line of readCommitLines(request)) {
    if (line.kind === 'header') parentCommit = line.parentCommit
    else if (line.kind === 'deleted') deletedPaths.push(line.path)
    else if (line.kind === 'file') files.push(await keepRegular(call, push, line.path, line.bytes, signal))
    else files.push(await takeLarge(call, push, line))
  }
  const startCommit =
    parentCommit === undefined ? undefined : (await openCommit(call, params.revision ?? 'main')).commit.id
  const head = await commitPush(context.db, push.id, { files, deletedPaths, parentCommit, startCommit })
  const url = `${context.publicUrl}/hf/datasets/${params.org}/${params.name}/commit/${head}`
  return { json: { success: true, commitOid: head, commitUrl: url, hookOutput: '' } }
}

async function keepRegular(
  { context }: HubRequest,
  push: Push,
  path: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<PushFile> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (!(await findPushedObject(context.db, push, sha256))) {
    await requireQuota(context, push.org_id, bytes.byteLength)
    const blob = await stageBlob(context.storage, { id: push.id, epoch: 0 }, Readable.from([bytes]), { signal })
    await keepPushedObject(context, push, blob)
  }
  return { path, sha256, sizeBytes: bytes.byteLength }
}

async function takeLarge(
  { context }: HubRequest,
  push: Push,
  { path, sha256, sizeBytes }: { path: string; sha256: string; sizeBytes: number | undefined },
): Promise<PushFile> {
  const blob = await findPushedObject(context.db, push, sha256)
  if (!blob || (sizeBytes !== undefined && sizeBytes !== blob.sizeBytes))
    throw new ServiceError(
      'malformed_request',
      `The content of ${path} (sha256 ${sha256}) has not arrived. Upload it first.`,
    )
  return { path, sha256, sizeBytes: blob.sizeBytes }
}

const codebaseTag = /^v\d+\.\d+$/

/** The codebase tag is the last thing that a recorder sets: the tree is whole then. */
async function createTag(call: HubRequest): Promise<HubAnswer> {
  const { context, request, requestId, params } = call
  const { tag } = await readJson(request)
  if (typeof tag !== 'string' || !codebaseTag.test(tag))
    throw new ServiceError('malformed_request', 'Only codebase versions such as v3.0 are kept as tags here.')
  const principal = callerOf(call)
  const push = await findPush(call)
  if (push.head !== null) await finishPush(context.db, push, principal, requestId)
  return {
    json: { tag, ref: `refs/tags/${tag}`, url: `${context.publicUrl}/hf/datasets/${params.org}/${params.name}` },
  }
}

/** Tags follow from the content, so there is none to delete; recorders try before they set theirs. */
async function deleteTag(call: HubRequest): Promise<HubAnswer> {
  await findPlace(call.context.db, callerOf(call), call.params.org ?? '', call.params.name ?? '')
  throw revisionNotFound(call.params.tag ?? '')
}

async function makeBranch(call: HubRequest): Promise<HubAnswer> {
  const { context, params, request } = call
  const place = await findPlace(context.db, callerOf(call), params.org ?? '', params.name ?? '')
  const { startingPoint } = await readJson(request)
  return createBranch(call, place, { branch: params.branch ?? '', startingPoint: String(startingPoint ?? 'main') })
}

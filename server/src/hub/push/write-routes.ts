import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createKeyedLimiter } from '@nmp/formats/limiter'
import type { Caller } from '../../access/principal.ts'
import { ServiceError } from '../../errors.ts'
import { stageBlob } from '../../storage/blobs.ts'
import { commitPush, type TreeChange } from '../commits/commit-push.ts'
import { nameHead } from '../commits/heads.ts'
import { isLargeFile } from '../git/git-object.ts'
import type { HubAnswer } from '../hub-answer.ts'
import { type HubRequest, type HubRoute, pushRoute } from '../hub-request.ts'
import { configPath, noteModelSource } from '../models/describe.ts'
import { describeAddress, isModelSlug } from '../models/names.ts'
import { createBranch, placeBranch } from '../repositories/branches.ts'
import { mayRead } from '../repositories/repositories.ts'
import { readJson, withBody } from '../request-body.ts'
import { largestCommitBytes, readCommitLines } from './commit-body.ts'
import { requireQuota } from './push-quota.ts'
import {
  findPlace,
  findPushedObject,
  keepPushedObject,
  listTreeFiles,
  openPush,
  type Push,
  type PushFile,
} from './pushes.ts'
import { findUploadRules } from './upload-rules.ts'

const repository = '/api/datasets/(?<org>[^/]+)/(?<name>[^/]+)'
const mostFilesAtOnce = 1000
/** Of a thousand files the path, the size and the first 512 bytes, and two files of rules. */
const preuploadBounds = { mostBytes: 2 * 1024 * 1024, mostValues: 10 * mostFilesAtOnce }

export const writeRoutes: readonly HubRoute[] = [
  pushRoute('hub.planUpload', 'POST', new RegExp(`^${repository}/preupload/(?<revision>[^/]+)$`), planUpload),
  pushRoute('hub.commit', 'POST', new RegExp(`^${repository}/commit/(?<revision>[^/]+)$`), commit),
  pushRoute('hub.createBranch', 'POST', new RegExp(`^${repository}/branch/(?<branch>[^/]+)$`), makeBranch),
]

/** Routes that write are reached with a credential only. */
export const callerOf = ({ caller }: HubRequest): Caller => caller as Caller

/** The push that a request goes on with: of `main`, or of a branch that was made. */
export async function findPush(call: HubRequest, branch = call.params.revision): Promise<Push> {
  const { context, params } = call
  const revision = (branch ?? 'main').replace(/^refs\/heads\//, '')
  const caller = callerOf(call)
  const place = await findPlace(context.db, caller, params.org ?? '', params.name ?? '')
  const target = revision === 'main' ? place : await placeBranch(context.db, place, revision)
  return openPush(context, caller, target)
}

interface WantedFile {
  path: string
  size: number
  sample?: unknown
}

/** Which files come as large objects, which are left out, and what is there already: that is what makes a second push short. */
async function planUpload(call: HubRequest): Promise<HubAnswer> {
  refusePullRequest(call)
  const push = await findPush(call)
  const { files, gitAttributes, gitIgnore } = await readJson(call, preuploadBounds)
  if (!Array.isArray(files) || files.length > mostFilesAtOnce)
    throw new ServiceError('malformed_request', `Send files, at most ${mostFilesAtOnce} at a time.`)
  const wanted = files as WantedFile[]
  if (!wanted.every((file) => typeof file?.path === 'string' && typeof file.size === 'number'))
    throw new ServiceError('malformed_request', 'A file has no path or no size.')
  const tree = await listTreeFiles(call.context.db, push.id, push.headNumber)
  const present = new Map(tree.map((file) => [file.path, file]))
  const rules = await findUploadRules(call.context, push, present, { gitAttributes, gitIgnore, files: wanted })
  // What is there already is told to who may read it; another token sends it again.
  const maySee = mayRead(callerOf(call))
  const answers: object[] = []
  for (const [index, { path, size }] of wanted.entries()) {
    // Patterns and paths may be hostile: others are answered in between.
    if (index % 20 === 19) await setImmediate()
    const isLarge = isLargeFile(path, size, rules.isLarge)
    const known = present.get(path)
    answers.push({
      path,
      uploadMode: isLarge ? 'lfs' : 'regular',
      shouldIgnore: rules.isIgnored(path),
      ...(known && maySee ? { oid: isLarge ? known.sha256 : await nameRegular(call, push, known) } : {}),
    })
  }
  return { json: { files: answers, commitOid: nameHead(push) } }
}

async function nameRegular(call: HubRequest, push: Push, { path, sha256, sizeBytes }: PushFile): Promise<string> {
  const blob = await findPushedObject(call.context.db, push, sha256)
  return blob ? call.nameFile({ path, sizeBytes, sha256, isLarge: false, storeKey: blob.storeKey }) : ''
}

/** Before anything is written: what is meant to be looked at first must not be on main. */
function refusePullRequest({ url }: HubRequest): void {
  if (['', '0', 'false', null].includes(url.searchParams.get('create_pr')?.toLowerCase() ?? null)) return
  throw new ServiceError(
    'malformed_request',
    'Pull requests are not supported, and nothing was written. Create a branch with create_branch and commit to it with revision=BRANCH; it becomes a separate dataset.',
  )
}

/** One of each person: each of its lines is parsed and hashed here. */
const committing = createKeyedLimiter(1)

async function commit(call: HubRequest): Promise<HubAnswer> {
  refusePullRequest(call)
  const { context } = call
  const push = await findPush(call)
  const files = new Map<string, PushFile>()
  const deletedPaths: string[] = []
  let header: Pick<TreeChange, 'title' | 'message' | 'parentCommit'> = {
    title: '',
    message: '',
    parentCommit: undefined,
  }
  await withBody(call, largestCommitBytes, (body) =>
    committing.run(callerOf(call).userId, async () => {
      // Whoever has gone leaves their turn to the next.
      call.signal.throwIfAborted()
      for await (const line of readCommitLines(body.stream())) {
        if (line.kind === 'header') header = line
        else if (line.kind === 'deleted') deletedPaths.push(line.path)
        else if (line.kind === 'file') files.set(line.path, await keepRegular(call, push, line))
        else files.set(line.path, await takeLarge(call, push, line))
      }
    }),
  )
  const { title, message, parentCommit } = header
  const change = { files: [...files.values()], deletedPaths, title: title || 'Commit', message, parentCommit }
  const head = await commitPush(context, callerOf(call), push.id, change)
  const config = isModelSlug(push.slug) ? files.get(configPath) : undefined
  if (config) await noteModelSource(call, push, config)
  const url = `${context.publicUrl}/hf/${describeAddress(call)}/commit/${head}`
  return { json: { success: true, commitOid: head, commitUrl: url, hookOutput: '' } }
}

async function keepRegular(
  { context, signal }: HubRequest,
  push: Push,
  { path, bytes }: { path: string; bytes: Uint8Array },
): Promise<PushFile> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (!(await findPushedObject(context.db, push, sha256))) {
    await requireQuota(context, push.orgId, bytes.byteLength)
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

async function makeBranch(call: HubRequest): Promise<HubAnswer> {
  const { context, params } = call
  const place = await findPlace(context.db, callerOf(call), params.org ?? '', params.name ?? '')
  const { startingPoint } = await readJson(call)
  return createBranch(call, place, { branch: params.branch ?? '', startingPoint: String(startingPoint ?? 'main') })
}

import { setImmediate } from 'node:timers/promises'
import type { Principal } from '../../access/principal.ts'
import { ServiceError, unauthenticated } from '../../errors.ts'
import { listAllOrgsOf } from '../../organizations/service.ts'
import { describePointer, nameFolder } from '../git/git-object.ts'
import { entryNotFound, type HubAnswer } from '../hub-answer.ts'
import { type HubRequest, type HubRoute, patient } from '../hub-request.ts'
import { describeModel } from '../models/describe.ts'
import { isModelSlug } from '../models/names.ts'
import { openBranches, openCommit, openLoadable } from '../repositories/branches.ts'
import { type Commit, findCodebaseTag, loadableTag, mayRead } from '../repositories/repositories.ts'
import { readForm, requireSize } from '../request-body.ts'
import { findCardData, listHubTags } from './card-data.ts'
import { findFile, type HubFile } from './commit-files.ts'
import { listHistory, listOwnCommits, listTags } from './history.ts'

const repository = '/api/datasets/(?<org>[^/]+)/(?<name>[^/]+)'
const pageSize = 1000

const read = (id: string, method: HubRoute['method'], address: RegExp, handle: HubRoute['handle']): HubRoute => ({
  id,
  method,
  address,
  credentials: 'optional',
  handle,
})

export const readRoutes: readonly HubRoute[] = [
  read('hub.whoami', 'GET', /^\/api\/whoami-v2$/, describeCaller),
  read('hub.getRepository', 'GET', new RegExp(`^${repository}$`), describeRepository),
  read('hub.getRevision', 'GET', new RegExp(`^${repository}/revision/(?<revision>[^/]+)$`), describeRepository),
  read('hub.listRefs', 'GET', new RegExp(`^${repository}/refs$`), listRefs),
  read('hub.listTree', 'GET', new RegExp(`^${repository}/tree/(?<revision>[^/]+)(?:/(?<path>.*))?$`), listTree),
  read('hub.getPaths', 'POST', new RegExp(`^${repository}/paths-info/(?<revision>[^/]+)$`), describePaths),
  read('hub.listCommits', 'GET', new RegExp(`^${repository}/commits/(?<revision>[^/]+)$`), listCommits),
]

/** What `GET /api/v1/users/me` tells, for the same scope; a token without it learns that it is valid, and what it may do. */
async function describeCaller({ context, caller }: HubRequest): Promise<HubAnswer> {
  if (!caller) throw unauthenticated()
  const isReader = mayRead(caller)
  const orgs = isReader ? await listAllOrgsOf(context.db, caller.userId) : []
  const name = isReader ? (caller.email.split('@')[0] ?? caller.email) : caller.userId
  return {
    json: {
      type: 'user',
      id: caller.userId,
      name,
      fullname: name,
      ...(isReader ? { email: caller.email } : {}),
      orgs: orgs.map(({ slug, id }) => ({ type: 'org', id, name: slug, fullname: slug })),
      auth: { type: 'access_token', accessToken: { displayName: 'nmp', role: roleOf(caller) } },
    },
  }
}

const roleOf = (principal: Principal): string =>
  principal.kind === 'session' || principal.scopes.includes('imports:write') ? 'write' : 'read'

async function describeRepository(call: HubRequest): Promise<HubAnswer> {
  const { repository: found, commit } = await openCommit(call, call.params.revision ?? 'main')
  const wanted = call.url.searchParams.getAll('expand')
  const needsFiles = wanted.length === 0 || wanted.includes('siblings')
  const cardData = await findCardData(call.context, commit)
  const facts: Record<string, unknown> = {
    _id: commit.id.slice(0, 24),
    author: found.org,
    sha: commit.id,
    lastModified: commit.createdAt.toISOString(),
    createdAt: (found.commits.at(-1) ?? commit).createdAt.toISOString(),
    private: found.isPrivate,
    gated: false,
    disabled: false,
    tags: listHubTags(cardData),
    cardData,
    downloads: 0,
    likes: 0,
    xetEnabled: false,
    ...(isModelSlug(found.slug) ? await describeModel(call, found, commit) : {}),
    siblings: needsFiles ? await listSiblings(call, commit) : undefined,
  }
  const shown =
    wanted.length === 0 ? Object.entries(facts) : Object.entries(facts).filter(([key]) => wanted.includes(key))
  return { json: { id: found.name, ...Object.fromEntries(shown) } }
}

async function listSiblings(call: HubRequest, commit: Commit): Promise<object[]> {
  await call.waitForFiles(call.caller, commit, patient(call))
  const files = await call.listFiles(commit)
  const withBlobs = /^true$/i.test(call.url.searchParams.get('blobs') ?? '')
  if (!withBlobs) return files.map(({ path }) => ({ rfilename: path }))
  const entries: object[] = []
  for (const file of files) {
    const blobId = await call.nameFile(file)
    entries.push({ rfilename: file.path, size: file.sizeBytes, blobId, ...describeLfs(file, 'sha256') })
  }
  return entries
}

async function listRefs(call: HubRequest): Promise<HubAnswer> {
  const found = await openLoadable(call, patient(call))
  const branches = [
    { name: 'main', id: found.main.id },
    ...(await openBranches(call, found)).map(({ branch, repository: { main } }) => ({ name: branch, id: main.id })),
  ]
  const codebase = findCodebaseTag(found.main)
  const tags = [
    ...(found.loadable ? [{ name: loadableTag, id: found.loadable.id }] : []),
    ...(codebase ? [{ name: codebase, id: found.main.id }] : []),
    ...found.commits.flatMap(({ tag, id }) => (tag ? [{ name: tag, id }] : [])),
    ...(await listTags(call, found)),
  ]
  return {
    json: {
      branches: branches.map(({ name, id }) => ({ name, ref: `refs/heads/${name}`, targetCommit: id })),
      converts: [],
      tags: tags.map(({ name, id }) => ({ name, ref: `refs/tags/${name}`, targetCommit: id })),
      ...(call.url.searchParams.has('include_prs') ? { pullRequests: [] } : {}),
    },
  }
}

async function openFiles(call: HubRequest): Promise<{ commit: Commit; files: readonly HubFile[] }> {
  const { commit } = await openCommit(call, call.params.revision ?? '')
  await call.waitForFiles(call.caller, commit, patient(call))
  return { commit, files: await call.listFiles(commit) }
}

async function listTree(call: HubRequest): Promise<HubAnswer> {
  const { commit, files } = await openFiles(call)
  const folder = call.params.path ? `${call.params.path.replace(/\/$/, '')}/` : ''
  const isRecursive = /^true$/i.test(call.url.searchParams.get('recursive') ?? '')
  const entries = listEntries(files, folder, isRecursive)
  if (entries.length === 0 && folder !== '') throw entryNotFound(folder)
  const start = Number(call.url.searchParams.get('cursor') ?? 0) || 0
  const page = entries.slice(start, start + pageSize)
  const json: object[] = []
  const lastCommits = await openLastCommits(call, commit, files, call.url.searchParams.get('expand'))
  for (const entry of page)
    json.push(
      typeof entry === 'string'
        ? describeFolder(commit, entry, lastCommits)
        : await describeFile(call, entry, lastCommits),
    )
  if (start + pageSize >= entries.length) return { json }
  const next = new URL(`${call.context.publicUrl}/hf${call.url.pathname}${call.url.search}`)
  next.searchParams.set('cursor', String(start + pageSize))
  return { json, headers: { link: `<${next.href}>; rel="next"` } }
}

/** Files, and the folders among them as their paths; by path. */
function listEntries(files: readonly HubFile[], folder: string, isRecursive: boolean): (HubFile | string)[] {
  const entries: (HubFile | string)[] = []
  const folders = new Set<string>()
  for (const file of files) {
    if (!file.path.startsWith(folder)) continue
    const parts = file.path.slice(folder.length).split('/')
    for (let depth = 1; depth < (isRecursive ? parts.length : Math.min(parts.length, 2)); depth++) {
      const path = folder + parts.slice(0, depth).join('/')
      if (folders.has(path)) continue
      folders.add(path)
      entries.push(path)
    }
    if (isRecursive || parts.length === 1) entries.push(file)
  }
  return entries
}

const describeFolder = ({ id }: Commit, path: string, lastCommits: LastCommits) => ({
  type: 'directory',
  path,
  size: 0,
  oid: nameFolder(id, path),
  ...lastCommits(path),
})

/** By the path of a file or a folder. */
type LastCommits = (path: string) => object

async function describeFile({ nameFile }: HubRequest, file: HubFile, lastCommits: LastCommits): Promise<object> {
  const { path, sizeBytes: size } = file
  return { type: 'file', path, size, oid: await nameFile(file), ...describeLfs(file, 'oid'), ...lastCommits(path) }
}

/** For `expand`: the commit that brought a file, or the newest file of a folder. Of a revision every file is of that revision. */
async function openLastCommits(
  call: HubRequest,
  commit: Commit,
  files: readonly HubFile[],
  expand: string | null,
): Promise<LastCommits> {
  if (!/^true$/i.test(expand ?? '')) return () => ({})
  const known = await listOwnCommits(call, commit)
  const newest = new Map<string, number>()
  for (const { path, added = 0 } of files)
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const place = path.slice(0, end)
      newest.set(place, Math.max(added, newest.get(place) ?? 0))
    }
  return (path) => {
    const { id, title, createdAt } = known.get(newest.get(path) ?? 0) ?? commit
    return { lastCommit: { id, title, date: createdAt.toISOString() } }
  }
}

const describeLfs = ({ isLarge, sha256, sizeBytes }: HubFile, key: 'oid' | 'sha256') =>
  isLarge
    ? { lfs: { [key]: sha256, size: sizeBytes, pointerSize: describePointer(sha256, sizeBytes).pointerSize } }
    : {}

const mostPaths = 1000
const pathsBounds = { mostBytes: 256 * 1024, mostValues: 2 * mostPaths }

async function describePaths(call: HubRequest): Promise<HubAnswer> {
  // Anybody may ask: before anything is looked up for it.
  requireSize(call.request, pathsBounds.mostBytes)
  const { commit, files } = await openFiles(call)
  const form = await readForm(call, ['paths', 'expand'], pathsBounds)
  const wanted = new Set((form.paths ?? []).map((path) => path.replace(/\/$/, '')))
  const lastCommits = await openLastCommits(call, commit, files, form.expand?.[0] ?? null)
  if (wanted.size > mostPaths)
    throw new ServiceError('malformed_request', `Ask for at most ${mostPaths} paths at a time.`)
  const folders = new Set(listEntries(files, '', true).filter((entry) => typeof entry === 'string'))
  const json: object[] = []
  for (const [index, path] of [...wanted].entries()) {
    // Others are answered in between.
    if (index % 50 === 49) await setImmediate()
    const file = findFile(files, path)
    if (file) json.push(await describeFile(call, file, lastCommits))
    else if (folders.has(path)) json.push(describeFolder(commit, path, lastCommits))
  }
  return { json }
}

const commitsOfPage = 500

async function listCommits(call: HubRequest): Promise<HubAnswer> {
  const { repository: found, commit } = await openCommit(call, call.params.revision ?? '')
  const history = await listHistory(call, found, commit)
  const start = Number(call.url.searchParams.get('p') ?? 0) * commitsOfPage || 0
  const page = history.slice(start, start + commitsOfPage)
  const isFormatted = call.url.searchParams.get('expand[]') === 'formatted'
  const json = page.map(({ id, title, message, author, createdAt }) => ({
    id,
    title,
    message,
    authors: [{ user: author ?? found.org }],
    date: createdAt.toISOString(),
    ...(isFormatted ? { formatted: { title: escapeHtml(title), message: escapeHtml(message) } } : {}),
  }))
  if (start + commitsOfPage >= history.length) return { json }
  const next = new URL(`${call.context.publicUrl}/hf${call.url.pathname}${call.url.search}`)
  next.searchParams.set('p', String(start / commitsOfPage + 1))
  return { json, headers: { link: `<${next.href}>; rel="next"` } }
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import type { HubAnswer } from './hub-answer.ts'
import { revisionNotFound } from './hub-answer.ts'
import type { HubRequest } from './hub-request.ts'
import { findPlace, openPush, type PushPlace } from './pushes.ts'
import { type Commit, findCommit, getRepository, type HubRepository } from './repositories.ts'
import { findOpenPush, findPushedTree, listBranches, listNamed } from './repository.ts'

/**
 * A branch other than main is a dataset of its own, `SLUG-BRANCH`: what is pushed there never moves what `main` shows, and ends in an
 * ordinary import. It is read under both names.
 */
const slugOfBranch = (slug: string, branch: string): string => {
  const tail = branch
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${slug}-${tail}`.slice(0, 101)
}

/** Names that mean something else: loaders read versions out of the names of branches. */
const reserved = /^(v?\d+(\.\d+)*|(revision|version)-\d+|[0-9a-f]{40}|HEAD|pushed|refs\/.*)$/

function requireBranchName(slug: string, branch: string): void {
  const isFit = /^[\w./-]{1,60}$/.test(branch) && /[a-z0-9]/i.test(branch) && !reserved.test(branch)
  if (!isFit || slugOfBranch(slug, branch).length > 100)
    throw new ServiceError(
      'malformed_request',
      `${JSON.stringify(branch.slice(0, 60))} cannot name a branch. Use letters, digits and hyphens; names of versions and commits are taken.`,
    )
}

/** Where a push to a branch goes; the branch must have been made. */
export async function placeBranch(db: Database, place: PushPlace, branch: string): Promise<PushPlace> {
  const known = (await listBranches(db, place.project.id, place.slug)).find((one) => one.branch === branch)
  if (!known) throw revisionNotFound(branch)
  return { ...place, slug: known.slug, branch: { name: branch, of: place.slug } }
}

export async function createBranch(
  call: HubRequest,
  place: PushPlace,
  { branch, startingPoint }: { branch: string; startingPoint: string },
): Promise<HubAnswer> {
  const { context, principal, requestId } = call
  const taken = { status: 409, json: { error: `The branch ${branch} is there.` } }
  if (branch === 'main') return taken
  const branches = await listBranches(context.db, place.project.id, place.slug)
  if (branches.some((one) => one.branch === branch)) return taken
  requireBranchName(place.slug, branch)
  const slug = slugOfBranch(place.slug, branch)
  const { repository, commit } = await openCommit(call, startingPoint)
  if (commit.content.kind === 'version')
    throw new ServiceError('malformed_request', `${repository.name} is a derived version, which is never pushed to.`)
  const isHeld =
    (await listNamed(context.db, place.org.slug, slug, place.project.slug)).length > 0 ||
    (await findOpenPush(context.db, place.project.id, slug)) !== undefined
  if (isHeld)
    throw new ServiceError(
      'malformed_request',
      `A branch ${branch} would be kept as ${slug}, which is there already and is no branch. Choose another name.`,
    )
  // What the program adds by itself, such as a card, is added there again.
  const files = (await call.listFiles(commit)).filter(({ sha256 }) => sha256 !== '')
  const branchPlace = { ...place, slug, branch: { name: branch, of: place.slug } }
  if (principal) await openPush(context, principal, branchPlace, requestId, files)
  return { json: {} }
}

interface OpenedCommit {
  repository: HubRepository
  commit: Commit
}

/** A state of the repository that the address names, on main or on one of its branches. */
export async function openCommit(call: HubRequest, revision: string): Promise<OpenedCommit> {
  const { context, principal, params } = call
  const repository = await getRepository(context, principal, params.org ?? '', params.name ?? '')
  const commit = findCommit(repository, revision) ?? (await findPushedCommit(call, repository, revision))
  if (commit) return { repository, commit }
  const wanted = revision.replace(/^refs\/heads\//, '')
  for (const { branch, repository: other } of await openBranches(call, repository)) {
    const known = branch === wanted ? other.commits[0] : other.commits.find(({ id }) => id === wanted)
    const found = known ?? (await findPushedCommit(call, other, wanted))
    if (found) return { repository: { ...other, name: repository.name }, commit: found }
  }
  throw revisionNotFound(revision)
}

/** A pushed tree keeps its commit for a while after its import, for those who may push there: they may be reading it. */
async function findPushedCommit(
  { context, principal }: HubRequest,
  { org, project, slug }: HubRepository,
  revision: string,
): Promise<Commit | undefined> {
  if (!principal || !/^[0-9a-f]{40}$/.test(revision)) return undefined
  const push = await findPushedTree(context.db, project.id, slug, revision)
  const place = push && (await findPlace(context.db, principal, org, `${project.slug}.${slug}`).catch(() => undefined))
  return push && place && { id: revision, createdAt: push.updated_at, tag: 'pushed', content: { kind: 'push', push } }
}

/** The branches that the caller may read. */
export async function openBranches(
  { context, principal }: HubRequest,
  { org, project, slug }: HubRepository,
): Promise<{ branch: string; repository: HubRepository }[]> {
  const opened: { branch: string; repository: HubRepository }[] = []
  for (const entry of await listBranches(context.db, project.id, slug)) {
    const name = `${project.slug}.${entry.slug}`
    const repository = await getRepository(context, principal, org, name).catch(() => undefined)
    if (repository) opened.push({ branch: entry.branch, repository })
  }
  return opened
}

import type { Database } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { findCommitById, findTag } from '../commits/repository.ts'
import type { HubAnswer } from '../hub-answer.ts'
import { revisionNotFound } from '../hub-answer.ts'
import { type HubRequest, patient } from '../hub-request.ts'
import { waitForImport } from '../push/import-wait.ts'
import { isTaken, openPush, type PushPlace } from '../push/pushes.ts'
import type { Patience } from '../reading/version-files.ts'
import { findFirstPush, listBranches } from '../repository.ts'
import {
  type Commit,
  describePush,
  findCommit,
  getRepository,
  type HubRepository,
  loadableTag,
} from './repositories.ts'

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
      `${JSON.stringify(branch.slice(0, 60))} is not a valid branch name. Use letters, digits and hyphens; names of versions and commits are reserved.`,
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
  const { context, caller } = call
  const taken = { status: 409, json: { error: `The branch ${branch} already exists.` } }
  if (branch === 'main') return taken
  const branches = await listBranches(context.db, place.project.id, place.slug)
  if (branches.some((one) => one.branch === branch)) return taken
  requireBranchName(place.slug, branch)
  const slug = slugOfBranch(place.slug, branch)
  const { repository, commit } = await openCommit(call, startingPoint)
  if (commit.content.kind === 'version')
    throw new ServiceError(
      'malformed_request',
      `${repository.name} is a derived version; versions cannot be pushed to.`,
    )
  const branchPlace = { ...place, slug, branch: { name: branch, of: place.slug } }
  if (await isTaken(context.db, branchPlace))
    throw new ServiceError(
      'malformed_request',
      `The branch ${branch} would be stored as ${slug}, but there is already a dataset of that name. Choose another name.`,
    )
  const start = {
    id: commit.id,
    codebaseVersion: commit.content.kind === 'push' ? commit.content.push.codebaseVersion : loadableTag,
    // What the program adds by itself, such as a card, is added there again; a card of the source's own is among the files.
    listFiles: async () => (await call.listFiles(withOwnCard(commit))).filter(({ sha256 }) => sha256 !== ''),
  }
  if (caller) await openPush(context, caller, branchPlace, start)
  return { json: {} }
}

/** With README.md as it was imported, whatever was edited since. */
const withOwnCard = (commit: Commit): Commit =>
  commit.content.kind === 'revision'
    ? { ...commit, id: `${commit.id} own card`, content: { ...commit.content, readmeSha256: null } }
    : commit

interface OpenedCommit {
  repository: HubRepository
  commit: Commit
}

/**
 * A state of the repository that the address names, on main or on one of its branches. Loaders that ask for what is being imported into
 * their form wait for it.
 */
export async function openCommit(call: HubRequest, revision: string, patience = patient(call)): Promise<OpenedCommit> {
  const name = revision.replace(/^refs\/(heads|tags)\//, '')
  const repository = await (name === loadableTag ? openLoadable(call, patience) : openRepository(call))
  const commit = findCommit(repository, revision) ?? (await findOwnCommit(call, repository, name))
  if (commit) return { repository, commit }
  for (const { branch, repository: other } of await openBranches(call, repository)) {
    const known = branch === name || other.main.id === name ? other.main : other.commits.find(({ id }) => id === name)
    const found = known ?? (await findPushedCommit(call, other, name)) ?? (await other.findEarlier?.(name))
    if (!found) continue
    // A branch that nobody has committed to stands at the commit it was made from, which is that of main.
    const same = repository.commits.find(({ id }) => id === found.id)
    return { repository: { ...other, name: repository.name }, commit: same ?? found }
  }
  throw revisionNotFound(revision)
}

export const openRepository = ({ context, caller, params }: HubRequest): Promise<HubRepository> =>
  getRepository(context, caller, params.org ?? '', params.name ?? '')

/** The repository as loaders see it: once what is whole has their form. */
export async function openLoadable(call: HubRequest, patience: Patience): Promise<HubRepository> {
  const repository = await openRepository(call)
  if (!repository.converting) return repository
  await waitForImport(call.context, repository.converting.id, patience)
  return openRepository(call)
}

/** By a tag that somebody has set, or by its own name. */
async function findOwnCommit(call: HubRequest, repository: HubRepository, name: string): Promise<Commit | undefined> {
  const tag = await findTag(call.context.db, repository.project.id, repository.slug, name)
  const id = tag?.commitId ?? name
  return (
    repository.commits.find((commit) => commit.id === id) ??
    (await findPushedCommit(call, repository, id)) ??
    repository.findEarlier?.(id)
  )
}

/** A commit that was pushed, whether it became a revision or not, for those who have a role there. */
async function findPushedCommit(
  { context }: HubRequest,
  { project, slug, isMember }: HubRepository,
  id: string,
): Promise<Commit | undefined> {
  if (!isMember || !/^[0-9a-f]{40}$/.test(id)) return undefined
  const found = await findCommitById(context.db, project.id, slug, id)
  if (found) return describePush(context.db, found.push, found.number)
  // A tag or a branch may stand at the start of a name, before its first commit.
  const first = await findFirstPush(context.db, project.id, slug)
  const start = first && (await describePush(context.db, first, 0))
  return start?.id === id ? start : undefined
}

/** The branches that the caller may read. */
export async function openBranches(
  { context, caller }: HubRequest,
  { org, project, slug }: HubRepository,
): Promise<{ branch: string; repository: HubRepository }[]> {
  const opened: { branch: string; repository: HubRepository }[] = []
  for (const entry of await listBranches(context.db, project.id, slug)) {
    const name = `${project.slug}.${entry.slug}`
    const repository = await getRepository(context, caller, org, name).catch(() => undefined)
    if (repository) opened.push({ branch: entry.branch, repository })
  }
  return opened
}

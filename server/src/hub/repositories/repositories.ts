import { orgMember, projectViewer } from '../../access/access.ts'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { listReadmes } from '../../datasets/refresh-shown.ts'
import type { SeenDataset } from '../../datasets/seen-dataset.ts'
import { findReadable, listRevisions, readerOf } from '../../datasets/service.ts'
import type { Database } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { authorize } from '../../organizations/service.ts'
import { getSeenVersion, listVersionsBySlug, type Version } from '../../versions/service.ts'
import { nameHead, nameRevision } from '../commits/heads.ts'
import { findCommitByNumber } from '../commits/repository.ts'
import { nameCommit } from '../git/git-object.ts'
import { modelNotFound, repoNotFound } from '../hub-answer.ts'
import { readName } from '../hub-name.ts'
import { isModelSlug, showName } from '../models/names.ts'
import type { Push } from '../push/pushes.ts'
import { findHeadPush, findWholePush, listFormer, listNamed, listPushedNames, type NamedThing } from '../repository.ts'

/** One state of a repository, under the name that always means the same bytes. */
export interface Commit {
  id: string
  createdAt: Date
  title: string
  /** The tag that points here beside `main` and `v3.0`: `revision-3`, `version-1`. */
  tag?: string
  content:
    | {
        kind: 'revision'
        revisionId: string
        datasetId: string
        orgId: string
        importId: string | null
        summary: SeenDataset['revision']['summary']
        /** Null: its own README.md counts, or it has none and is of before there were cards. */
        readmeSha256: string | null
      }
    | { kind: 'version'; version: Version }
    | { kind: 'push'; push: Push; number: number }
}

export interface HubRepository {
  /** `ORG/PROJECT.SLUG`, whatever form was asked for. */
  name: string
  org: string
  project: { id: string; slug: string }
  slug: string
  isPrivate: boolean
  /** The caller has a role in the project, and sees what is pushed there. */
  isMember: boolean
  /** What `main` stands at. */
  main: Commit
  /** What loaders get who ask for `v3.0`; undefined where there is nothing of that form. */
  loadable: Commit | undefined
  /** A push whose import has to end before there is something newer to load. */
  converting: Push | undefined
  /** Revisions or versions, newest first; the one that is shown stands first. */
  commits: readonly Commit[]
  /** A commit under another card that the dataset had: somebody may be reading it, or hold its name. */
  findEarlier?(id: string): Promise<Commit | undefined>
}

/** What the writer of exports writes may change with the program; a version that is not made yet is named by it too. */
const writerVersion = 'lerobot-v3/1'
const mostRevisions = 200

export async function getRepository(
  context: Context,
  principal: Principal | undefined,
  org: string,
  name: string,
): Promise<HubRepository> {
  const { projectSlug, slug } = readName(name)
  const seen = await listSeen(context, principal, org, slug, projectSlug)
  if (seen.length === 0)
    for (const former of await listFormer(context.db, org, slug, projectSlug))
      seen.push(...(await listSeen(context, principal, org, former.slug, former.projectSlug)))
  if (seen.length > 1)
    throw new ServiceError(
      'not_found',
      `Several projects of ${org} have a dataset called ${name}: ${seen.map((one) => one.name).join(', ')}.`,
      {
        headers: { 'x-error-code': 'RepoNotFound' },
      },
    )
  const [only] = seen
  if (!only) throw (isModelSlug(slug) ? modelNotFound : repoNotFound)(principal === undefined)
  return only
}

/** What has the name now and may be read. */
async function listSeen(
  context: Context,
  principal: Principal | undefined,
  org: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<HubRepository[]> {
  const listShown = async (): Promise<HubRepository[]> => {
    const seen: HubRepository[] = []
    for (const thing of await listNamed(context.db, org, slug, projectSlug)) {
      const repository = await findSeen(context, principal, org, slug, thing)
      if (repository) seen.push(repository)
    }
    return seen
  }
  const shown = await listShown()
  if (shown.length > 0 || !principal) return shown
  const pushed = await listPushed(context, principal, org, slug, projectSlug)
  // Its first import may have ended between the two.
  return pushed.length > 0 ? pushed : listShown()
}

/** What was pushed under a name that shows no dataset, for those who have a role in its project. */
async function listPushed(
  { db }: Context,
  principal: Principal | undefined,
  org: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<HubRepository[]> {
  const repositories: HubRepository[] = []
  if (!principal || readerOf(principal) === undefined) return repositories
  for (const place of await listPushedNames(db, org, slug, projectSlug)) {
    const grants = await findGrants(db, principal, org, place.projectSlug)
    const push = grants && (await findHeadPush(db, place.projectId, slug))
    if (!push) continue
    const name = describeName(org, { id: place.projectId, slug: place.projectSlug }, slug)
    const main = await describePush(db, push, push.headNumber)
    const loadable = isLoadable(push) ? main : undefined
    const shown = { isPrivate: true, isMember: true, main, loadable, converting: findConversion(push), commits: [] }
    repositories.push({ ...name, ...shown })
  }
  return repositories
}

/** A token reads what its owner may only where it has the scope for reading. */
export const mayRead = (principal: Principal): boolean =>
  principal.kind === 'session' || principal.scopes.includes('workspace:read')

const findGrants = (db: Database, principal: Principal, org: string, project: string) =>
  authorize(db, principal, projectViewer, { org_slug: org, project_slug: project }).catch(ignoreRefusal)

const ignoreRefusal = (error: unknown): undefined => {
  if (!(error instanceof ServiceError) || error.status >= 500 || error.code === 'two_step_required') throw error
}

const isLoadable = ({ codebaseVersion: version }: Push): boolean => version?.startsWith('v3.') ?? false

/** A whole tree of another form is loaded once its import has made it one of ours. */
const findConversion = (push: Push): Push | undefined =>
  push.wholeNumber === push.headNumber && push.head !== null && !isLoadable(push) ? push : undefined

/** A commit of a push; number 0 is what it started from. */
export async function describePush(db: Database, push: Push, number: number): Promise<Commit> {
  const row = number === 0 ? undefined : await findCommitByNumber(db, push.id, number)
  return {
    id: row?.id ?? nameHead(number === 0 ? { ...push, head: null } : push),
    createdAt: row?.createdAt ?? push.createdAt,
    title: row?.title ?? 'Start of a push',
    content: { kind: 'push', push, number },
  }
}

const describeName = (org: string, project: { id: string; slug: string }, slug: string) => ({
  name: `${org}/${project.slug}.${showName(slug)}`,
  org,
  project,
  slug,
})

type RepositoryName = ReturnType<typeof describeName>

async function findSeen(
  context: Context,
  principal: Principal | undefined,
  org: string,
  slug: string,
  thing: NamedThing,
): Promise<HubRepository | undefined> {
  const name = describeName(org, { id: thing.projectId, slug: thing.projectSlug }, slug)
  try {
    if (thing.kind === 'dataset') {
      // Before the dataset: where an import ends between the two, what was pushed is shown once more, and never what was there before it.
      const pushed = principal ? await findPushed(context.db, name) : {}
      return await describeDataset(context, name, await findReadable(context, principal, thing.id), pushed)
    }
    return await describeVersions(context, name, principal, thing.id)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  }
}

async function describeDataset(
  { db }: Context,
  name: RepositoryName,
  seen: SeenDataset,
  found: PushedState,
): Promise<HubRepository> {
  const isMember = seen.role !== null
  const { rows } = await listRevisions(db, seen.dataset.id, mostRevisions, undefined, !isMember)
  const { id: datasetId, readmeSha256: readme } = seen.dataset
  const describe = (row: (typeof rows)[number], readmeSha256: string | null): Commit => ({
    id: nameRevision(row.digest, readmeSha256),
    createdAt: row.createdAt,
    title: `Revision ${row.number}`,
    tag: `revision-${row.number}`,
    content: {
      kind: 'revision',
      revisionId: row.id,
      datasetId,
      orgId: seen.org.id,
      importId: row.importId,
      summary: row.summary,
      readmeSha256,
    },
  })
  const revisions = rows.map((row) => describe(row, readme))
  const isCurrent = ({ tag }: Commit) => tag === `revision-${seen.revision.number}`
  const commits = [...revisions.filter(isCurrent), ...revisions.filter((commit) => !isCurrent(commit))]
  const shown = commits[0] as Commit
  const pushed = isMember ? found : {}
  return {
    ...name,
    isPrivate: seen.dataset.visibility === 'private',
    isMember,
    main: pushed.main ?? shown,
    loadable: pushed.loadable ?? shown,
    converting: pushed.converting,
    commits,
    findEarlier: async (id) => {
      for (const earlier of [null, ...(await listReadmes(db, datasetId, !isMember))])
        for (const row of rows) {
          const commit = describe(row, earlier)
          if (commit.id === id) return commit
        }
      return undefined
    },
  }
}

type PushedState = Partial<Pick<HubRepository, 'main' | 'loadable' | 'converting'>>

/** What members see beside the revisions: commits that are not imported yet. Loaders get the newest that is whole, or wait for it. */
async function findPushed(db: Database, { project, slug }: RepositoryName): Promise<PushedState> {
  const head = await findHeadPush(db, project.id, slug)
  const whole = await findWholePush(db, project.id, slug)
  return {
    ...(head ? { main: await describePush(db, head, head.headNumber) } : {}),
    ...(whole && isLoadable(whole) ? { loadable: await describePush(db, whole, whole.wholeNumber ?? 0) } : {}),
    ...(whole ? { converting: findConversion(whole) } : {}),
  }
}

/** Versions are seen by those who have a role in their project; those that are published, by everybody. */
async function describeVersions(
  { db }: Context,
  name: RepositoryName,
  principal: Principal | undefined,
  newestId: string,
): Promise<HubRepository | undefined> {
  const { isMember, refusal } = await findRole(db, principal, name.org, newestId)
  const all = await listVersionsBySlug(db, name.project.id, name.slug, mostRevisions)
  const versions = all.filter(({ visibility }) => isMember || visibility === 'public')
  const [newest] = versions
  if (!newest && refusal) throw refusal
  if (!newest) return undefined
  const commits = versions.map(
    (version): Commit => ({
      id: nameVersion(version),
      createdAt: new Date(version.createdAt),
      title: `Version ${version.version}`,
      tag: `version-${version.version}`,
      content: { kind: 'version', version },
    }),
  )
  const [main] = commits
  if (!main) return undefined
  const isPrivate = newest.visibility === 'private'
  return { ...name, isPrivate, isMember, main, loadable: main, converting: undefined, commits }
}

/** Whether the person has a role where the version lives; `refusal` where they have one that does not count until they prove themselves again. */
async function findRole(
  db: Database,
  principal: Principal | undefined,
  org: string,
  versionId: string,
): Promise<{ isMember: boolean; refusal?: ServiceError }> {
  if (!principal || readerOf(principal) === undefined) return { isMember: false }
  try {
    const grants = await authorize(db, principal, orgMember, { org_slug: org })
    const version = grants.org && (await getSeenVersion(db, principal, grants.org, versionId))
    return { isMember: version !== undefined }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'not_found') return { isMember: false }
    if (error.code === 'two_step_required') return { isMember: false, refusal: error }
    throw error
  }
}

/** From what decides its bytes, so that the name is known before they are. */
const nameVersion = ({ checksums, recipeDigest: recipe, annotations, cuts }: Version): string => {
  const facts = [String(checksums.source_sha256), recipe, JSON.stringify(annotations), writerVersion]
  const { card_sha256: card } = checksums
  const found = cuts ? [JSON.stringify(cuts)] : []
  return nameCommit('version', ...facts, ...(typeof card === 'string' ? [card] : []), ...found)
}

/** `main`, a tag that follows from the content, a full commit; the spellings that the clients use. */
export function findCommit({ main, loadable, commits }: HubRepository, revision: string): Commit | undefined {
  const name = revision.replace(/^refs\/(heads|tags)\//, '')
  if (['main', 'HEAD'].includes(name)) return main
  if (name === loadableTag) return loadable
  if (name === findCodebaseTag(main)) return main
  return [main, ...commits].find(({ id, tag }) => tag === name || id === name)
}

/** What was pushed in another form and is not imported has the tag of that form. */
export const findCodebaseTag = ({ content }: Commit): string | undefined => {
  const version = content.kind === 'push' ? content.push.codebaseVersion : null
  return version === null || version === loadableTag ? undefined : version
}

/** The tag that loaders of this generation ask for. */
export const loadableTag = 'v3.0'

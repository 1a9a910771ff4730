import type { Context } from '../context.ts'
import { findReadable, listRevisions, type SeenDataset } from '../datasets/service.ts'
import { ServiceError } from '../errors.ts'
import type { Principal } from '../identity/principal.ts'
import { orgMember } from '../organizations/access.ts'
import { authorize } from '../organizations/service.ts'
import { getSeenVersion, listVersionsBySlug, type Version } from '../versions/service.ts'
import { nameCommit } from './git-object.ts'
import { repoNotFound } from './hub-answer.ts'
import { readName } from './hub-name.ts'
import { findPlace, type Push } from './pushes.ts'
import { listNamed, listPushes, type NamedThing } from './repository.ts'

/** One state of a repository, under the name that always means the same bytes. */
export interface Commit {
  id: string
  createdAt: Date
  /** The tag that points here beside `main` and `v3.0`: `revision-3`, `version-1`. */
  tag: string
  content:
    | { kind: 'revision'; revisionId: string; orgId: string; summary: SeenDataset['revision']['summary'] }
    | { kind: 'version'; version: Version }
    | { kind: 'push'; push: Push }
}

export interface HubRepository {
  /** `ORG/PROJECT.SLUG`, whatever form was asked for. */
  name: string
  org: string
  project: { id: string; slug: string }
  slug: string
  isPrivate: boolean
  /** Newest first; the one that `main` shows stands first. */
  commits: readonly Commit[]
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
  const seen: HubRepository[] = []
  for (const thing of await listNamed(context.db, org, slug, projectSlug)) {
    const repository = await findSeen(context, principal, org, slug, thing)
    if (repository) seen.push(repository)
  }
  if (seen.length === 0) seen.push(...(await listPushed(context, principal, org, slug, projectSlug)))
  if (seen.length > 1)
    throw new ServiceError(
      'not_found',
      `Several projects of ${org} have a ${name}: ${seen.map((one) => one.name).join(', ')}.`,
      {
        headers: { 'x-error-code': 'RepoNotFound' },
      },
    )
  const [only] = seen
  if (!only) throw repoNotFound(principal === undefined)
  return only
}

/** What was pushed and is not imported yet, for those who may push there. */
async function listPushed(
  { db }: Context,
  principal: Principal | undefined,
  org: string,
  slug: string,
  projectSlug: string | undefined,
): Promise<HubRepository[]> {
  const repositories: HubRepository[] = []
  for (const push of principal ? await listPushes(db, org, slug, projectSlug) : []) {
    const place = await findPlace(db, principal as Principal, org, `${push.projectSlug}.${slug}`).catch(() => undefined)
    if (!place) continue
    const id = push.head ?? nameCommit('empty')
    const commit: Commit = { id, createdAt: push.updated_at, tag: 'pushed', content: { kind: 'push', push } }
    repositories.push({ ...describeName(org, place.project, slug), isPrivate: true, commits: [commit] })
  }
  return repositories
}

const describeName = (org: string, project: { id: string; slug: string }, slug: string) => ({
  name: `${org}/${project.slug}.${slug}`,
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
    if (thing.kind === 'dataset')
      return await describeDataset(context, name, await findReadable(context, principal, thing.id))
    return await describeVersions(context, name, principal, thing.id)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  }
}

async function describeDataset(context: Context, name: RepositoryName, seen: SeenDataset): Promise<HubRepository> {
  const { rows } = await listRevisions(context.db, seen.dataset.id, mostRevisions, undefined)
  const commits = rows.map(
    (row): Commit => ({
      id: nameCommit('revision', row.digest),
      createdAt: row.created_at,
      tag: `revision-${row.number}`,
      content: { kind: 'revision', revisionId: row.id, orgId: seen.org.id, summary: row.summary },
    }),
  )
  const isCurrent = ({ tag }: Commit) => tag === `revision-${seen.revision.number}`
  return {
    ...name,
    isPrivate: seen.dataset.visibility === 'private',
    commits: [...commits.filter(isCurrent), ...commits.filter((commit) => !isCurrent(commit))],
  }
}

/** Versions are seen by those who have a role in their project. */
async function describeVersions(
  { db }: Context,
  name: RepositoryName,
  principal: Principal | undefined,
  newestId: string,
): Promise<HubRepository | undefined> {
  const isReader = principal?.kind === 'session' || principal?.scopes.includes('workspace:read')
  const grants = principal && isReader ? await authorize(db, principal, orgMember, { org_slug: name.org }) : undefined
  if (!grants?.org || !principal) return undefined
  const newest = await getSeenVersion(db, principal, grants.org, newestId)
  const versions = await listVersionsBySlug(db, newest.project_id, newest.slug, mostRevisions)
  const commits = versions.map(
    (version): Commit => ({
      id: nameVersion(version),
      createdAt: new Date(version.created_at),
      tag: `version-${version.version}`,
      content: { kind: 'version', version },
    }),
  )
  return { ...name, isPrivate: true, commits }
}

/** From what decides its bytes, so that the name is known before they are. */
const nameVersion = ({ checksums, recipe_digest: recipe, annotations }: Version): string =>
  nameCommit('version', String(checksums.source_sha256), recipe, JSON.stringify(annotations), writerVersion)

/** `main`, a tag, a full commit; the spellings that the clients use. */
export function findCommit({ commits }: HubRepository, revision: string): Commit | undefined {
  const name = revision.replace(/^refs\/(heads|tags)\//, '')
  const [newest] = commits
  if (['main', 'HEAD', 'v3.0'].includes(name)) return newest
  return commits.find(({ id, tag }) => tag === name || id === name)
}

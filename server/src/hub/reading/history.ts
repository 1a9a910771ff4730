import * as statements from '../commits/repository.ts'
import type { HubRequest } from '../hub-request.ts'
import type { Commit, HubRepository } from '../repositories/repositories.ts'

/** A commit as histories show it. */
export interface HistoryEntry {
  id: string
  title: string
  message: string
  /** Null for what the program made. */
  author: string | null
  createdAt: Date
}

const mostCommits = 10_000

/**
 * A commit and what it was built on, newest first: what was pushed, with its words, and the revisions. A revision follows the commit
 * that it was imported from, or the revision before it.
 */
export async function listHistory(
  { context }: HubRequest,
  { project, slug, isMember, commits }: HubRepository,
  from: Commit,
): Promise<HistoryEntry[]> {
  const pushed = isMember ? await statements.listCommits(context.db, project.id, slug, mostCommits) : []
  const known = new Map<string, HistoryEntry & { parent: string | undefined }>()
  const byImport = new Map(pushed.map(({ importId, id }) => [importId, id]))
  const revisions = [...commits].sort((one, other) => Number(other.createdAt) - Number(one.createdAt))
  for (const [place, { id, title, createdAt, content }] of revisions.entries()) {
    const source = content.kind === 'revision' && content.importId ? byImport.get(content.importId) : undefined
    const parent = source ?? revisions[place + 1]?.id
    if (!known.has(id)) known.set(id, { id, title, message: '', author: null, createdAt, parent })
  }
  for (const { id, title, message, author, createdAt, parentId: parent } of pushed)
    known.set(id, { id, title, message, author, createdAt, parent: parent ?? undefined })
  const first = { id: from.id, title: from.title, message: '', author: null, createdAt: from.createdAt }
  const history: HistoryEntry[] = []
  const seen = new Set<string>()
  for (let entry = known.get(from.id) ?? { ...first, parent: undefined }; !seen.has(entry.id); ) {
    const { parent, ...shown } = entry
    seen.add(shown.id)
    history.push(shown)
    const next = parent === undefined ? undefined : known.get(parent)
    if (!next) break
    entry = next
  }
  return history
}

/** The commits of the push that a commit belongs to, by number; of anything else there are none. */
export async function listOwnCommits(
  { context }: HubRequest,
  { content }: Commit,
): Promise<Map<number, Pick<Commit, 'id' | 'title' | 'createdAt'>>> {
  if (content.kind !== 'push') return new Map()
  const rows = await statements.listCommitsOfPush(context.db, content.push.id)
  return new Map(rows.map(({ number, id, title, createdAt }) => [number, { id, title, createdAt }]))
}

/** Names that people have given, of commits that the caller may read. */
export async function listTags(
  { context }: HubRequest,
  { project, slug, isMember, commits, main }: HubRepository,
): Promise<{ name: string; id: string }[]> {
  const rows = await statements.listTags(context.db, project.id, slug)
  const readable = new Set([main, ...commits].map(({ id }) => id))
  return rows
    .filter(({ commitId }) => isMember || readable.has(commitId))
    .map(({ name, commitId: id }) => ({ name, id }))
}

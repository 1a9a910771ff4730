import { type Insertable, type Selectable, sql } from 'kysely'
import { type CamelCased, snakeCased } from '../../db/camel-case.ts'
import type { Database, Transaction } from '../../db/database.ts'
import { filterInSlices, inSlices, writeJsonInSlices } from '../../slices.ts'
import { findPush, type PushFile, type PushRow } from '../repository.ts'
import type { HubTables } from '../tables.ts'

export type CommitRow = CamelCased<Selectable<HubTables['hub_commits']>>
/** A file of a pushed tree, and the commit of its push that brought it; 0 is where the push started. */
export type TreeFile = PushFile & { added: number }

const commitColumns = sql`
  commit.push_id as "pushId", commit.number, commit.id, commit.parent_id as "parentId", commit.title, commit.message,
  commit.author_id as "authorId", commit.created_at as "createdAt"`

const mostTags = 1000

/** The tree as it was at a commit of the push, by path. */
export const listTreeFiles = async (db: Database, pushId: string, number: number): Promise<TreeFile[]> => {
  const { rows } = await sql<TreeFile>`
    select path, sha256, size_bytes as "sizeBytes", added from hub_push_files
    where push_id = ${pushId} and added <= ${number} and (removed is null or removed > ${number})
    order by path`.execute(db)
  return rows
}

export const findTreeFile = async (
  db: Database,
  pushId: string,
  number: number,
  path: string,
): Promise<TreeFile | undefined> => {
  const { rows } = await sql<TreeFile>`
    select path, sha256, size_bytes as "sizeBytes", added from hub_push_files
    where push_id = ${pushId} and path = ${path} and added <= ${number} and (removed is null or removed > ${number})`.execute(
    db,
  )
  return rows[0]
}

/** Where a push starts: its tree number 0, in place of another that it had. */
export const replaceBaseFiles = async (trx: Transaction, pushId: string, files: readonly PushFile[]): Promise<void> => {
  await sql`delete from hub_push_files where push_id = ${pushId}`.execute(trx)
  await insertTreeFiles(trx, pushId, 0, files)
}

/**
 * As JSON: of a hundred thousand paths the driver's arrays took 60 ms of the loop that everybody waits for. It is made in slices, with
 * others answered in between.
 */
const recordsOf = (json: string) => sql`json_to_recordset(${json}::json)`
const textsOf = (json: string) => sql`(select json_array_elements_text(${json}::json))`

const insertTreeFiles = async (
  trx: Transaction,
  pushId: string,
  number: number,
  files: readonly PushFile[],
): Promise<void> => {
  // Each slice is a statement of its own: none makes a second text of them all.
  for await (const slice of inSlices(files))
    await sql`
      insert into hub_push_files (push_id, path, sha256, size_bytes, added)
      select ${pushId}, file.path, file.sha256, file."sizeBytes", ${number}::integer
      from ${recordsOf(JSON.stringify(slice))} file (path text, sha256 text, "sizeBytes" bigint)`.execute(trx)
}

/**
 * Changes the newest tree into that of commit `number`, and answers the paths that differ: deleted ones (everything below those that
 * end in a slash), and files that are new or other than before.
 */
export const changeTree = async (
  trx: Transaction,
  pushId: string,
  number: number,
  { files, deletedPaths }: { files: readonly PushFile[]; deletedPaths: readonly string[] },
): Promise<{ deleted: string[]; written: PushFile[] }> => {
  const before = await removeFiles(trx, pushId, number, deletedPaths)
  const written: PushFile[] = []
  for await (const slice of inSlices(files)) written.push(...(await keepChanged(trx, pushId, number, slice)))
  await insertTreeFiles(trx, pushId, number, written)
  const isAgain = ({ path, sha256 }: PushFile) => before.get(path) === sha256
  const again = new Set<string>()
  for await (const slice of inSlices(written)) for (const file of slice) if (isAgain(file)) again.add(file.path)
  return {
    deleted: await filterInSlices([...before.keys()], (path) => !again.has(path)),
    written: await filterInSlices(written, (file) => !again.has(file.path)),
  }
}

/** What was at each path that is gone. */
async function removeFiles(
  trx: Transaction,
  pushId: string,
  number: number,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const before = new Map<string, string>()
  if (paths.length === 0) return before
  // The folders of each path are looked up, so that very many of both are no product of them.
  const { rows: gone } = await sql<{ path: string; sha256: string }>`
    with given as materialized (select * from ${textsOf(await writeJsonInSlices(paths))} texts (path))
    update hub_push_files set removed = ${number} where push_id = ${pushId} and removed is null
      and (path in (select given.path from given)
        or exists (select 1 from generate_series(1, length(path)) at
          where substr(path, at, 1) = '/' and left(path, at) in (select given.path from given)))
    returning path, sha256`.execute(trx)
  for await (const slice of inSlices(gone)) for (const { path, sha256 } of slice) before.set(path, sha256)
  return before
}

/** The files that are not in the tree as they are; what was at their paths is removed. */
async function keepChanged(
  trx: Transaction,
  pushId: string,
  number: number,
  files: readonly PushFile[],
): Promise<PushFile[]> {
  const { rows: same } = await sql<{ path: string }>`
    select file.path from hub_push_files file
    join ${recordsOf(JSON.stringify(files))} given (path text, sha256 text)
      on given.path = file.path and given.sha256 = file.sha256
    where file.push_id = ${pushId} and file.removed is null`.execute(trx)
  const unchanged = new Set(same.map(({ path }) => path))
  const changed = files.filter(({ path }) => !unchanged.has(path))
  await sql`
    update hub_push_files set removed = ${number}
    where push_id = ${pushId} and removed is null
      and path in ${textsOf(JSON.stringify(changed.map(({ path }) => path)))}`.execute(trx)
  return changed
}

export const insertCommit = async (trx: Transaction, commit: CommitRow): Promise<void> => {
  await trx.insertInto('hub_commits').values(snakeCased(commit)).execute()
}

export const findCommitByNumber = async (
  db: Database,
  pushId: string,
  number: number,
): Promise<CommitRow | undefined> => {
  const { rows } = await sql<CommitRow>`
    select ${commitColumns} from hub_commits commit
    where commit.push_id = ${pushId} and commit.number = ${number}`.execute(db)
  return rows[0]
}

export const listCommitsOfPush = async (db: Database, pushId: string): Promise<CommitRow[]> => {
  const { rows } = await sql<CommitRow>`
    select ${commitColumns} from hub_commits commit where commit.push_id = ${pushId}`.execute(db)
  return rows
}

/** A commit of a name whose contents are still stored, and its push. */
export const findCommitById = async (
  db: Database,
  projectId: string,
  slug: string,
  id: string,
): Promise<{ push: PushRow; number: number; createdAt: Date } | undefined> => {
  const { rows } = await sql<{ push: string; number: number; createdAt: Date }>`
    select push.id as push, commit.number, commit.created_at as "createdAt"
    from hub_commits commit join hub_pushes push on push.id = commit.push_id
    where commit.id = ${id} and push.project_id = ${projectId} and push.slug = ${slug} and push.state <> 'expired'
      and exists (select 1 from blob_references where owner_kind = 'push' and owner_id = push.id)
    limit 1`.execute(db)
  const [found] = rows
  const push = found && (await findPush(db, found.push))
  return found && push && { push, number: found.number, createdAt: found.createdAt }
}

export type ListedCommit = CommitRow & { author: string | null; importId: string | null }

/** What was committed to a name, newest first. */
export const listCommits = async (
  db: Database,
  projectId: string,
  slug: string,
  limit: number,
): Promise<ListedCommit[]> => {
  const { rows } = await sql<ListedCommit>`
    select ${commitColumns}, split_part(author.email, '@', 1) as author,
      case when commit.number = push.head_number then push.import_id end as "importId"
    from hub_commits commit join hub_pushes push on push.id = commit.push_id
    left join users author on author.id = commit.author_id
    where push.project_id = ${projectId} and push.slug = ${slug} and push.state <> 'expired'
    order by commit.created_at desc, commit.number desc limit ${limit}`.execute(db)
  return rows
}

interface Tag {
  name: string
  commitId: string
}

export const findTag = (db: Database, projectId: string, slug: string, name: string): Promise<Tag | undefined> =>
  db
    .selectFrom('hub_tags')
    .select(['name', 'commit_id as commitId'])
    .where('project_id', '=', projectId)
    .where('slug', '=', slug)
    .where('name', '=', name)
    .executeTakeFirst()

export const listTags = (db: Database, projectId: string, slug: string): Promise<Tag[]> =>
  db
    .selectFrom('hub_tags')
    .select(['name', 'commit_id as commitId'])
    .where('project_id', '=', projectId)
    .where('slug', '=', slug)
    .orderBy('name')
    .limit(mostTags)
    .execute()

/** False when the name is taken. */
export const insertTag = async (
  trx: Transaction,
  tag: CamelCased<Insertable<HubTables['hub_tags']>>,
): Promise<boolean> => {
  const { numInsertedOrUpdatedRows: count } = await trx
    .insertInto('hub_tags')
    .values(snakeCased(tag))
    .onConflict((conflict) => conflict.columns(['project_id', 'slug', 'name']).doNothing())
    .executeTakeFirstOrThrow()
  return Number(count ?? 0n) === 1
}

export const deleteTag = async (trx: Transaction, projectId: string, slug: string, name: string): Promise<boolean> => {
  const { numDeletedRows: count } = await trx
    .deleteFrom('hub_tags')
    .where('project_id', '=', projectId)
    .where('slug', '=', slug)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return count === 1n
}

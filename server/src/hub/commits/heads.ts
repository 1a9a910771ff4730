import { findDatasetBySlug, listRevisionFiles } from '../../datasets/service.ts'
import type { Database } from '../../db/database.ts'
import { nameCommit } from '../git/git-object.ts'
import { findHeadPush, type PushFile, type PushRow } from '../repository.ts'
import { listTreeFiles } from './repository.ts'

/** Where a name stands: the commit that the next one builds on. */
export interface Head {
  id: string
  codebaseVersion: string | null
  listFiles(): Promise<PushFile[]>
}

/** Where the card was changed beside the files, by it, too: the name always means the same bytes. */
export const nameRevision = (digest: string, readmeSha256: string | null): string =>
  nameCommit('revision', digest, ...(readmeSha256 === null ? [] : [readmeSha256]))

/** Of a repository that nobody has committed to. */
const nameEmpty = (projectId: string, slug: string): string => nameCommit('empty', projectId, slug)

/** The commit that a push stands at, also before its first. */
export const nameHead = ({ head, baseId, projectId, slug }: PushRow): string =>
  head ?? baseId ?? nameEmpty(projectId, slug)

/**
 * What `main` of a name shows to those who may push there: the newest commit, where it is not imported yet or cannot be; else the files
 * of the revision that is shown, which is not what was pushed when that was of another form.
 */
export async function findHead(db: Database, projectId: string, slug: string): Promise<Head> {
  const push = await findHeadPush(db, projectId, slug)
  if (push)
    return {
      id: nameHead(push),
      codebaseVersion: push.codebaseVersion,
      listFiles: () => listTreeFiles(db, push.id, push.headNumber),
    }
  const dataset = await findDatasetBySlug(db, projectId, slug)
  if (!dataset) return { id: nameEmpty(projectId, slug), codebaseVersion: null, listFiles: () => Promise.resolve([]) }
  const { revision, orgId, readmeSha256: readme } = dataset
  return {
    id: nameRevision(revision.digest, readme),
    codebaseVersion: 'v3.0',
    listFiles: () => Array.fromAsync(listRevisionFiles(db, revision.id, orgId)),
  }
}

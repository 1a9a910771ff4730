import type { Database } from '../db/database.ts'
import * as repository from './repository.ts'
import { describeProgress } from './service.ts'

export const findCheckRun = (db: Database, jobId: string): Promise<repository.CheckRun | undefined> =>
  repository.findRunRecord(db, jobId)

/** A run for those who follow it: where it stands, with the words and numbers that its parts have in a summary. */
export function presentCheckRun(run: repository.CheckRun) {
  const total = run.episodeCount
  const ended = { status: run.state, done: run.state === 'succeeded' ? total : 0, message: run.message }
  return {
    id: run.id,
    org_slug: run.orgSlug,
    project_slug: run.projectSlug,
    dataset_id: run.ownerId,
    revision_id: run.subjectId,
    parts: run.parts,
    total,
    ...(run.state === 'queued' || run.state === 'running' ? describeProgress(run.state, run, total) : ended),
  }
}

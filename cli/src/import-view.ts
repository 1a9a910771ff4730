import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { formatBytes, type Output } from './output.ts'
import type { Session } from './session.ts'

export const showImport = (output: Output, job: ImportJob): void =>
  output.show(job, job.id, [
    ['Import', job.id],
    ['Status', job.status],
    ['Dataset', `${job.org_slug}/${job.project_slug}/${job.dataset_slug}`],
    ['Dataset id', job.dataset_id],
    ['Source', job.hf_repo_id ?? job.source_uri ?? job.source_kind],
    ['Revision', job.hf_revision],
    [
      'Progress',
      job.status === 'running'
        ? `${job.progress_pct === null ? '' : `${Math.floor(job.progress_pct)} % `}${job.progress_message ?? job.progress_phase ?? ''}`
        : null,
    ],
    ['Size', formatBytes(job.total_bytes)],
    ['Attempts', job.attempt_count > 1 ? `${job.attempt_count} of ${job.max_attempts}` : null],
    ['Error', job.error_message ?? job.last_error],
    ['Created', job.created_at],
    ['Finished', job.finished_at],
  ])

/** Waits for the end with a bar; throws when it was no success. */
export async function watchImport(
  session: Session,
  job: Pick<ImportJob, 'id' | 'org_slug' | 'project_slug'>,
): Promise<ImportJob> {
  const progress = session.startProgress('Importing', 'percent')
  try {
    return await (await session.getClient()).imports.wait(job, {
      signal: session.signal,
      onProgress: ({ progress_pct: done, progress_message: message, progress_phase: phase, status }) =>
        // Before the size is known there is no bar, only what is being done.
        progress.update(done ?? 0, done === null ? 0 : 100, message ?? phase ?? status),
    })
  } finally {
    progress.end()
  }
}

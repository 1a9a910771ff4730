import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { describeLosses } from '@nmp/sdk/import-losses'
import { formatBytes } from './output.ts'
import type { Session } from './session.ts'

/** Where its data came from, in few words. */
export const describeSource = ({ copied_from: copied, hf_repo_id, source_uri, source_kind }: ImportJob): string =>
  copied ? `${copied.slug} v${copied.version} (${copied.version_id})` : (hf_repo_id ?? source_uri ?? source_kind)

/** What was lost is said where the status stands. */
export const describeStatus = ({ status, progress_pct: pct, losses }: ImportJob): string =>
  losses
    ? `imported, ${describeLosses(losses)}`
    : status === 'running' && pct !== null
      ? `running ${Math.floor(pct)} %`
      : status

export async function showImport(session: Session, job: ImportJob): Promise<void> {
  const page = `/orgs/${job.org_slug}/projects/${job.project_slug}/imports/${job.id}`
  session.output.show(job, job.id, [
    ['Import', job.id],
    ['Status', describeStatus(job)],
    ...(job.losses
      ? ([
          ['Why', job.losses.first_reason],
          ['All of it', `nmp imports report ${job.id}`],
          ['Page', new URL(page, await session.getBaseUrl()).href],
        ] satisfies [string, string][])
      : []),
    ['Dataset', `${job.org_slug}/${job.project_slug}/${job.dataset_slug}`],
    ['Dataset id', job.dataset_id],
    ['Source', describeSource(job)],
    ['Revision', job.hf_revision],
    [
      'Progress',
      job.status === 'running' || job.status === 'queued' ? (job.progress_message ?? job.progress_phase) : null,
    ],
    ['Size', formatBytes(job.total_bytes)],
    ['Attempts', job.attempt_count > 1 ? `${job.attempt_count} of ${job.max_attempts}` : null],
    ['Error', job.error_message ?? job.last_error],
    ['Dismissed', job.dismissed_at],
    ['Created', job.created_at],
    ['Finished', job.finished_at],
  ])
}

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

/** Shows an import that was just queued: at once, or when it has succeeded. */
export async function finishImport(session: Session, isAtOnce: boolean, job: ImportJob): Promise<void> {
  if (isAtOnce) return showImport(session, job)
  session.output.note(`Import ${job.id} is queued. It continues on the server if you stop here.`)
  await showImport(session, await watchImport(session, job))
}

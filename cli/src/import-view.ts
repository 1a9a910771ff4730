import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { formatBytes, type Output } from './output.ts'
import type { Session } from './session.ts'

/** Where its data came from, in few words. */
export const describeSource = ({ copied_from: copied, hf_repo_id, source_uri, source_kind }: ImportJob): string =>
  copied ? `${copied.slug} v${copied.version} (${copied.version_id})` : (hf_repo_id ?? source_uri ?? source_kind)

export const showImport = (output: Output, job: ImportJob): void =>
  output.show(job, job.id, [
    ['Import', job.id],
    ['Status', job.losses ? `${job.status}, but not all of it` : job.status],
    ...describeLosses(job),
    ['Dataset', `${job.org_slug}/${job.project_slug}/${job.dataset_slug}`],
    ['Dataset id', job.dataset_id],
    ['Source', describeSource(job)],
    ['Revision', job.hf_revision],
    [
      'Progress',
      job.status === 'running' || (job.status === 'queued' && job.progress_message)
        ? `${job.progress_pct === null ? '' : `${Math.floor(job.progress_pct)} % `}${job.progress_message ?? job.progress_phase ?? ''}`
        : null,
    ],
    ['Size', formatBytes(job.total_bytes)],
    ['Attempts', job.attempt_count > 1 ? `${job.attempt_count} of ${job.max_attempts}` : null],
    ['Error', job.error_message ?? job.last_error],
    ['Dismissed', job.dismissed_at],
    ['Created', job.created_at],
    ['Finished', job.finished_at],
  ])

const describeLosses = ({ id, losses }: ImportJob): [string, string | null][] =>
  losses === null
    ? []
    : [
        [
          'Left out',
          losses.episodes_left_out > 0 ? `${losses.episodes_left_out} of ${losses.episodes_found} episodes` : null,
        ],
        ['Dropped', losses.dropped > 0 ? `${losses.dropped} of its cameras, features or files` : null],
        ['Why', losses.first_reason],
        ['All of it', `nmp imports report ${id}`],
      ]

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
  if (isAtOnce) return showImport(session.output, job)
  session.output.note(`Import ${job.id} is queued. It continues on the server if you stop here.`)
  showImport(session.output, await watchImport(session, job))
}

import type { CreateImportInput, ImportsOperations } from './generated/imports.ts'
import type { WorkspaceImportJob as ImportJob } from './generated/records.ts'
import type { CopyVersionInput, VersionsOperations } from './generated/versions.ts'
import type { Transport } from './transport.ts'
import { JobError, type WaitOptions, waitForJob } from './waiting.ts'

export interface ImportWaiting {
  /** Queues an import and answers its record once it succeeded; throws `JobError` when it failed or was canceled. */
  createAndWait(input: CreateImportInput, options?: WaitOptions<ImportJob>): Promise<ImportJob>
  /** Copies a version into a project as a dataset and returns the import when it has succeeded. */
  copyAndWait(input: CopyVersionInput, options?: WaitOptions<ImportJob>): Promise<ImportJob>
  /** Waits for an import that exists. */
  wait(job: Pick<ImportJob, 'id' | 'org_slug' | 'project_slug'>, options?: WaitOptions<ImportJob>): Promise<ImportJob>
}

export function addImportWaiting(
  transport: Transport,
  imports: ImportsOperations,
  versions: VersionsOperations,
): ImportWaiting {
  const follow = async (first: ImportJob, options: WaitOptions<ImportJob>): Promise<ImportJob> => {
    const { org_slug, project_slug, id } = first
    const look = async (signal: AbortSignal): Promise<ImportJob> =>
      (await imports.getImport({ org_slug, project_slug, job_id: id }, { signal })).item
    const job = await waitForJob(transport, { event: 'import', org_slug, project_slug, first, look }, options)
    if (job.status === 'succeeded') return job
    throw new JobError(job, describeEnd(job))
  }
  return {
    async createAndWait(input, options = {}) {
      const { item } = await imports.createImport(input, { signal: options.signal })
      return follow(item, options)
    },
    async copyAndWait(input, options = {}) {
      const { item } = await versions.copyVersion(input, { signal: options.signal })
      return follow(item, options)
    },
    async wait({ id, org_slug, project_slug }, options = {}) {
      const { item } = await imports.getImport({ org_slug, project_slug, job_id: id }, { signal: options.signal })
      return follow(item, options)
    },
  }
}

const describeEnd = ({ id, status, error_message: message }: ImportJob): string =>
  status === 'canceled'
    ? `The import ${id} was canceled.`
    : `The import ${id} failed: ${message ?? 'no reason was given'}`

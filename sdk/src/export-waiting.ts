import type { ExportsOperations } from './generated/exports.ts'
import type { DerivedDatasetExportJob, QueueExport } from './generated/records.ts'
import type { Transport } from './transport.ts'
import { JobError, type WaitOptions, waitForJob } from './waiting.ts'

export type ExportJob = DerivedDatasetExportJob

export interface ExportInput {
  org_slug: string
  version_id: string
  /** Default `lerobot`. */
  artifact_key?: QueueExport['artifact_keys'][number]
  /** Of the artifact. */
  options?: Record<string, unknown>
}

export interface ExportWaiting {
  /** Queues the export of a version, as LeRobot unless another artifact is named, or joins the one there is, and answers its job once it succeeded. */
  createAndWait(input: ExportInput, options?: WaitOptions<ExportJob>): Promise<ExportJob>
  /** Waits for an export that exists. */
  wait(job: Pick<ExportJob, 'id' | 'org_slug' | 'version_id'>, options?: WaitOptions<ExportJob>): Promise<ExportJob>
}

export function addExportWaiting(transport: Transport, exports: ExportsOperations): ExportWaiting {
  const follow = async (first: ExportJob, options: WaitOptions<ExportJob>): Promise<ExportJob> => {
    const { org_slug, project_slug, version_id, id } = first
    const look = async (signal: AbortSignal): Promise<ExportJob> =>
      (await exports.getExportJob({ org_slug, version_id, job_id: id }, { signal })).item
    const job = await waitForJob(transport, { event: 'export', org_slug, project_slug, first, look }, options)
    if (job.status === 'succeeded') return job
    throw new JobError(job, describeEnd(job))
  }
  return {
    async createAndWait({ artifact_key: key = 'lerobot', options: chosen, ...input }, options = {}) {
      const body = { artifact_keys: [key], ...(chosen && { options: { [key]: chosen } }) }
      const { jobs } = await exports.queueExport({ ...input, body }, { signal: options.signal })
      const [job] = jobs
      if (!job) throw new Error(`The server queued no export of ${input.version_id}.`)
      return follow(job, options)
    },
    async wait({ id, org_slug, version_id }, options = {}) {
      const { item } = await exports.getExportJob({ org_slug, version_id, job_id: id }, { signal: options.signal })
      return follow(item, options)
    },
  }
}

const describeEnd = ({ id, status, error_message: message }: ExportJob): string =>
  status === 'canceled'
    ? `The export ${id} was canceled.`
    : `The export ${id} failed: ${message ?? 'no reason was given'}`

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

export interface SeveralExportsInput {
  org_slug: string
  version_id: string
  artifact_keys: QueueExport['artifact_keys']
  /** By artifact. */
  options?: Record<string, Record<string, unknown>>
}

export interface ExportWaiting {
  /** Queues the export of a version, as LeRobot unless another artifact is named, or joins the one there is, and answers its job once it succeeded. */
  createAndWait(input: ExportInput, options?: WaitOptions<ExportJob>): Promise<ExportJob>
  /**
   * Several artifacts in one request, so that pictures which more than one of them needs are decoded once. Answers their jobs, in the
   * order of the keys, once all of them succeeded; throws the first that did not when the last one has ended.
   */
  createSeveralAndWait(input: SeveralExportsInput, options?: WaitOptions<ExportJob>): Promise<ExportJob[]>
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
  const createSeveral = async (
    { artifact_keys, options: chosen, ...input }: SeveralExportsInput,
    options: WaitOptions<ExportJob>,
  ): Promise<ExportJob[]> => {
    const body = { artifact_keys, ...(chosen && { options: chosen }) }
    const { jobs } = await exports.queueExport({ ...input, body }, { signal: options.signal })
    const ended: ExportJob[] = []
    const failures: JobError[] = []
    for (const job of jobs)
      try {
        ended.push(await follow(job, options))
      } catch (error) {
        if (!(error instanceof JobError)) throw error
        failures.push(error)
      }
    if (failures[0]) throw failures[0]
    return ended
  }
  return {
    async createAndWait({ artifact_key: key = 'lerobot', options: chosen, ...input }, options = {}) {
      const own = chosen && { options: { [key]: chosen } }
      const [job] = await createSeveral({ ...input, artifact_keys: [key], ...own }, options)
      if (!job) throw new Error(`The server queued no export of ${input.version_id}.`)
      return job
    },
    createSeveralAndWait: (input, options = {}) => createSeveral(input, options),
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

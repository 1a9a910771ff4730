import type { Groups } from './generated/groups.ts'
import type { CheckPartStatus, CheckSummary } from './generated/records.ts'
import type { CallOptions } from './operation.ts'
import type { Transport } from './transport.ts'
import { JobError, type WaitOptions, waitForJob } from './waiting.ts'

export interface CheckInput {
  /** Of a dataset or a version. */
  dataset_id: string
  /** Whether pictures count too; default `true`. */
  pictures?: boolean
}

/** What is waited for: everything that is asked of one dataset or version. */
export interface CheckJob {
  /** Of the dataset or version. */
  id: string
  status: CheckPartStatus['status']
  summary: CheckSummary
}

export interface CheckWaiting {
  /** Checks what has no results of the present rules and cut-offs, or everything with `again`, and answers what was found, in numbers. */
  runAndWait(input: CheckInput & { again?: boolean }, options?: WaitOptions<CheckSummary>): Promise<CheckSummary>
  /** Waits for what is under way. The summary says of each part whether it was looked at. */
  wait(input: CheckInput, options?: WaitOptions<CheckSummary>): Promise<CheckSummary>
}

type Operations = Pick<Groups, 'catalog' | 'datasets' | 'versions'>

export function addCheckWaiting(transport: Transport, { catalog, datasets, versions }: Operations): CheckWaiting {
  const findPlace = async (dataset_id: string, options: CallOptions) => {
    const { item } = await catalog.getCatalogDataset({ dataset_id, limit: 1 }, { signal: options.signal })
    return { org_slug: item.org_slug, project_slug: item.project_slug, dataset_slug: item.slug }
  }
  type Place = Awaited<ReturnType<typeof findPlace>>

  const follow = async (
    { dataset_id, pictures = true }: CheckInput,
    { org_slug, project_slug }: Place,
    first: CheckSummary,
    { onProgress, ...options }: WaitOptions<CheckSummary>,
  ): Promise<CheckSummary> => {
    const toJob = (summary: CheckSummary): CheckJob => ({ id: dataset_id, ...judge(summary, pictures), summary })
    const look = async (signal: AbortSignal): Promise<CheckJob> =>
      toJob((await catalog.getChecks({ dataset_id }, { signal })).item)
    const job = await waitForJob(
      transport,
      { event: 'check', org_slug, project_slug, first: toJob(first), look },
      { ...options, onProgress: onProgress && (({ summary }) => onProgress(summary)) },
    )
    if (job.status === 'succeeded') return job.summary
    throw new JobError(job, `The checks of ${dataset_id} did not come to their end: ${listEnds(job.summary, pictures)}`)
  }

  return {
    async runAndWait({ again = false, ...input }, options = {}) {
      const { dataset_id, pictures = true } = input
      const { signal } = options
      const place = await findPlace(dataset_id, options)
      const { org_slug } = place
      const body = { pictures, again }
      const { item } = dataset_id.startsWith('ver_')
        ? await versions.runVersionChecks({ org_slug, version_id: dataset_id, body }, { signal })
        : await datasets.runChecks({ ...place, body }, { signal })
      return follow(input, place, item, options)
    },
    async wait(input, options = {}) {
      const { dataset_id } = input
      const place = await findPlace(dataset_id, options)
      const { item } = await catalog.getChecks({ dataset_id }, { signal: options.signal })
      return follow(input, place, item, options)
    },
  }
}

const listParts = ({ signals, pictures }: CheckSummary, withPictures: boolean): CheckPartStatus[] =>
  withPictures ? [signals, pictures] : [signals]

/** One status of both parts: what nobody has asked for is no failure. */
function judge(summary: CheckSummary, withPictures: boolean): Pick<CheckJob, 'status'> {
  const statuses = listParts(summary, withPictures).map(({ status }) => status)
  const status = (['running', 'queued', 'failed', 'canceled'] as const).find((one) => statuses.includes(one))
  return { status: status ?? 'succeeded' }
}

const listEnds = (summary: CheckSummary, withPictures: boolean): string =>
  [...new Set(listParts(summary, withPictures).flatMap(describeEnd))].join(' ')

const describeEnd = ({ status, message }: CheckPartStatus): string[] =>
  status === 'failed' || status === 'canceled' ? [message] : []

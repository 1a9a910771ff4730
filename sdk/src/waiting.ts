import { watchEvents } from './events.ts'
import type { CallOptions } from './operation.ts'
import { sleep } from './retry.ts'
import type { Transport } from './transport.ts'

export interface Job {
  id: string
  status: string
}

export interface WaitOptions<J> extends CallOptions {
  /** Called with the record whenever it changed. */
  onProgress?: ((job: J) => void) | undefined
  /** Between two looks while no stream of events is open; 2 s unless said. */
  pollMs?: number | undefined
  /** `false` polls only. */
  events?: boolean | undefined
}

/** The job failed or was canceled; `job` is its record. */
export class JobError<J extends Job = Job> extends Error {
  override readonly name = 'JobError'
  readonly job: J

  constructor(job: J, message: string) {
    super(message)
    this.job = job
  }
}

export const isFinal = ({ status }: Job): boolean => ['succeeded', 'failed', 'canceled'].includes(status)

const pollMsDefault = 2000
/** While events arrive, a look now and then covers what a stream may lose. */
const pollMsWithEvents = 15_000

interface Watched<J> {
  /** Name of the job's events: `import`, `export` or `check`. */
  event: string
  org_slug: string
  project_slug?: string | undefined
  first: J
  look(signal: AbortSignal): Promise<J>
}

/** Waits until a job is final: events wake it, polling stands in for them. Aborting stops the waiting, not the job. */
export async function waitForJob<J extends Job>(
  transport: Transport,
  { event, org_slug, project_slug, first, look }: Watched<J>,
  options: WaitOptions<J> = {},
): Promise<J> {
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  let job = first
  let isStreaming = false
  let wake = (): void => {}
  const listen = async (): Promise<void> => {
    const onOpen = (): void => {
      isStreaming = true
      wake()
    }
    for await (const message of watchEvents(transport, { org_slug, project_slug }, { signal, onOpen })) {
      if (message.event === event && message.data.includes(job.id)) wake()
    }
  }
  const report = (next: J): void => {
    const changed = JSON.stringify(next) !== JSON.stringify(job)
    job = next
    if (changed) options.onProgress?.(job)
  }
  try {
    options.onProgress?.(job)
    if (options.events !== false && !isFinal(job)) {
      listen()
        .catch(() => {})
        .finally(() => {
          isStreaming = false
          wake()
        })
    }
    while (!isFinal(job)) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const pause = new AbortController()
      const pollMs = isStreaming ? pollMsWithEvents : (options.pollMs ?? pollMsDefault)
      await Promise.race([woken, sleep(pollMs, AbortSignal.any([signal, pause.signal]))]).finally(() => pause.abort())
      report(await look(signal))
    }
    return job
  } finally {
    stop.abort()
  }
}

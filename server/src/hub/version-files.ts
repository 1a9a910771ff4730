import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { queueExport } from '../exports/service.ts'
import type { Principal } from '../identity/principal.ts'
import { getVersion, type Version } from '../versions/service.ts'
import type { Commit } from './repositories.ts'

const lookMs = 150

export interface Patience {
  /** How long the client waits before it gives up. */
  waitSeconds: number
  /** What it tries again on: see docs/hub.md. */
  refusal: 'not_ready' | 'too_many_requests'
  signal: AbortSignal
  requestId: string
}

/**
 * A version is a repository from the moment it is created: the first who needs its files has them made, everybody waits for the same
 * export, and past their patience the clients get what they try again on.
 */
export async function waitForFiles(
  context: Context,
  principal: Principal | undefined,
  { content }: Commit,
  patience: Patience,
): Promise<void> {
  if (content.kind !== 'version') return
  const until = Date.now() + patience.waitSeconds * 1000
  let version = await getVersion(context.db, content.version.id)
  if (principal && statusOf(version) === 'planned') {
    await queueExport(context, principal, { version, artifactKeys: ['lerobot'], requestId: patience.requestId })
  }
  for (;;) {
    const status = statusOf(version)
    if (status === 'ready') return
    if (status === 'failed') throw failed(version)
    if (Date.now() >= until || patience.signal.aborted) throw unfinished(version, patience.refusal)
    await sleep(lookMs)
    version = await getVersion(context.db, version.id)
  }
}

const lerobotOf = ({ artifacts }: Version) => artifacts.find(({ key }) => key === 'lerobot')

const statusOf = (version: Version): string => lerobotOf(version)?.status ?? 'planned'

const failed = (version: Version): ServiceError =>
  new ServiceError(
    'conflict',
    `The files of this version could not be made: ${lerobotOf(version)?.error_message ?? 'the export failed'}. Export it again.`,
  )

const unfinished = (version: Version, refusal: Patience['refusal']): ServiceError =>
  new ServiceError(
    refusal,
    `The files of version ${version.version} of ${version.slug} are being made. Run the same line again in a moment.`,
    { retryAfterSeconds: 2 },
  )

import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { queueExport } from '../../exports/service.ts'
import { getVersion, type Version } from '../../versions/service.ts'
import type { HubMeter } from '../hub-meter.ts'
import type { Commit } from '../repositories/repositories.ts'

const lookMs = 50

export interface Patience {
  /** How long the client waits before it gives up. */
  waitSeconds: number
  /** What it tries again on: see docs/hub.md. */
  refusal: 'not_ready' | 'too_many_requests'
  signal: AbortSignal
}

export type WaitForFiles = (caller: Caller | undefined, commit: Commit, patience: Patience) => Promise<void>

/**
 * A version is a repository from the moment it is created: the first who needs its files has them made, everybody waits for the same
 * export, and past their patience the clients get what they try again on. One look at the database serves all who wait here.
 */
export function createVersionWait(context: Context, meter: HubMeter): WaitForFiles {
  const making = new Map<string, { ended: Promise<Version>; waiters: number }>()

  const make = async (id: string, caller: Caller): Promise<Version> => {
    let version = await getVersion(context.db, id)
    if (statusOf(version) === 'planned') await queueExport(context, caller, { version, artifactKeys: ['lerobot'] })
    do {
      await sleep(lookMs)
      version = await getVersion(context.db, id)
    } while (['queued', 'running'].includes(statusOf(version)) && (making.get(id)?.waiters ?? 0) > 0)
    return version
  }

  const join = (id: string, caller: Caller) => {
    const known = making.get(id)
    if (known) {
      known.waiters += 1
      return known
    }
    const entry = { ended: make(id, caller).finally(() => making.delete(id)), waiters: 1 }
    entry.ended.catch(() => {})
    making.set(id, entry)
    return entry
  }

  return async (caller, { content }, patience) => {
    if (content.kind !== 'version' || statusOf(content.version) === 'ready') return
    const { version } = content
    if (statusOf(version) === 'failed') throw failed(version)
    if (!caller) throw unfinished(version, patience.refusal)
    const entry = join(version.id, caller)
    const { promise: gone, resolve: leave } = Promise.withResolvers<undefined>()
    const timer = setTimeout(leave, patience.waitSeconds * 1000, undefined)
    const onAbort = (): void => leave(undefined)
    patience.signal.addEventListener('abort', onAbort, { once: true })
    try {
      const ended = await Promise.race([entry.ended, gone])
      if (ended && statusOf(ended) === 'failed') throw failed(ended)
      if (!ended || statusOf(ended) !== 'ready') throw unfinished(version, patience.refusal)
      meter.countWait('made')
    } catch (error) {
      meter.countWait('unfinished')
      throw error
    } finally {
      clearTimeout(timer)
      patience.signal.removeEventListener('abort', onAbort)
      entry.waiters -= 1
    }
  }
}

const lerobotOf = ({ artifacts }: Version) => artifacts.find(({ key }) => key === 'lerobot')

const statusOf = (version: Version): string => lerobotOf(version)?.status ?? 'planned'

const failed = (version: Version): ServiceError =>
  new ServiceError(
    'conflict',
    `The files of this version could not be made: ${lerobotOf(version)?.errorMessage ?? 'the export failed'}. Export it again.`,
  )

const unfinished = (version: Version, refusal: Patience['refusal']): ServiceError =>
  new ServiceError(
    refusal,
    `The files of version ${version.version} of ${version.slug} are being made. Try again in a moment.`,
    { retryAfterSeconds: 2 },
  )

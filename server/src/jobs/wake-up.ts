import pg from 'pg'
import type { Connection } from '../db/database.ts'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { canceledChannel } from './statements/cancel-job.ts'
import { queuedChannel } from './statements/create-job.ts'

interface WakeUpOptions {
  connection: Connection
  log: Log
  /** What came while nobody listened may have been missed. */
  onListening(): void
  onQueued(): void
  onCanceled(jobId: string): void
}

export interface WakeUp {
  close(): Promise<void>
}

const reconnectMilliseconds = 1000
const probeMilliseconds = 10_000

/**
 * Listens for new jobs and cancels, and connects again when the connection is lost. A half-open connection says
 * nothing at all, so it is probed; and workers poll besides, so a lost word costs time and no job.
 */
export const openWakeUp = ({ connection, log, onListening, onQueued, onCanceled }: WakeUpOptions): WakeUp => {
  let isClosed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({ ...connection, connectionTimeoutMillis: 5000, query_timeout: 5000, keepAlive: true })
    let isLost = false
    const lose = (error?: unknown): void => {
      if (isLost) return
      isLost = true
      clearInterval(probe)
      fresh.end().catch(() => undefined)
      if (isClosed) return
      log.debug({ error: describeError(error) }, 'the listening connection was lost')
      retry = setTimeout(() => void connect(), reconnectMilliseconds)
    }
    const probe = setInterval(() => fresh.query('select 1').catch(lose), probeMilliseconds)
    client = fresh
    fresh.on('error', lose)
    fresh.on('end', lose)
    fresh.on('notification', ({ channel, payload }) => {
      if (channel === queuedChannel) onQueued()
      if (channel === canceledChannel && payload) onCanceled(payload)
    })
    try {
      await fresh.connect()
      await fresh.query(`listen ${queuedChannel}; listen ${canceledChannel}`)
      onListening()
    } catch (error) {
      lose(error)
    }
  }
  void connect()

  return {
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}

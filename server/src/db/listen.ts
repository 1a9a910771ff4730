import pg from 'pg'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Connection, programName, withoutPooler } from './database.ts'

interface ListenOptions {
  connection: Connection
  log: Log
  channels: readonly string[]
  /** Each time it begins to listen: what came while nobody did was missed. */
  onListening(): void
  onWord(channel: string, word: string): void
}

export interface Listening {
  close(): Promise<void>
}

const reconnectMilliseconds = 1000
const probeMilliseconds = 10_000

/**
 * Hears what other processes announce (NOTIFY), on a connection of its own, and connects again when that is lost. A half-open
 * connection says nothing at all, so it is probed.
 */
export const openListening = ({ connection, log, channels, onListening, onWord }: ListenOptions): Listening => {
  let isClosed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({
      ...withoutPooler(connection),
      application_name: programName,
      connectionTimeoutMillis: 5000,
      query_timeout: 5000,
      keepAlive: true,
    })
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
    fresh.on('notification', ({ channel, payload }) => onWord(channel, payload ?? ''))
    try {
      await fresh.connect()
      await fresh.query(channels.map((channel) => `listen ${channel}`).join('; '))
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

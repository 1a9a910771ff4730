import pg from 'pg'
import { waitFor } from '../../../../e2e/processes.ts'
import type { PostgresServer } from './machines.ts'

/** One statement on a connection of its own. */
export async function query(connectionString: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 20_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.query(text)
  } finally {
    await client.end().catch(() => {})
  }
}

export const waitUntilItAnswers = (connectionString: string): Promise<void> =>
  waitFor(
    'PostgreSQL to answer',
    () =>
      query(connectionString, 'select 1').then(
        () => true,
        () => false,
      ),
    60,
  )

/** Every commit is on both disks before it is acknowledged, as a managed service promises that swaps them. */
export const followBy = async (server: PostgresServer, isFollowed: boolean): Promise<void> => {
  await server.query(`alter system set synchronous_standby_names = '${isFollowed ? '*' : ''}'`)
  await server.query('select pg_reload_conf()')
}

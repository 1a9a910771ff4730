import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Connection } from '../src/db/database.ts'

export interface DatabaseLine {
  /** Leads to the same database, as long as the line is not cut. */
  connection: Connection
  /** From now on PostgreSQL is gone, for those who are connected and for those who come. */
  cut(): void
  /** It is back, at the same place. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** A line to a database that can be cut: to the program it is a PostgreSQL that dies. */
export async function openDatabaseLine(connection: Connection): Promise<DatabaseLine> {
  const place = readPlace(connection)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const far = connect(place.at)
    for (const [socket, other] of [
      [client, far],
      [far, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const cut = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return {
    connection: place.through(port),
    cut,
    async mend() {
      await listen(port)
    },
    async close() {
      cut()
    },
  }
}

type Place = { at: { path: string } | { host: string; port: number }; through(port: number): Connection }

function readPlace(connection: Connection): Place {
  if ('connectionString' in connection) {
    const url = new URL(connection.connectionString)
    return {
      at: { host: url.hostname, port: Number(url.port || 5432) },
      through(port) {
        const other = new URL(url)
        other.host = `127.0.0.1:${port}`
        return { connectionString: other.href }
      },
    }
  }
  const { host = '', port = 5432 } = connection
  return {
    at: host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    through: (other) => ({ ...connection, host: '127.0.0.1', port: other }),
  }
}

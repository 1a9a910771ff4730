import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'

/** A source that the operator allows, and whose owner is hostile; and a service inside, which nobody may reach through it. */
export interface HostileSourceServer {
  hostPort: string
  /** What the next requests for a path are redirected to. */
  redirects: Map<string, { status: number; location: string }>
  inside: { port: number; connections: number }
  close(): void
}

export async function openHostileSource(): Promise<HostileSourceServer> {
  const inside = { port: 0, connections: 0 }
  const insideServer = createTcpServer((socket) => {
    inside.connections += 1
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 12\r\nconnection: close\r\n\r\nroot:x:0:0:0')
  })
  inside.port = await listen(insideServer)
  const redirects: HostileSourceServer['redirects'] = new Map()
  const server = createServer((request, response) => {
    const redirect = redirects.get(request.url ?? '')
    if (redirect) sendRedirect(response, redirect)
    else response.writeHead(404).end()
  })
  const hostPort = `127.0.0.1:${await listen(server)}`
  return {
    hostPort,
    redirects,
    inside,
    close() {
      server.closeAllConnections()
      server.close()
      insideServer.close()
    },
  }
}

/** Written by hand: Node would refuse to send some of these headers. */
function sendRedirect(response: ServerResponse, { status, location }: { status: number; location: string }): void {
  response.socket?.end(
    `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  )
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Ends connections whose client takes nothing of an answer for so long: what waits for them is memory of everybody. One that waits for an
 * answer, or for the next event of a stream, is left alone.
 */
export function dropStalledReaders(server: Server, seconds: number): void {
  const answering = new WeakMap<Socket, number>()
  const change = (socket: Socket, by: number): unknown => answering.set(socket, (answering.get(socket) ?? 0) + by)
  server.on('request', ({ socket }, response) => {
    change(socket, 1)
    response.once('close', () => change(socket, -1))
  })
  // Node tells of sockets on which nothing moved; half of a large piece that was taken counts as movement.
  server.setTimeout(seconds * 1000, (socket) => {
    const isWaiting = (answering.get(socket) ?? 0) > 0 && socket.writableLength === 0
    if (isWaiting) socket.setTimeout(seconds * 1000)
    else socket.destroy()
  })
}

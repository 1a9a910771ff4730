import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Without a byte, and in all: on a busy machine a client that sends without a pause takes longer than the first. */
const mostSilentMilliseconds = 2_000
const mostMilliseconds = 30_000
const mostBytes = 64 * 1024 * 1024

/**
 * A connection that is to end after an answer is closed for sending first, and what still comes is read for a moment (RFC 9112, 9.6): a
 * client in the middle of a body that was refused would be told that the connection was reset, and never why.
 */
export function closeLingering(server: Server): void {
  server.on('connection', (socket: Socket) => {
    // What `http` calls when the last answer of a connection was given to the socket.
    socket.destroySoon = () => linger(socket)
  })
}

function linger(socket: Socket): void {
  if (socket.destroyed) return
  if (socket.readableEnded) {
    if (socket.writableFinished) socket.destroy()
    else socket.end(() => socket.destroy())
    return
  }
  const end = (): unknown => socket.destroy()
  const readBefore = socket.bytesRead
  const silence = setTimeout(end, mostSilentMilliseconds)
  const whole = setTimeout(end, mostMilliseconds)
  socket.once('close', () => {
    clearTimeout(silence)
    clearTimeout(whole)
  })
  socket.once('end', end)
  socket.on('data', () => {
    silence.refresh()
    if (socket.bytesRead - readBefore > mostBytes) end()
  })
  socket.end()
  socket.resume()
}

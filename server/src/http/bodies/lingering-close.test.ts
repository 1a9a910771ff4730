import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { closeLingering } from './lingering-close.ts'

/** As programs that send all of a body before they read: what it hears, or how it was cut. */
async function sendWholly(port: number, bytes: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.pause()
  socket.setEncoding('latin1')
  let heard = ''
  socket.on('data', (text) => {
    heard += text
  })
  const closed = once(socket, 'close').catch((error: Error) => {
    heard += error.message
  })
  socket.on('end', () => socket.end())
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`)
  // The refusal is there before most of it is sent.
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.write(Buffer.alloc(bytes), () => socket.resume())
  await closed
  return heard
}

test('who is refused while sending hears why, and the connection ends', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(413, { connection: 'close', 'content-type': 'text/plain' })
    response.end('too large')
  })
  closeLingering(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const all = await Promise.all(Array.from({ length: 10 }, () => sendWholly(port, 8 * 1024 * 1024)))
    for (const heard of all) expect(heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*too large/)
    const none = await fetch(`http://127.0.0.1:${port}/`)
    expect([none.status, await none.text()]).toEqual([413, 'too large'])
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

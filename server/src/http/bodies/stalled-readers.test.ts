import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { dropStalledReaders } from './stalled-readers.ts'

test('a client that takes nothing is dropped, one that waits for its answer is not', async () => {
  const late: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/late') late.push(response)
    else response.end(Buffer.alloc(64 * 1024 * 1024))
  })
  dropStalledReaders(server, 0.3)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const waiting = fetch(`http://127.0.0.1:${port}/late`)
  const stalled = connect(port, '127.0.0.1')
  stalled.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  stalled.pause()
  const [accepted] = await once(server, 'connection')
  const [other] = accepted.destroyed ? [accepted] : await once(server, 'connection')
  const sockets = [accepted, other]
  await Promise.race(sockets.map((socket) => once(socket, 'close')))
  // The one that was ended is the one with bytes to take; the other gets its answer.
  late[0]?.end('here')
  expect(await (await waiting).text()).toBe('here')
  stalled.destroy()
  server.closeAllConnections()
  server.close()
})

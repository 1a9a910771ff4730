import { createServer } from 'node:net'
import pg from 'pg'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { describeFailure } from './failures.ts'

const log = pino({ level: 'silent' })

test('a database that dies in the midst of a question is 503 with Retry-After', async () => {
  // It says that it is ready, and is gone when it is asked.
  const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(ready)
      socket.once('data', () => socket.end())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'ada', database: 'ada' })
  client.on('error', () => {})
  await client.connect()
  const thrown = await client.query('select 1').catch((error: unknown) => error)
  server.close()
  expect(describeFailure(thrown, 'request', log)).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { code: 'not_ready' },
  })
})

test('a disk that is full is 507', () => {
  const thrown = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' })
  expect(describeFailure(thrown, 'request', log)).toMatchObject({ status: 507, body: { code: 'disk_full' } })
})

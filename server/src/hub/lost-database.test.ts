import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type DatabaseLine, openDatabaseLine } from '../../test/database-line.ts'
import { openDoor } from '../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { openDatabase } from '../db/database.ts'

let database: TestDatabase
let line: DatabaseLine
let program: TestProgram
let token: string
let door: ReturnType<typeof openDoor>

beforeAll(async () => {
  database = await createTestDatabase()
  line = await openDatabaseLine(database.connection)
  const { connection } = line
  program = await startProgram({}, { ...openDatabase({ connection, log: pino({ level: 'silent' }) }), connection })
  const ada = await program.addUser('ada@example.org')
  token = await program.makeToken(ada, ['workspace:read', 'imports:write'])
  door = openDoor(program, token)
})
afterAll(async () => {
  await program?.close()
  await line?.close()
  await database?.close()
})

const header = { key: 'header', value: { summary: 'change', description: '' } }
const file = { key: 'file', value: { path: 'a.txt', content: 'YQ==', encoding: 'base64' } }

test('a commit in whose midst PostgreSQL dies is 503 with Retry-After, and so is one that comes then', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const answer = fetch(`${program.url}/hf/api/datasets/ada/cups/commit/main`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: readable,
    duplex: 'half',
  } as RequestInit)
  const body = writable.getWriter()
  await body.write(Buffer.from(`${JSON.stringify(header)}\n`))
  const isOpen = async () =>
    (await database.db.selectFrom('hub_pushes').select('id').execute()).length > 0 ? true : undefined
  await waitUntil(isOpen)
  line.cut()
  await body.write(Buffer.from(JSON.stringify(file)))
  await body.close()
  const lost = await answer
  expect([lost.status, Number(lost.headers.get('retry-after'))]).toEqual([503, expect.any(Number)])
  expect(lost.headers.has('retry-after')).toBe(true)
  expect(((await lost.json()) as { error: string }).error).toContain('database')
  const next = await door.commit('ada/cups', { 'a.txt': 'a' })
  expect([next.status, next.headers.has('retry-after')]).toEqual([503, true])
  await line.mend()
  expect((await door.commit('ada/cups', { 'a.txt': 'a' })).status).toBe(200)
  expect(await door.read('ada/cups', 'a.txt')).toBe('a')
})

import { pino } from 'pino'
import { expect, inject, test } from 'vitest'
import { connectDatabase } from './connect.ts'
import { findServerFault } from './server-check.ts'

const log = pino({ level: 'silent' })
const connect = (address: string) =>
  connectDatabase({ NMP_DATABASE_URL: address, NMP_DATA_DIR: '/nowhere', NMP_POSTGRES_BIN: undefined }, log)
const now = 1_800_000_000

test('a wrong address of the database is one sentence that says what to do, without its password', async () => {
  await expect(connect('postgres://nmp:secret@127.0.0.1:1/nmp')).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1\/nmp does not answer: .*ECONNREFUSED.*\. Check that PostgreSQL runs there and that NMP_DATABASE_URL names it\.$/,
  )
  const { host = '', port, user, password } = inject('testServer').connection as Record<string, string>
  const at = (name: string, word: string) =>
    connect(
      `postgres://${user}:${encodeURIComponent(word)}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`,
    )
  await expect(at('no_such_database', password ?? '')).rejects.toThrow(/does not exist: create it with createdb/)
  await expect(at('postgres', 'wrong')).rejects.toThrow(/refuses this user or password: .* Correct NMP_DATABASE_URL\.$/)
})

test.each([
  [
    140_012,
    0,
    'The database is PostgreSQL 14, and nmp needs 15 or newer: upgrade it, or set NMP_DATABASE_URL to another one.',
  ],
  [
    150_004,
    3600,
    'The clock of this machine is 3600 seconds ahead of that of the database: set both by NTP, then start again.',
  ],
  [
    180_000,
    -3600,
    'The clock of this machine is 3600 seconds behind that of the database: set both by NTP, then start again.',
  ],
  [150_000, 60, undefined],
])('PostgreSQL %i with clocks %i seconds apart', (versionNumber, apart, fault) => {
  expect(findServerFault({ versionNumber, clockSeconds: now, ownSeconds: now + apart })).toBe(fault)
})

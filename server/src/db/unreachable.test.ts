import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { canMountDisk, ownMounts } from '../../../fixtures/small-disk.ts'
import { testWhere } from '../../../fixtures/test-where.ts'

const script = `
import pg from 'pg'
import { isConnectionError } from './src/db/database.ts'
const client = new pg.Client({ connectionString: 'postgres://nmp@192.0.2.1/nmp' })
await client.connect().catch((error) => console.log(error.code, isConnectionError(error)))
`

testWhere(canMountDisk())('a database to which no way leads is one that may come back', () => {
  const words = [...ownMounts, '--net', process.execPath, '--input-type=module', '--eval', script]
  const said = execFileSync('unshare', words, { encoding: 'utf8', cwd: join(import.meta.dirname, '..', '..') })
  expect(said).toBe('ENETUNREACH true\n')
})

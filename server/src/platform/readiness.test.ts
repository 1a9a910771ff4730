import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'

let program: TestProgram

beforeAll(async () => {
  program = await startProgram()
})
afterAll(() => program.close())

test('a store that is gone is named and takes the program out of service, until it is back', async () => {
  const ready = { status: 'ready', checks: { database: 'ok', storage: 'ok', disk: 'ok' } }
  expect((await program.call('GET', '/readyz')).body).toEqual(ready)
  const objects = join(program.context.config.NMP_DATA_DIR, 'objects')
  await rename(objects, `${objects}-unmounted`)
  const gone = await program.call('GET', '/readyz')
  expect([gone.status, gone.body]).toEqual([
    503,
    { status: 'not_ready', checks: { database: 'ok', storage: 'does not answer', disk: 'ok' } },
  ])
  await rename(`${objects}-unmounted`, objects)
  expect((await program.call('GET', '/readyz')).body).toEqual(ready)
})

import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startProgram, type TestProgram } from '../test/program.ts'
import { waitUntil } from '../test/wait-until.ts'
import { describeCheck } from './consistency/schedule.ts'
import { startHousekeeping } from './housekeeping.ts'

let program: TestProgram
beforeAll(async () => {
  program = await startProgram()
})
afterAll(() => program.close())

const minute = 60_000

test('every ten minutes what is stored is looked at; a look that fails is told, and the next one is made all the same', async () => {
  const lines: Record<string, unknown>[] = []
  const out = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(line))
      done()
    },
  })
  const context = { ...program.context, log: pino({ level: 'error' }, out) }
  const { db } = context
  const findLast = async () => (await describeCheck(context)).last_walk?.ended_at
  // Intervals alone: everything else, the database's own time-outs too, goes on as ever.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const housekeeping = startHousekeeping(context)
  try {
    vi.advanceTimersByTime(9 * minute)
    expect(await findLast()).toBeUndefined()
    vi.advanceTimersByTime(minute)
    const first = await waitUntil(findLast)

    await sql`alter table program_settings rename to lost_settings`.execute(db)
    await waitUntil(async () => {
      vi.advanceTimersByTime(10 * minute)
      return lines.find(({ task }) => task === 'a look at what is stored')
    })
    await sql`alter table lost_settings rename to program_settings`.execute(db)
    expect(lines.map(({ task, msg }) => [task, msg])).toContainEqual([
      'a look at what is stored',
      'housekeeping failed',
    ])
    await waitUntil(async () => {
      vi.advanceTimersByTime(10 * minute)
      return (await findLast()) === first ? undefined : true
    })
  } finally {
    vi.useRealTimers()
    await housekeeping.stop()
  }
})

import type { KyselyPlugin } from 'kysely'
import { pino } from 'pino'
import type { Context } from '../src/context.ts'
import { type Connection, openDatabase } from '../src/db/database.ts'

export interface HeldWork<T> {
  /** Lets all of them go on, and gives their results: the first was held after its first question to the database, and so on. */
  release(): Promise<T[]>
  close(): Promise<void>
}

/**
 * The same work so many times, each held up after another one of its questions to the database: whatever happens until they go on has
 * happened between any two of them.
 */
export async function holdBetweenQueries<T>(
  { context, connection, times }: { context: Context; connection: Connection; times: number },
  work: (context: Context) => Promise<T>,
): Promise<HeldWork<T>> {
  const database = openDatabase({ connection, log: pino({ level: 'silent' }), maxConnections: 2 * times })
  const go = Promise.withResolvers<void>()
  const running: Promise<T>[] = []
  for (let index = 0; index < times; index++) {
    const reached = Promise.withResolvers<void>()
    let asked = 0
    const hold: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (asked++ === index) {
          reached.resolve()
          await go.promise
        }
        return result
      },
    }
    const done = work({ ...context, db: database.db.withPlugin(hold) as Context['db'] })
    running.push(done)
    await Promise.race([reached.promise, done])
  }
  return {
    async release() {
      go.resolve()
      return Promise.all(running)
    },
    close: () => database.close(),
  }
}

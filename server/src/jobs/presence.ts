import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'

// Workers say that they live, by the database's clock, so that whoever asks an API sees the workers of every machine.

const everySeconds = 10
/** Three words missed: it is not counted any more. */
const aliveSeconds = 35
const prefix = 'worker:'

export interface PresentWorker {
  /** As in `claimed_by`: host and process. */
  name: string
  startedAt: string
  seenAt: string
  /** How many jobs it runs at a time. */
  concurrency: number
}

interface Announced {
  name: string
  concurrency: number
}

/** Says that a worker lives, now and every few seconds, until it is stopped; then that it does no more. */
export function announceWorker(db: Database, worker: Announced, log: Log): { stop(): Promise<void> } {
  const say = (): Promise<void> =>
    storePresence(db, worker).catch((error) =>
      log.debug({ error: describeError(error) }, 'the worker could not say that it lives'),
    )
  let saying = say()
  const timer = setInterval(() => {
    saying = say()
  }, everySeconds * 1000)
  return {
    async stop() {
      clearInterval(timer)
      await saying
      await forgetWorker(db, worker.name).catch(() => undefined)
    },
  }
}

async function storePresence(db: Database, { name, concurrency }: Announced): Promise<void> {
  await sql`
    insert into program_settings (name, value) values (${prefix + name}, jsonb_build_object(
      'started_at', now(), 'seen_at', now(), 'concurrency', ${concurrency}::integer))
    on conflict (name) do update set value = program_settings.value || jsonb_build_object('seen_at', now())`.execute(db)
}

/** One that is known to be gone. */
export async function forgetWorker(db: Database, name: string): Promise<void> {
  await sql`delete from program_settings where name = ${prefix + name}`.execute(db)
}

/** Of those that went without a word nothing is kept for longer than a day. */
export async function forgetLostWorkers(db: Database): Promise<void> {
  await sql`
    delete from program_settings where starts_with(name, ${prefix})
      and (value->>'seen_at')::timestamptz < now() - interval '1 day'`.execute(db)
}

export async function listWorkers(db: Database): Promise<PresentWorker[]> {
  const { rows } = await sql<PresentWorker>`
    select substr(name, ${prefix.length + 1}::integer) as name, value->>'started_at' as "startedAt",
      value->>'seen_at' as "seenAt", (value->>'concurrency')::integer as concurrency
    from program_settings where starts_with(name, ${prefix})
      and (value->>'seen_at')::timestamptz > now() - make_interval(secs => ${aliveSeconds}::integer)
    order by name`.execute(db)
  return rows
}

import type { Context } from '../context.ts'
import { type Listening, openListening } from '../db/listen.ts'
import { ServiceError } from '../errors.ts'
import { readDatabaseClock } from './repository.ts'
import { StreamCounts } from './stream-counts.ts'

/** A change as the database announces it: which thing, and who could be concerned. The thing itself is read when it is told. */
export type Word =
  | { kind: 'job'; jobKind: string; orgId: string; id: string }
  | { kind: 'review'; orgId: string; id: string }
  | { kind: 'notification'; userId: string; id: string }

export interface Subscriber {
  userId: string
  hear(word: Word): void
  /** Words may have been missed: look for yourself. */
  catchUp(): void
  end(): void
}

const channel = 'nmp_events'
/** Of all APIs together. */
const mostStreamsOfAPerson = 20
/** Of one API, whose memory they take. */
const mostStreams = 2_000

/** One listening connection per process, opened with the first stream, and everybody who follows it. */
class EventHub {
  readonly #context: Context
  readonly #subscribers = new Set<Subscriber>()
  readonly #counts: StreamCounts
  #listening: Listening | undefined
  #isFirst = true
  #clockOffsetMs = 0

  constructor(context: Context) {
    this.#context = context
    this.#counts = new StreamCounts(context.peers)
    context.closers.push(async () => {
      this.end()
      await this.#listening?.close()
    })
  }

  subscribe(subscriber: Subscriber): () => void {
    const { userId } = subscriber
    if (this.#counts.ofPerson(userId) >= mostStreamsOfAPerson || this.#subscribers.size >= mostStreams)
      throw new ServiceError('too_many_requests', 'Too many event streams are open. Close some, or wait.', {
        retryAfterSeconds: 30,
      })
    this.#subscribers.add(subscriber)
    this.#counts.add(userId, 1)
    this.#listening ??= this.#listen()
    return () => {
      if (this.#subscribers.delete(subscriber)) this.#counts.add(userId, -1)
    }
  }

  end(): void {
    for (const subscriber of this.#subscribers) subscriber.end()
  }

  /** The database's clock, which stamps the rows. */
  get now(): number {
    return Date.now() + this.#clockOffsetMs
  }

  #listen(): Listening | undefined {
    const { connection, log, db } = this.#context
    if (!connection) return undefined
    return openListening({
      connection,
      log,
      channels: [channel],
      onListening: () => {
        readDatabaseClock(db).then(
          (now) => {
            this.#clockOffsetMs = now.getTime() - Date.now()
          },
          () => undefined, // the overlap of a resumption covers small differences
        )
        if (!this.#isFirst) for (const subscriber of this.#subscribers) subscriber.catchUp()
        this.#isFirst = false
      },
      onWord: (_channel, text) => {
        const word = readWord(text)
        if (word) for (const subscriber of this.#subscribers) subscriber.hear(word)
      },
    })
  }
}

const readWord = (text: string): Word | undefined => {
  const [kind, first = '', second = '', third = ''] = text.split(' ')
  if (kind === 'job') return { kind, jobKind: first, orgId: second, id: third }
  if (kind === 'review') return { kind, orgId: first, id: second }
  if (kind === 'notification') return { kind, userId: first, id: second }
  return undefined
}

const hubs = new WeakMap<Context, EventHub>()

export const getEventHub = (context: Context): EventHub => {
  const known = hubs.get(context)
  if (known) return known
  const hub = new EventHub(context)
  hubs.set(context, hub)
  return hub
}

/** The program is about to stop: clients go, and come back to another process or to the next start. */
export const endEventStreams = (context: Context): void => hubs.get(context)?.end()

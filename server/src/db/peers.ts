import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Connection, Database } from './database.ts'
import { openListening } from './listen.ts'

/** What one part of an API tells the same part of the others, in lines. Lines of one API come in order; some may be lost. */
export interface PeerTopic {
  name: string
  hear(from: string, line: string): void
  /** All that holds, for who has just come or has missed something: told every few seconds. */
  listAll(): Iterable<string>
  /** It ended, or was not heard of for a while. */
  forget(from: string): void
}

/** The other APIs of the same database. Nothing of what they tell each other is stored: what a killed one said is forgotten soon. */
export interface Peers {
  /** Nobody is told anything where there is nobody. */
  hasOthers(): boolean
  follow(topic: PeerTopic): void
  tell(topic: string, lines: Iterable<string>): void
  close(): Promise<void>
}

export const noPeers: Peers = {
  hasOthers: () => false,
  follow: () => undefined,
  tell: () => undefined,
  close: async () => undefined,
}

const channel = 'nmp_apis'
const roundMilliseconds = 3_000
export const silenceMilliseconds = 3 * roundMilliseconds + 1_000
/** PostgreSQL takes 8,000 bytes at a time. */
const mostWordBytes = 7_500
const mostLineBytes = 300
/** Beyond it what is new is left out until it is told with everything. */
const mostWaiting = 10_000

/** Talks by NOTIFY: a word is a line that says who speaks of what, and the lines of it. */
export function openPeers({ db, connection, log }: { db: Database; connection: Connection; log: Log }): Peers {
  const self = randomUUID().slice(0, 8)
  const heardAt = new Map<string, number>()
  const topics = new Map<string, PeerTopic>()
  const waiting: { topic: string; line: string }[] = []
  let sending: Promise<void> | undefined

  /** One word at a time, so that they come in order: pool connections would overtake each other. */
  const send = async (): Promise<void> => {
    while (waiting.length > 0) {
      const word = takeWord(self, waiting)
      await sql`select pg_notify(${channel}, ${word})`.execute(db).catch((error: unknown) => {
        waiting.length = 0
        log.debug({ error: describeError(error) }, 'other APIs were not told')
      })
    }
    sending = undefined
  }
  const tell = (topic: string, lines: Iterable<string>): void => {
    for (const line of lines)
      if (waiting.length < mostWaiting && Buffer.byteLength(line) <= mostLineBytes) waiting.push({ topic, line })
    if (waiting.length > 0) sending ??= send()
  }
  const tellAll = (): void => {
    tell('api', ['here'])
    if (heardAt.size > 0) for (const { name, listAll } of topics.values()) tell(name, listAll())
  }
  const forget = (from: string): void => {
    if (heardAt.delete(from)) for (const topic of topics.values()) topic.forget(from)
  }
  const hear = (word: string): void => {
    const [head = '', ...lines] = word.split('\n')
    const [from = '', name = ''] = head.split(' ')
    if (from === self) return
    if (name === 'api' && lines.includes('gone')) {
      forget(from)
      return
    }
    const isNew = !heardAt.has(from)
    heardAt.set(from, performance.now())
    if (isNew) tellAll()
    for (const line of lines) topics.get(name)?.hear(from, line)
  }
  const listening = openListening({
    connection,
    log,
    channels: [channel],
    onListening: tellAll,
    onWord: (_channel, word) => hear(word),
  })
  const round = setInterval(() => {
    for (const [from, at] of heardAt) if (performance.now() - at > silenceMilliseconds) forget(from)
    tellAll()
  }, roundMilliseconds)
  round.unref()

  return {
    hasOthers: () => heardAt.size > 0,
    follow: (topic) => void topics.set(topic.name, topic),
    tell(topic, lines) {
      if (heardAt.size > 0) tell(topic, lines)
    },
    async close() {
      clearInterval(round)
      await listening.close()
      waiting.length = 0
      if (heardAt.size > 0) tell('api', ['gone'])
      await sending
    },
  }
}

/** As many lines of the first one's topic as one word holds. */
function takeWord(self: string, waiting: { topic: string; line: string }[]): string {
  const topic = waiting[0]?.topic ?? ''
  let word = `${self} ${topic}`
  let count = 0
  for (const next of waiting) {
    if (next.topic !== topic || Buffer.byteLength(word) + Buffer.byteLength(next.line) >= mostWordBytes) break
    word += `\n${next.line}`
    count += 1
  }
  waiting.splice(0, count)
  return word
}

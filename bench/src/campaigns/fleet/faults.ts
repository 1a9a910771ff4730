import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { Link, Member, Part } from './machines.ts'

export interface Fault {
  what: string
  /** Begins it, lasts as long as it does, and ends it. */
  happen(fleet: Fleet): Promise<void>
}

/** Whoever watches over a part starts it again after so long. */
const restartMs = 5000

const get = <T>(list: readonly T[], index: number): T => {
  const found = list[index]
  if (found === undefined) throw new Error(`The fleet has no member ${index}.`)
  return found
}

const kill = async (part: Pick<Part, 'kill' | 'start'>): Promise<void> => {
  await part.kill()
  await sleep(restartMs)
  await part.start()
}

const pause = async (part: Part, seconds: number): Promise<void> => {
  await part.pause()
  await sleep(seconds * 1000)
  await part.resume()
}

const cutOff = async (link: Link, seconds: number): Promise<void> => {
  await link.cut()
  await sleep(seconds * 1000)
  await link.mend()
}

/** One by one; each is well before the next goes. */
async function replaceAll({ upgrade, apis, workers }: Fleet): Promise<void> {
  await upgrade()
  for (const member of [...apis, ...workers]) {
    const code = await member.stop()
    if (code !== 0) throw new Error(`${member.name} was told to stop, and ended with ${code}.`)
    await member.start()
    await waitUntilReady(member)
  }
}

async function waitUntilReady(member: Member): Promise<void> {
  while (!(await fetch(`${member.url}/readyz`).catch(() => undefined))?.ok) await sleep(100)
  // The proxy looks every second.
  await sleep(2000)
}

/** Every job that it takes meets the end of the disk. */
async function fillDisk(worker: Member, seconds: number): Promise<void> {
  await worker.stop()
  const leave = await worker.startOnFullDisk()
  await sleep(seconds * 1000)
  await leave()
  await worker.start()
}

/** In the order in which they happen; `seconds` is how long cuts and pauses last. */
export const listFaults = (seconds: number): Fault[] => [
  { what: 'an API is killed', happen: ({ apis }) => kill(get(apis, 0)) },
  { what: 'a worker is killed', happen: ({ workers }) => kill(get(workers, 0)) },
  { what: 'the reverse proxy is killed', happen: ({ proxy }) => kill(proxy) },
  { what: 'the S3 server is killed', happen: ({ objects }) => kill(objects) },
  {
    what: 'PostgreSQL is killed and recovers',
    happen: (fleet) => kill(fleet.database().primary),
  },
  {
    what: 'the replica is killed, and replaced',
    async happen(fleet) {
      await fleet.database().replica.kill()
      await sleep(restartMs)
      await fleet.replaceReplica()
    },
  },
  {
    what: 'a worker sees S3 and not the database',
    happen: ({ workers }) => cutOff(get(workers, 1).toDatabase, seconds),
  },
  {
    what: 'a worker sees the database and not S3',
    happen: ({ workers }) => cutOff(get(workers, 2).toObjects, seconds),
  },
  { what: 'an API sees S3 and not the database', happen: ({ apis }) => cutOff(get(apis, 0).toDatabase, seconds) },
  { what: 'an API sees the database and not S3', happen: ({ apis }) => cutOff(get(apis, 1).toObjects, seconds) },
  { what: 'an API stands still', happen: ({ apis }) => pause(get(apis, 1), seconds) },
  { what: 'a worker stands still', happen: ({ workers }) => pause(get(workers, 3), seconds) },
  { what: 'the S3 server stands still', happen: ({ objects }) => pause(objects, seconds) },
  { what: 'the disk of a worker is full', happen: ({ workers }) => fillDisk(get(workers, 0), seconds) },
  {
    what: 'PostgreSQL dies, and its replica takes its place',
    async happen(fleet) {
      await fleet.database().primary.kill()
      await sleep(restartMs)
      await fleet.promote()
      await fleet.replaceReplica()
    },
  },
  { what: 'all APIs and workers are replaced by a newer program with a migration', happen: replaceAll },
]

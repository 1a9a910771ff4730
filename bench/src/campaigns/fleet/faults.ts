import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { installNewer } from '../../../../e2e/other-checkouts.ts'
import type { Fleet, Member } from './fleet.ts'
import type { Part } from './part.ts'

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

const kill = async (part: Part): Promise<void> => {
  await part.kill()
  await sleep(restartMs)
  await part.start()
}

const pause = async (part: Pick<Part, 'signal'>, seconds: number): Promise<void> => {
  part.signal('SIGSTOP')
  await sleep(seconds * 1000)
  part.signal('SIGCONT')
}

const cutOff = async (line: { cut(): void; mend(): void }, seconds: number): Promise<void> => {
  line.cut()
  await sleep(seconds * 1000)
  line.mend()
}

/** One by one; each is well before the next goes. */
async function replaceAll(fleet: Fleet): Promise<void> {
  fleet.upgradeTo(await installNewer('create table next_release (id integer primary key);\n'))
  for (const member of [...fleet.apis, ...fleet.workers]) {
    await member.stop()
    await member.start()
    await waitUntilReady(member)
  }
}

async function waitUntilReady(member: Member): Promise<void> {
  while (!(await fetch(`http://127.0.0.1:${member.port}/readyz`).catch(() => undefined))?.ok) await sleep(100)
  // The proxy looks every second.
  await sleep(2000)
}

const smallDiskBytes = 3_000_000

/** Its folder becomes a disk that holds no import, so that every job it takes meets the end of it. */
async function fillDisk(worker: Member, seconds: number): Promise<void> {
  await worker.stop()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${smallDiskBytes},mode=700`, 'nmp', worker.data])
  try {
    worker.change({ env: { ...worker.env, NMP_DISK_RESERVE_BYTES: '0', TMPDIR: worker.data } })
    await worker.start()
    const rest = execFileSync('df', ['--output=avail', '--block-size=1', worker.data], { encoding: 'utf8' })
    const free = Math.max(0, Number(rest.trim().split('\n')[1]) - 64_000)
    execFileSync('dd', ['if=/dev/zero', `of=${worker.data}/filler`, `bs=${free}`, 'count=1'], { stdio: 'ignore' })
    await sleep(seconds * 1000)
    await worker.stop()
  } finally {
    execFileSync('umount', ['--lazy', worker.data])
  }
  worker.change({ env: worker.env })
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
    async happen(fleet) {
      const { primary } = fleet.database()
      await primary.kill()
      await sleep(restartMs)
      await primary.start()
    },
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

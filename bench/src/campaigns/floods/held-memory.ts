import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, type StartOptions, startProgram } from '../../../../e2e/program.ts'
import { watchTreeMemory } from '../../process-tree.ts'
import type { FloodSeed } from './flood-seed.ts'
import { type HoldingClient, type HoldingKind, listHoldingKinds } from './holding-clients.ts'

const fullClients = 500
const boundBytes = 1e9
/** Longer than a reader who takes nothing is waited for, so that what is left of those who were dropped is seen too. */
const watchSeconds = 40
/** Those who ask wait for their turn: they are counted when nobody was told anything new for so long, or has waited for the longest time. */
const quietSeconds = 15
const longestSeconds = 300

interface HeldRow {
  name: string
  clients: number
  /** Largest resident size of the process that answers: meanwhile, before, and when all were gone. */
  megabytes: number
  before: number
  after: number
  /** Of the worker beside it, meanwhile. */
  worker: number
  /** Of both and of all that they started, at a time, each page counted once (PSS), and how many those were. PostgreSQL is not among them. */
  tree: number
  processes: number
  /** When all had come: the most connections that were open at a time, and what was told. */
  held: number
  statuses: Record<number, number>
  /** Connections that the program had ended at the end of the watch. */
  ended: number
  met: boolean
}

/** Clients that hold on to what they have, five hundred of each kind at a time, each kind at a program that was just started. */
export async function measureHeldMemory(
  place: StartOptions,
  seed: FloodSeed,
  wanted: RegExp,
  scale: number,
): Promise<HeldRow[]> {
  const rows: HeldRow[] = []
  const clients = Math.max(10, Math.round(fullClients * scale))
  for (const kind of listHoldingKinds(seed).filter(({ name }) => wanted.test(`memory, ${name}`))) {
    const program = await startProgram(place)
    const row = await hold(program, kind, clients)
    await program.stop()
    rows.push(row)
    print(row)
  }
  return rows
}

async function hold(program: Program, kind: HoldingKind, clients: number): Promise<HeldRow> {
  const open = await kind.prepare(program)
  const before = await watch(2)
  const opened: HoldingClient[] = []
  const watching = startWatch()
  const watchEnd = performance.now() + watchSeconds * 1000
  for (let index = 0; index < clients; index++) opened.push(await open(index))
  const held = opened.filter(isHeld).length
  await settle(opened, kind.reads)
  const statuses = countStatuses(opened)
  // Whoever is neither held nor told anything has proven nothing; nor have readers of whom none had an answer.
  const isReal =
    opened.every((client) => isHeld(client) || client.status !== undefined) && (!kind.reads || (statuses[200] ?? 0) > 0)
  await sleep(Math.max(0, watchEnd - performance.now()))
  const peak = watching.stop()
  const ended = opened.filter((client) => !isHeld(client)).length
  for (const { socket } of opened) socket.destroy()
  const after = await watch(2)
  return {
    name: kind.name,
    clients,
    megabytes: inMegabytes(peak.api),
    before: inMegabytes(before.api),
    after: inMegabytes(after.api),
    worker: inMegabytes(peak.worker),
    tree: inMegabytes(peak.tree),
    processes: peak.processes,
    held,
    statuses,
    ended,
    met: peak.api > 0 && peak.api < boundBytes && isReal,
  }
}

/** Those who read wait for the first answer in any case. */
async function settle(opened: readonly HoldingClient[], reads: boolean): Promise<void> {
  const end = performance.now() + longestSeconds * 1000
  const countTold = (): number => opened.filter((client) => client.status !== undefined || !isHeld(client)).length
  let [told, since] = [-1, performance.now()]
  while (performance.now() < Math.min(end, since + quietSeconds * 1000)) {
    const count = countTold()
    if (count !== told || (reads && count === 0)) [told, since] = [count, performance.now()]
    await sleep(250)
  }
}

const isHeld = ({ socket }: HoldingClient): boolean => !socket.destroyed && !socket.readableEnded

function countStatuses(opened: readonly HoldingClient[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of opened) if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function print(row: HeldRow): void {
  const { name, clients, megabytes, before, after, worker, tree, processes, held, statuses, ended, met } = row
  const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
  console.log(
    `${met ? 'met ' : 'MISS'} ${name}: ${megabytes} MB with ${clients} clients, ${before} MB before, ${after} MB after (worker ${worker} MB; ${processes} processes ${tree} MB); ` +
      `${held} held (${answers.join(', ') || 'no answers'}), ${ended} ended`,
  )
}

const inMegabytes = (bytes: number): number => Math.round(bytes / 1e6)

async function watch(seconds: number): Promise<Peaks> {
  const watching = startWatch()
  await sleep(seconds * 1000)
  return watching.stop()
}

/** The largest resident bytes of the program's two processes, and of all that they started. */
interface Peaks {
  api: number
  worker: number
  tree: number
  processes: number
}

function startWatch(): { stop(): Peaks } {
  const memory = watchTreeMemory(process.pid)
  return {
    stop() {
      const { peaks, sumBytes, processes } = memory.stop()
      return {
        api: peaks.get('main.ts') ?? 0,
        worker: peaks.get('worker-entry.ts') ?? 0,
        tree: sumBytes,
        processes,
      }
    },
  }
}

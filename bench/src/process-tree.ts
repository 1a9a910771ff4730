import { readdirSync, readFileSync } from 'node:fs'

interface ProcessStat {
  pid: number
  parent: number
  ticks: number
}

const ticksPerSecond = 100

/** CPU seconds of a process, of all below it, and of those that have ended: what a piece of work cost whoever did it. Linux only. */
export function measureTreeSeconds(pid: number): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
  const byParent = Map.groupBy(all, ({ parent }) => parent)
  const sum = (root: number): number =>
    (all.find((stat) => stat.pid === root)?.ticks ?? 0) +
    (byParent.get(root) ?? []).reduce((total, child) => total + sum(child.pid), 0)
  return sum(pid) / ticksPerSecond
}

/** Bytes that a process asked the system for, in whatever way. */
export const measureReadBytes = (pid: number): number =>
  Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)

function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, ...times] = [fields[1], fields[11], fields[12], fields[13], fields[14]]
    return { pid, parent, ticks: times.reduce<number>((total, time) => total + (time ?? 0), 0) }
  } catch {
    return undefined
  }
}

interface ProcessMemory {
  entry: string
  residentBytes: number
  /** Its share of what it has in common with others, so that a sum counts every page once. */
  shareBytes: number
}

/** Of the processes below one that run a file of ours, by that file's name. */
function listTreeMemory(pid: number): ProcessMemory[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
  const byParent = Map.groupBy(all, ({ parent }) => parent)
  const below = (root: number): number[] =>
    (byParent.get(root) ?? []).flatMap((child) => [child.pid, ...below(child.pid)])
  return below(pid).flatMap((child) => {
    try {
      const [entry] = /[\w-]+\.ts(?=\0|$)/.exec(readFileSync(`/proc/${child}/cmdline`, 'utf8')) ?? []
      if (!entry) return []
      const said = readFileSync(`/proc/${child}/smaps_rollup`, 'utf8')
      const read = (name: string): number =>
        1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(said)?.[1] ?? 0)
      return [{ entry, residentBytes: read('Rss'), shareBytes: read('Pss') }]
    } catch {
      return [] // it has ended meanwhile
    }
  })
}

export interface TreeMemory {
  /** The largest resident size of each kind of process, by its entry file. */
  peaks: Map<string, number>
  /** The largest sum over all of them at a time (PSS), and the most of them that ran at a time. */
  sumBytes: number
  processes: number
}

/** Of the processes below one that run a file of ours, four times a second. Linux only. */
export function watchTreeMemory(pid: number): { stop(): TreeMemory } {
  const seen: TreeMemory = { peaks: new Map(), sumBytes: 0, processes: 0 }
  const timer = setInterval(() => {
    const all = listTreeMemory(pid)
    for (const { entry, residentBytes } of all)
      seen.peaks.set(entry, Math.max(seen.peaks.get(entry) ?? 0, residentBytes))
    seen.sumBytes = Math.max(
      seen.sumBytes,
      all.reduce((sum, { shareBytes }) => sum + shareBytes, 0),
    )
    seen.processes = Math.max(seen.processes, all.length)
  }, 250)
  return {
    stop() {
      clearInterval(timer)
      return seen
    },
  }
}

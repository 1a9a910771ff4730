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

/** Resident sizes of the processes below one that run a file of ours, by that file's name. */
function listTreeMemory(pid: number): { entry: string; residentBytes: number }[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
  const byParent = Map.groupBy(all, ({ parent }) => parent)
  const below = (root: number): number[] =>
    (byParent.get(root) ?? []).flatMap((child) => [child.pid, ...below(child.pid)])
  return below(pid).flatMap((child) => {
    try {
      const [entry] = /[\w-]+\.ts(?=\0|$)/.exec(readFileSync(`/proc/${child}/cmdline`, 'utf8')) ?? []
      const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1] ?? 0)
      return entry ? [{ entry, residentBytes: kilobytes * 1024 }] : []
    } catch {
      return [] // it has ended meanwhile
    }
  })
}

/** The largest resident size of each kind of process below one, by its entry file, four times a second. */
export function watchTreeMemory(pid: number): { stop(): Map<string, number> } {
  const peaks = new Map<string, number>()
  const timer = setInterval(() => {
    for (const { entry, residentBytes } of listTreeMemory(pid))
      peaks.set(entry, Math.max(peaks.get(entry) ?? 0, residentBytes))
  }, 250)
  return {
    stop() {
      clearInterval(timer)
      return peaks
    },
  }
}

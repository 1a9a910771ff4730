/** What a process uses, where the system shows it. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The kernel counts in these whatever its own clock is. */
const ticksPerSecond = 100

/**
 * Processor seconds of all its threads since it started. Not by the threads of the file system, which no disk is behind here: with every
 * call of a child they took longer than many calls.
 */
export function readCpuSeconds(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program comes before these in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    return undefined
  }
}

/** Calls `onExcess` once when the process has worked longer than it may; without /proc it never does. */
export function watchCpu(pid: number | undefined, findLimit: () => number, onExcess: () => void): () => void {
  const timer = setInterval(() => {
    const used = readCpuSeconds(pid)
    if (used === undefined || used <= findLimit()) return
    clearInterval(timer)
    onExcess()
  }, 250)
  timer.unref()
  return () => clearInterval(timer)
}

/** Calls `onExcess` once when the resident memory passes the bound; without /proc it never does. */
export function watchMemory(pid: number | undefined, memoryBytes: number, onExcess: () => void): () => void {
  const timer = setInterval(async () => {
    const residentBytes = await findResidentBytes(pid)
    if (residentBytes === undefined || residentBytes <= memoryBytes) return
    clearInterval(timer)
    onExcess()
  }, 250)
  timer.unref()
  return () => clearInterval(timer)
}

async function findResidentBytes(pid: number | undefined): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Node within npm's process group. */
export const findProgramPid = async (group: number): Promise<number> => {
  for (const line of await listProcesses('pid=,pgid=,args=')) {
    const [pid, pgid, ...args] = line.trim().split(/\s+/)
    if (Number(pgid) === group && args[0]?.endsWith('node') && args.includes('server/src/main.ts')) return Number(pid)
  }
  throw new Error(`There is no program in the process group ${group}.`)
}

/** Processes that run PostgreSQL in a data folder, its guard included. */
export const listPostgres = async (dataDir: string): Promise<string[]> =>
  (await listProcesses('pid=,args=')).filter((line) => line.includes(`${dataDir}/`) && line.includes('postgres'))

const listProcesses = async (columns: string): Promise<string[]> =>
  (await run('ps', ['-eo', columns], { maxBuffer: 1 << 24 })).stdout.split('\n')

export async function waitFor(what: string, isSo: () => Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s in vain for ${what}.`)
    await sleep(50)
  }
}

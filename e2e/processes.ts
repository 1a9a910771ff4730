import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Processes that run PostgreSQL in a data folder, its guard included. */
export const listPostgres = async (dataDir: string): Promise<string[]> =>
  (await listProcesses('pid=,args=')).filter((line) => line.includes(`${dataDir}/`) && line.includes('postgres'))

/** Processes of a group, which a program is with all that it starts and does not set apart. */
export const listGroup = async (group: number): Promise<{ pid: number; args: string }[]> =>
  (await listProcesses('pgid=,pid=,args=')).flatMap((line) => {
    const [, pgid, pid, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return Number(pgid) === group ? [{ pid: Number(pid), args }] : []
  })

const listProcesses = async (columns: string): Promise<string[]> =>
  (await run('ps', ['-eo', columns], { maxBuffer: 1 << 24 })).stdout.split('\n')

export async function waitFor(what: string, isSo: () => Promise<boolean>, seconds = 120): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited ${seconds} s in vain for ${what}.`)
    await sleep(50)
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createJobMetrics, type JobMetrics } from '../../src/jobs/metrics.ts'
import type { ChaosWorkerOptions } from './worker.ts'

interface Member {
  child: ChildProcess
  isFrozen: boolean
  metrics: JobMetrics
}

export interface Fleet {
  kill(pick: number): Promise<boolean>
  /** Stops a worker for longer than its lease and lets it go on. False when too many are frozen already. */
  freeze(pick: number, milliseconds: number): boolean
  readMetrics(): JobMetrics
  stop(): Promise<void>
}

const program = join(import.meta.dirname, 'worker.ts')

/** Worker processes that are replaced when they die, so that faults can go on as long as one likes. */
export const startFleet = (size: number, options: ChaosWorkerOptions): Fleet => {
  const members: Member[] = []
  const past: JobMetrics[] = []
  let isStopping = false

  const enlist = (): void => {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const member: Member = { child, isFrozen: false, metrics: createJobMetrics() }
    members.push(member)
    if (child.stdout) {
      createInterface(child.stdout).on('line', (line) => {
        member.metrics = JSON.parse(line)
      })
    }
    child.on('close', () => {
      members.splice(members.indexOf(member), 1)
      past.push(member.metrics)
      if (!isStopping) enlist()
    })
  }
  for (let n = 0; n < size; n += 1) enlist()

  const choose = (pick: number): Member | undefined => {
    const awake = members.filter(({ isFrozen }) => !isFrozen)
    const busy = awake.filter(({ metrics }) => metrics.running > 0)
    const fit = busy.length > 0 ? busy : awake
    return fit[pick % Math.max(1, fit.length)]
  }

  return {
    kill: async (pick) => {
      const member = choose(pick)
      if (!member) return false
      member.child.kill('SIGKILL')
      await once(member.child, 'close')
      return true
    },
    freeze: (pick, milliseconds) => {
      if (members.filter(({ isFrozen }) => isFrozen).length * 2 >= size) return false
      const member = choose(pick)
      if (!member) return false
      member.isFrozen = true
      member.child.kill('SIGSTOP')
      setTimeout(() => {
        member.child.kill('SIGCONT')
        member.isFrozen = false
      }, milliseconds)
      return true
    },
    readMetrics: () => {
      const total = createJobMetrics()
      for (const metrics of [...past, ...members.map((member) => member.metrics)]) {
        for (const name of Object.keys(total) as (keyof JobMetrics)[]) total[name] += metrics[name]
      }
      return total
    },
    stop: async () => {
      isStopping = true
      await Promise.all(
        members.map(async ({ child }) => {
          child.kill('SIGCONT')
          child.kill('SIGTERM')
          await once(child, 'close')
        }),
      )
    },
  }
}

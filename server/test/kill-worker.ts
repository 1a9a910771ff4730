import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TestProgram } from './program.ts'

/** Of workers that are killed: their jobs are taken over at once. */
export const quickLeases = {
  leaseSeconds: 1.5,
  heartbeatSeconds: 0.3,
  sweepSeconds: 0.3,
  backoff: { baseSeconds: 0.1, capSeconds: 0.2 },
}
/** Of workers that are not killed: on a busy machine this process may stand still for a second. */
export const patientLeases = { ...quickLeases, leaseSeconds: 30 }

/** A worker of its own process that takes what waits and is killed when it says that it is in this phase. */
export async function killWorkerIn({ context }: TestProgram, phase: string): Promise<void> {
  const { connection, config } = context
  const trap = { phase, signal: 'SIGKILL' }
  const options = { connection, dataFolder: config.NMP_DATA_DIR, settings: quickLeases, concurrency: 1, trap }
  const entry = join(import.meta.dirname, 'job-worker.ts')
  const child = spawn(process.execPath, [entry, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [, signal] = await once(child, 'exit')
  expect(signal, phase).toBe('SIGKILL')
}

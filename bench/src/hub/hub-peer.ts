import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { BenchRow } from '../row.ts'

const python = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python/lerobot-0.6.1/bin/python')

export const hasHubPeer = (): boolean => existsSync(python)

export const skipHubRow = (name: string): BenchRow => ({
  name,
  ours: '-',
  peer: 'skipped: no lerobot 0.6.1; `.ci/install-python` makes it',
  ratio: 0,
  goal: '-',
  met: false,
})

/** A client process that is asked line by line. */
export async function startHubPeer(words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(python, [join(import.meta.dirname, 'hub_peer.py'), ...words], {
    env: { ...process.env, OMP_NUM_THREADS: '1', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (start: string): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`the client ${words[0]} ended`)
      if (value.startsWith(start)) return value.slice(start.length)
    }
  }
  await next('READY')
  return {
    child,
    async ask(...args: string[]): Promise<{ seconds: number; bytes?: number; episodes?: number }> {
      child.stdin.write(`${args.join(' ')}\n`)
      return JSON.parse(await next('RESULT '))
    },
    async stop() {
      child.stdin.end()
      await waitForEnd(child)
    },
  }
}

export const waitForEnd = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

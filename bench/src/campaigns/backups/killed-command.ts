import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { checkout } from '../../../../e2e/program.ts'

/** An operator command that gets `kill -9` after this long. Whether it was killed before it ended. */
export async function killCommand(words: string[], env: Record<string, string>, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', './require-node-24.mjs', 'server/src/admin/main.ts', ...words], {
    cwd: checkout,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  const [, signal] = await once(child, 'exit')
  clearTimeout(timer)
  return signal === 'SIGKILL'
}

import { execFile } from 'node:child_process'
import { appendFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { docker } from '../../../../../e2e/container.ts'
import { waitFor } from '../../../../../e2e/processes.ts'
import type { Part } from '../machines.ts'

const execute = promisify(execFile)

interface ContainerOptions {
  /** As people call it. */
  title: string
  /** As Docker calls it. */
  name: string
  /** Of `docker run`: options, image, words. Asked for at each start. */
  describe(): string[]
  isReady(): Promise<boolean>
  log: string
}

/** A container, and those that follow it: each start is a new one, and what lasts is in volumes. */
export function createContainerPart({ title, name, describe, isReady, log }: ContainerOptions): Part {
  const inspect = (format: string) => docker('inspect', '--format', format, name)
  return {
    name: title,
    async start() {
      await removeContainer(name, log)
      await docker('run', '--detach', '--name', name, ...describe())
      await waitFor(`${title} to be ready`, async () => {
        const state = await inspect('{{.State.Status}} {{.State.ExitCode}}')
        if (!state.startsWith('running')) {
          await removeContainer(name, log)
          throw new Error(`${title} is ${state}: see ${log}`)
        }
        return isReady().catch(() => false)
      })
    },
    async kill() {
      if ((await inspect('{{.State.Running}}')) === 'true') await docker('kill', name)
    },
    async stop() {
      await docker('stop', '--time', '40', name)
      return Number(await inspect('{{.State.ExitCode}}'))
    },
    pause: async () => void (await docker('pause', name)),
    resume: async () => void (await docker('unpause', name)),
  }
}

/** What it said stays; nothing where there is none. */
export async function removeContainer(name: string, log: string): Promise<void> {
  const said = await execute('docker', ['logs', name], { maxBuffer: 1 << 28 }).catch(() => undefined)
  if (said) await appendFile(log, said.stdout + said.stderr)
  await docker('rm', '--force', '--volumes', name)
}

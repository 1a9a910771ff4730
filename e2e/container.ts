import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPort } from './free-port.ts'

const execute = promisify(execFile)

/** The image that `.ci/containers` has built. */
const image = process.env.NMP_TEST_IMAGE ?? 'nmp'

export const docker = async (...words: string[]): Promise<string> =>
  (await execute('docker', words, { maxBuffer: 1 << 26 })).stdout.trim()

/** A volume and the containers that follow each other on it. */
export interface Container {
  url: string
  start(...options: string[]): Promise<void>
  /** What runs inside, as `docker exec` does. */
  exec(...words: string[]): Promise<string>
  /** `docker stop` with the grace time of deploy/compose.yml, then `docker rm`; the exit code. */
  stopAndRemove(): Promise<number>
  /** A personal access token of the first account. */
  createToken(): Promise<string>
  cleanUp(): Promise<void>
}

export async function createContainer(): Promise<Container> {
  const name = `nmp-test-${randomBytes(4).toString('hex')}`
  const port = await findPort()
  const url = `http://127.0.0.1:${port}`
  const exec = (...words: string[]) => docker('exec', name, ...words)
  const findState = async (): Promise<string> =>
    docker('inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', name)
  return {
    url,
    exec,
    start: async (...options) => {
      const published = ['--publish', `127.0.0.1:${port}:8080`, '--env', `NMP_PUBLIC_URL=${url}`]
      await docker('run', '--detach', '--name', name, '--volume', `${name}:/data`, ...published, ...options, image)
      let state = await findState()
      for (; state === 'running starting'; state = await findState()) await sleep(500)
      if (state !== 'running healthy') throw new Error(`${state}: ${await docker('logs', name)}`)
    },
    stopAndRemove: async () => {
      await docker('stop', '--time', '40', name)
      const code = Number(await docker('inspect', '--format', '{{.State.ExitCode}}', name))
      await docker('rm', name)
      return code
    },
    createToken: async () => {
      const bearer = await exec('node', 'server/src/admin/main.ts', 'session', 'admin@localhost')
      const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write']
      const answer = await fetch(`${url}/api/v1/users/me/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'container', scopes }),
      })
      return ((await answer.json()) as { token: string }).token
    },
    cleanUp: async () => {
      await docker('rm', '--force', '--volumes', name)
      await docker('volume', 'rm', '--force', name)
    },
  }
}

import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { docker } from '../../../../e2e/container.ts'
import { findPort } from '../../../../e2e/free-port.ts'
import { checkout } from '../../../../e2e/program.ts'

const execute = promisify(execFile)

/** deploy/compose.yml as it is, under a name of its own and at a free port. */
export interface ComposeProject {
  url: string
  /** Of `docker compose`. */
  run(...words: string[]): Promise<string>
  /** Everything is up and well, with so many workers. */
  up(workers: number): Promise<void>
  /** Also its volumes; other images called `nmp` are as they were. */
  close(): Promise<void>
}

export async function openCompose(image: string): Promise<ComposeProject> {
  const [program = '', ...before] = await findCompose()
  const port = await findPort()
  const name = `nmp-campaign-${randomBytes(4).toString('hex')}`
  const env = {
    ...process.env,
    NMP_PORT: String(port),
    POSTGRES_PASSWORD: randomBytes(12).toString('hex'),
    S3_SECRET: randomBytes(12).toString('hex'),
    NMP_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  const file = join(checkout, 'deploy/compose.yml')
  const run = async (...words: string[]): Promise<string> => {
    const all = [...before, '--project-name', name, '--file', file, ...words]
    return (await execute(program, all, { env, maxBuffer: 1 << 26 })).stdout.trim()
  }
  // The file builds its image; ours was built with the certificates and the registry of this machine, which the file does not know.
  const former = await docker('image', 'inspect', '--format', '{{.Id}}', 'nmp').catch(() => undefined)
  await docker('tag', image, 'nmp')
  return {
    url: `http://localhost:${port}`,
    run,
    up: async (workers) => void (await run('up', '--detach', '--no-build', '--wait', '--scale', `worker=${workers}`)),
    async close() {
      await run('down', '--volumes', '--timeout', '40')
      await (former ? docker('tag', former, 'nmp') : docker('rmi', 'nmp'))
    },
  }
}

/** What Docker has, or `.ci/compose` builds. */
async function findCompose(): Promise<string[]> {
  const isThere = await docker('compose', 'version').then(
    () => true,
    () => false,
  )
  if (isThere) return ['docker', 'compose']
  const said = execFileSync(join(checkout, '.ci/compose'), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return [said.trim().split('\n').at(-1) ?? '']
}

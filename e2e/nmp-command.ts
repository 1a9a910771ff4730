import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type CommandResult, checkout, makeFolder } from './program.ts'

const execute = promisify(execFile)

/** The command as another machine has it: packed by npm, unpacked elsewhere, run by whatever Node is on the PATH. */
export interface NmpCommand {
  home: string
  /** The file that Node runs. */
  path: string
  environment: Record<string, string>
  run(words: string[], options?: { env?: Record<string, string>; input?: string }): Promise<CommandResult>
  /** The same, for what must succeed; answers what it printed. */
  mustRun(...words: string[]): Promise<string>
  /** What `--json` printed. */
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
  json(...words: string[]): Promise<any>
  start(words: string[], env?: Record<string, string>): ChildProcess
}

let packed: Promise<string> | undefined

export async function installCommand(env: Record<string, string> = {}): Promise<NmpCommand> {
  packed ??= pack()
  const path = await packed
  const home = await makeFolder()
  const environment = { ...plainEnvironment(), HOME: home, NO_COLOR: '1', ...env }
  const start = (words: string[], more: Record<string, string> = {}): ChildProcess =>
    spawn('node', [path, ...words], { env: { ...environment, ...more }, stdio: ['pipe', 'pipe', 'pipe'] })
  const run: NmpCommand['run'] = (words, options = {}) =>
    new Promise((resolve, reject) => {
      const child = start(words, options.env)
      const said = { stdout: '', stderr: '' }
      child.stdout?.on('data', (chunk) => {
        said.stdout += chunk
      })
      child.stderr?.on('data', (chunk) => {
        said.stderr += chunk
      })
      // A command that ends before it has read everything is the test's business, not a fault.
      child.stdin?.on('error', () => {})
      child.stdin?.end(options.input ?? '')
      child.on('error', reject)
      child.on('close', (code) => resolve({ code: code ?? -1, ...said }))
    })
  const mustRun = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(words)
    if (code !== 0) throw new Error(`nmp ${words.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return stdout.trim()
  }
  return {
    home,
    path,
    environment,
    run,
    mustRun,
    json: async (...words) => JSON.parse(await mustRun(...words, '--json')),
    start,
  }
}

async function pack(): Promise<string> {
  const folder = await makeFolder()
  await execute('npm', ['pack', '--pack-destination', folder], { cwd: join(checkout, 'cli') })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  await mkdir(join(folder, 'unpacked'))
  await execute('tar', ['-xzf', join(folder, tarball), '-C', join(folder, 'unpacked')])
  return join(folder, 'unpacked', 'package', 'dist', 'nmp.mjs')
}

/** Nothing of ours: no settings, and a PATH without this checkout's Node. */
export const plainEnvironment = (): Record<string, string> => {
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  return { PATH: path.join(':'), TMPDIR: process.env.TMPDIR ?? '/tmp' }
}

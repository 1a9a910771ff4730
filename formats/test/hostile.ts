/** Runs hostile code in a process of a given sandbox, in a world with something to steal. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startProcess } from '../src/containers/child/process.ts'
import type { ProcessBounds, Sandbox } from '../src/containers/child/sandbox.ts'

export interface Scene {
  dataFolder: string
  secret: string
  otherFolder: string
  /** Of the process itself. */
  ownFolder: string
  /** As a file of a stored source is laid out: read only. */
  sourceFile: string
  codeFolder: string
  port: number
  socketPath: string
  startsChildren: boolean
  /** It runs without a sandbox. */
  isFree: boolean
}

export interface Report {
  /** By what was tried: `done`, or why not. */
  outcome: Record<string, string>
  own: { environment: string[]; source: string }
}

const hostileEntry = new URL('./hostile-entry.ts', import.meta.url)
const bounds: ProcessBounds = { memoryBytes: 1024 ** 3, fileBytes: 1024 ** 2, cpuSeconds: 60, openFiles: 512 }

export class HostileWorld implements AsyncDisposable {
  readonly scene: Scene
  readonly #servers: Server[]

  private constructor(scene: Scene, servers: Server[]) {
    this.scene = scene
    this.#servers = servers
  }

  static async open(): Promise<HostileWorld> {
    const dataFolder = await realpath(await mkdtemp(join(tmpdir(), 'nmp-hostile-')))
    const [ownFolder, otherFolder] = [join(dataFolder, 'work', 'imp_1'), join(dataFolder, 'work', 'imp_2')]
    for (const folder of [ownFolder, otherFolder]) await mkdir(folder, { recursive: true })
    const scene = {
      dataFolder,
      ownFolder,
      otherFolder,
      secret: join(dataFolder, 'secret.key'),
      sourceFile: join(ownFolder, 'source.h5'),
      codeFolder: join(fileURLToPath(new URL('../../', import.meta.url)), 'node_modules', '.cache'),
      socketPath: join(dataFolder, 'socket'),
      port: 0,
      startsChildren: false,
      isFree: false,
    }
    await mkdir(scene.codeFolder, { recursive: true })
    await writeFile(scene.secret, 'the key of everything', { mode: 0o600 })
    await writeFile(join(otherFolder, 'frames.parquet'), "somebody else's")
    await writeFile(scene.sourceFile, 'rows')
    await chmod(scene.sourceFile, 0o444)
    const [byPort, byPath] = [createServer(), createServer()]
    byPort.listen(0, '127.0.0.1')
    byPath.listen(scene.socketPath)
    await Promise.all([once(byPort, 'listening'), once(byPath, 'listening')])
    const address = byPort.address()
    const port = typeof address === 'object' && address ? address.port : 0
    return new HostileWorld({ ...scene, port }, [byPort, byPath])
  }

  /** In the sandbox, started as the program starts its processes. */
  async attack(sandbox: Sandbox, hasChannel = false): Promise<Report> {
    const scene: Scene = { ...this.scene, startsChildren: sandbox.startsChildren ?? false }
    const args = [JSON.stringify(scene)]
    const before = await this.#look()
    const report = await listen(startProcess(hostileEntry, bounds, sandbox, { args, hasChannel }), hasChannel)
    const after = await this.#look()
    if (after !== before) throw new Error(`The secret or the source was changed: ${before} became ${after}.`)
    return report
  }

  /** The same code without a sandbox: what is refused above must work here, or it proves nothing. */
  attackFreely(): Promise<Report> {
    const scene: Scene = { ...this.scene, isFree: true }
    return listen(spawn(process.execPath, [fileURLToPath(hostileEntry), JSON.stringify(scene)], { cwd: '/' }), false)
  }

  async #look(): Promise<string> {
    const files = [this.scene.secret, this.scene.sourceFile].map(async (path) => {
      const { mode, mtimeMs } = await stat(path)
      return `${await readFile(path, 'utf8')} ${mode.toString(8)} ${mtimeMs}`
    })
    return (await Promise.all(files)).join('; ')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close()
    await rm(join(this.scene.codeFolder, 'planted'), { force: true })
    await rm(this.scene.dataFolder, { recursive: true, force: true })
  }
}

async function listen(child: ChildProcess, hasChannel: boolean): Promise<Report> {
  const complaint = child.stderr ? text(child.stderr) : Promise.resolve('')
  const said = hasChannel ? once(child, 'message').then(([report]) => report as Report) : undefined
  const printed = child.stdout ? text(child.stdout) : Promise.resolve('')
  child.stdin?.end()
  const [exitCode, signal] = await once(child, 'close')
  if (exitCode !== 0) throw new Error(`It ended with ${exitCode ?? signal}: ${await complaint}`)
  return (await said) ?? JSON.parse(await printed)
}

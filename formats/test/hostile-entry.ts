/**
 * What a file that has taken over its parser would try. `hostile-entry.ts SCENE`, a `Scene` in JSON: says how each try ended, on the
 * channel or on stdout. Calls that Node has no function for are made by koffi, as machine code would.
 */
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { connect, type NetConnectOpts } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Scene } from './hostile.ts'

const scene: Scene = JSON.parse(process.argv[2] ?? '{}')
const parent = process.ppid
const koffi = createRequire(import.meta.url)('koffi')
const libc = koffi.load(null)
const number = (x64: number, arm64: number): number => (process.arch === 'x64' ? x64 : arm64)
const syscall = libc.func('syscall', 'long', ['long', 'long', 'long', 'long', 'long', 'long'])
const open = libc.func('syscall', 'long', ['long', 'int', 'const char *', 'int', 'int', 'int'])
const execute = libc.func('syscall', 'long', ['long', 'const char *', 'const char **', 'const char **', 'uint64'])

function call(x64: number, arm64: number, ...args: number[]): void {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = args
  requireDone(syscall(number(x64, arm64), a, b, c, d, e))
}

function requireDone(result: number): void {
  if (result >= 0) return
  const code = Object.entries(koffi.os.errno).find(([, value]) => value === koffi.errno())?.[0]
  throw Object.assign(new Error(code), { code })
}

async function reach(options: NetConnectOpts): Promise<void> {
  const socket = connect(options)
  await once(socket, 'connect')
  socket.destroy()
}

function run(program: string, ...words: string[]): string {
  const { error, stdout, stderr, status } = spawnSync(program, words, { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(stderr.slice(-300))
  return stdout
}

const readElsewhere = `try { require('fs').readFileSync(${JSON.stringify(scene.secret)}); console.log('read') } catch (e) { console.log(e.code) }`

const tries: Record<string, () => unknown> = {
  'read the secret key': () => fs.readFileSync(scene.secret),
  'list the data folder': () => fs.readdirSync(scene.dataFolder),
  "read another job's file": () => fs.readFileSync(join(scene.otherFolder, 'frames.parquet')),
  "write to another job's folder": () => fs.writeFileSync(join(scene.otherFolder, 'planted'), ''),
  'take a secret along by a link': () => fs.linkSync(scene.secret, join(scene.ownFolder, 'taken')),
  'point out of the own folder': () => fs.symlinkSync(scene.secret, join(scene.ownFolder, 'pointer')),
  'read the accounts of the machine': () => fs.readFileSync('/etc/passwd'),
  'write to the cache of compiled code': () => fs.writeFileSync(join(scene.codeFolder, 'planted'), ''),
  'open the file of the source for writing': () =>
    requireDone(open(number(257, 56), -100, scene.sourceFile, fs.constants.O_RDWR, 0, 0)),
  'truncate the file of the source': () => fs.truncateSync(scene.sourceFile, 1),
  'change the mode of the source': () => fs.chmodSync(scene.sourceFile, 0o666),
  'change the mode of the secret': () => fs.chmodSync(scene.secret, 0o666),
  'change the times of the secret': () => fs.utimesSync(scene.secret, 0, 0),
  "read the parent's environment": () => fs.readFileSync(`/proc/${parent}/environ`),
  "read the parent's memory": () => fs.openSync(`/proc/${parent}/mem`, 'r'),
  "list the parent's files": () => fs.readdirSync(`/proc/${parent}/fd`),
  'trace the parent': () => call(101, 117, 0x4206, parent),
  "copy the parent's memory": () => call(310, 270, parent, 0, 0, 0, 0),
  'take a file of the parent': () => call(434, 434, parent, 0),
  'signal the parent': () => process.kill(parent, 0),
  "signal the parent's thread": () => call(234, 131, parent, parent, 0),
  'limit the parent': () => call(302, 261, parent, 7, 0, 0),
  'slow the parent down': () => setPriority(parent, getPriority()),
  'leave its group': () => call(109, 154, 0, 0),
  'reach a port': () => reach({ port: scene.port, host: '127.0.0.1' }),
  'reach a socket': () => reach({ path: scene.socketPath }),
  'send a datagram': async () => {
    const socket = createSocket('udp4')
    const sent = Promise.withResolvers<void>()
    socket.once('error', sent.reject)
    socket.send('x', scene.port, '127.0.0.1', (error) => (error ? sent.reject(error) : sent.resolve()))
    await sent.promise.finally(() => socket.close())
  },
  'make a pair of sockets that can be redirected': () => libcPair(2),
  'hand calls to the kernel in a ring': () => call(425, 425, 8, 0),
  'open a namespace': () => call(272, 97, 0x10000000),
  'use shared memory': () => call(29, 194, 0, 4096, 0o1600),
  'make a program for the kernel': () => call(321, 280, 0, 0, 0),
  'run a shell': () => run('/bin/sh', '-c', 'echo run'),
  'open files without end': () => {
    const opened: number[] = []
    try {
      while (opened.length < 2_000) opened.push(fs.openSync('/dev/null', 'r'))
    } finally {
      for (const descriptor of opened) fs.closeSync(descriptor)
    }
  },
  ...(scene.startsChildren
    ? {
        'read the secret key by a child': () => {
          if (run(process.execPath, '-e', readElsewhere).trim() !== 'read') throw new Error('refused')
        },
      }
    : {
        'start Node': () => run(process.execPath, '-e', '0'),
        fork: () => {
          const child = syscall(number(57, 220), 0, 0, 0, 0, 0)
          if (child === 0) call(231, 94, 0)
          requireDone(child)
        },
      }),
  // Where it works there is nobody left to tell.
  ...(scene.isFree || scene.startsChildren
    ? {}
    : {
        'execute without the word': () =>
          requireDone(execute(number(59, 221), process.execPath, [process.execPath, '-v', null], [null], 0x1234n)),
      }),
}

function libcPair(kind: number): void {
  const pair = new Int32Array(2)
  requireDone(libc.func('socketpair', 'int', ['int', 'int', 'int', 'void *'])(1, kind, 0, pair))
}

const outcome: Record<string, string> = {}
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt()
    outcome[name] = 'done'
  } catch (error) {
    outcome[name] = String((error as NodeJS.ErrnoException).code ?? (error as Error).message)
  }
}
const readSource = (): string => {
  try {
    return fs.readFileSync(scene.sourceFile, 'utf8')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
const own = { environment: Object.keys(process.env).sort(), source: readSource() }
if (process.send) process.send({ outcome, own })
else fs.writeSync(1, JSON.stringify({ outcome, own }))

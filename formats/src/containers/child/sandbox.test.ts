import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testWhere } from '../../../../fixtures/test-where.ts'
import { HostileWorld } from '../../../test/hostile.ts'
import { sandboxOfCodec } from '../codec/codec.ts'
import { sandboxOfHdf5 } from '../hdf5/hdf5.ts'
import { sandboxOfTables } from '../parquet/table-child.ts'
import { sandboxOfPictures } from '../pictures/decoding-child.ts'
import { probeSandbox } from './probe.ts'
import { startProcess } from './process.ts'
import { wrapInLimits } from './sandbox.ts'
import { buildSyscallFilter } from './syscall-filter.ts'

const isWhole = (await probeSandbox()).length === 0
const greedyEntry = new URL('../../../test/greedy-entry.ts', import.meta.url)
const bounds = { memoryBytes: 1024 ** 3, fileBytes: 1024 ** 2, cpuSeconds: 60, openFiles: 256 }

let world: HostileWorld
beforeAll(async () => {
  world = await HostileWorld.open()
})
afterAll(() => world[Symbol.asyncDispose]())

const listDone = (outcome: Record<string, string>): string[] =>
  Object.keys(outcome).filter((name) => outcome[name] === 'done')

testWhere(process.platform === 'linux')('without a sandbox the hostile code gets what it wants', async () => {
  await using own = await HostileWorld.open()
  const { outcome } = await own.attackFreely()
  expect(listDone(outcome)).toEqual(
    expect.arrayContaining([
      'read the secret key',
      "read another job's file",
      "read the parent's environment",
      'point out of the own folder',
      'signal the parent',
      'reach a port',
      'reach a socket',
      'send a datagram',
      'run a shell',
      'start Node',
      'fork',
      'open files without end',
    ]),
  )
})

testWhere(isWhole)('hostile code in the process that reads HDF5 gets nothing', async () => {
  const { outcome, own } = await world.attack(sandboxOfHdf5(world.scene.sourceFile))
  expect(listDone(outcome)).toEqual([])
  expect(own).toMatchObject({ source: 'rows' })
  expect(own.environment.filter((name) => !name.startsWith('NODE_'))).toEqual([])
})

testWhere(isWhole)('hostile code in a process of the codecs gets nothing', async () => {
  const { outcome } = await world.attack(sandboxOfCodec(world.scene.ownFolder))
  expect(listDone(outcome)).toEqual([])
})

testWhere(isWhole)('hostile code in the process that reads Parquet for API and worker gets nothing', async () => {
  const { outcome, own } = await world.attack(sandboxOfTables(world.scene.sourceFile))
  expect(listDone(outcome)).toEqual([])
  expect(own).toMatchObject({ source: 'rows' })
})

testWhere(isWhole)('hostile code in the process that decodes pictures for API and worker gets nothing', async () => {
  const { outcome, own } = await world.attack(sandboxOfPictures)
  expect(listDone(outcome)).toEqual([])
  expect(own.source).toBe('EACCES')
})

async function beGreedy(what: string, given: Partial<typeof bounds> = {}): Promise<{ said: string; ended: unknown[] }> {
  const { ownFolder } = world.scene
  const child = startProcess(
    greedyEntry,
    { ...bounds, ...given },
    { reads: [], writes: [ownFolder] },
    { args: [what, ownFolder] },
  )
  const said = child.stdout ? text(child.stdout) : ''
  child.stderr?.resume()
  child.stdin?.end()
  const ended = await once(child, 'close')
  return { said: await said, ended }
}

testWhere(isWhole)('a file grows to its bound and no further', async () => {
  await beGreedy('write')
  expect((await stat(join(world.scene.ownFolder, 'large'))).size).toBe(bounds.fileBytes)
})

testWhere(isWhole)('no more files are open than the bound', async () => {
  const { said } = await beGreedy('open')
  expect(said).toMatch(/^EMFILE after \d+$/)
  expect(Number(/\d+$/.exec(said)?.[0])).toBeLessThan(bounds.openFiles)
})

testWhere(isWhole)('the kernel ends what works longer than its processor seconds', async () => {
  const { ended } = await beGreedy('spin', { cpuSeconds: 1 })
  expect(ended).toEqual([null, 'SIGKILL'])
})

test('where there is no launcher, a shell sets the limits that it knows', () => {
  const [program = '', ...words] = wrapInLimits(bounds, ['/bin/sh', '-c', 'ulimit -t; ulimit -n; ulimit -c'])
  expect(spawnSync(program, words, { encoding: 'utf8' }).stdout.split('\n').slice(0, 3)).toEqual(['60', '256', '0'])
})

test('the filter knows both machines, and no other', () => {
  for (const machine of ['x64', 'arm64']) expect(buildSyscallFilter(false, machine)?.length).toBeGreaterThan(800)
  expect(buildSyscallFilter(false, 'riscv64')).toBeUndefined()
})

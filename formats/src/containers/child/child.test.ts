import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hasProc, testWhere } from '../../../../fixtures/test-where.ts'
import { type Child, type ChildLimits, openInChild } from './child.ts'

const entry = new URL('../../../test/child-entry.ts', import.meta.url)
const sandbox = { reads: [], writes: [] }

function open(limits: Partial<ChildLimits> = {}, signal?: AbortSignal): Child {
  return openInChild({ entry, subject: 'wrist.h5', unreadableCode: 'container_invalid', sandbox, limits, signal })
}

test('the child has no environment but what Node itself adds', async () => {
  await using child = open()
  const { environment, ...rest } = (await child.request('describe', {})).head as { environment: object }
  expect(Object.keys(environment).filter((name) => !name.startsWith('NODE_'))).toEqual([])
  expect(rest).toMatchObject({ folder: '/', arguments: 2 })
})

test('messages go both ways in order, and the child serves the next call', async () => {
  await using child = open()
  for (const count of [3, 40]) {
    const input = async function* () {
      for (let index = 0; index < count; index++) yield { head: index, body: new Uint8Array(200_000) }
    }
    const answers = child.call('echo', { answers: count }, input())
    const heads: unknown[] = []
    let step = await answers.next()
    for (; !step.done; step = await answers.next()) {
      expect(step.value.body?.every((byte) => byte === step.value.head)).toBe(true)
      heads.push(step.value.head)
    }
    expect(heads).toEqual(Array.from({ length: count }, (_, index) => index))
    expect(step.value.head).toEqual({ received: count * 200_000 })
  }
})

test('an answer lies in the memory that is given for it, and in its own where there is none', async () => {
  await using child = open()
  const memory = new Uint8Array(100_010).fill(255)
  const given = memory.subarray(5, 100_005)
  const answers = child.call('echo', { answers: 4 }, undefined, () => (given[0] === 2 ? undefined : given))
  for (let head = 0; head < 4; head++) {
    const { body } = (await answers.next()).value
    expect(body === given).toBe(head < 3)
    expect(body).toEqual(new Uint8Array(100_000).fill(head))
  }
  expect([...memory.subarray(0, 5), ...memory.subarray(-5)]).toEqual(Array(10).fill(255))
})

test('a child that goes on talking after its answers is closed all the same', async () => {
  const child = open()
  expect((await child.request('chatter', {})).head).toBe('said')
  await child.close()
  expect(child.isAlive).toBe(false)
})

test('a refusal keeps its code and the child', async () => {
  await using child = open()
  await expect(child.request('refuse', {})).rejects.toMatchObject({ code: 'limit_exceeded' })
  await expect(child.request('stumble', {})).rejects.toMatchObject({
    code: 'container_invalid',
    message: 'wrist.h5 cannot be read: unexpected byte.',
  })
  expect((await child.request('echo', { answers: 1 })).head).toEqual({ received: 0 })
})

test.each([
  ['crash', 'source_file_crashes_parser'],
  ['leave', 'source_file_crashes_parser'],
  ['hang', 'parser_deadline'],
  ['eat', 'parser_memory'],
  ['babble', 'source_file_crashes_parser'],
])('a child that would %s ends as %s', async (name, code) => {
  await using child = open({ idleSeconds: name === 'hang' ? 2 : 60, memoryBytes: 400 * 1024 ** 2 })
  await expect(child.request(name, {})).rejects.toMatchObject({ code })
  expect(child.isAlive).toBe(false)
})

test('the whole call has a deadline too', async () => {
  await using child = open({ deadlineSeconds: 1.5, idleSeconds: 60 })
  await expect(child.request('hang', {})).rejects.toMatchObject({ code: 'parser_deadline' })
})

testWhere(hasProc)('a call has as much processor time as its bytes are worth', async () => {
  await using child = open({ effort: { baseSeconds: 0, secondsPerMegabyte: 1 } })
  const bytes = async function* () {
    yield { head: null, body: new Uint8Array(500_000) }
  }
  await expect(child.call('hang', {}, bytes()).next()).rejects.toMatchObject({
    code: 'parser_cpu',
    message: 'Reading wrist.h5 took more than the 1 processor seconds that 500000 bytes are given; it was stopped.',
  })
})

test('waiting for the caller is not a lack of progress', async () => {
  await using child = open({ idleSeconds: 1 })
  const slow = async function* () {
    await new Promise((resolve) => setTimeout(resolve, 2500))
    yield { head: null, body: new Uint8Array(5) }
  }
  const answers = child.call('echo', { answers: 0 }, slow())
  expect((await answers.next()).value?.head).toEqual({ received: 5 })
})

test('an abort kills the process and throws its reason', async () => {
  const controller = new AbortController()
  await using child = open({}, controller.signal)
  setTimeout(() => controller.abort(new Error('no longer wanted')), 300)
  await expect(child.request('hang', {})).rejects.toThrow('no longer wanted')
})

test('an error of the input is the error of the call', async () => {
  await using child = open()
  const broken = async function* () {
    yield { head: null, body: new Uint8Array(5) }
    throw new Error('the disk is gone')
  }
  await expect(child.call('echo', { answers: 0 }, broken()).next()).rejects.toThrow('the disk is gone')
})

testWhere(hasProc)(
  'no thread of a child has a privilege, can gain one, or is without a filter of its calls',
  async () => {
    await using child = open()
    const { pid } = (await child.request('describe', {})).head as { pid: number }
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
    expect(threads.length).toBeGreaterThan(1)
    for (const status of threads) {
      expect(status).toContain('NoNewPrivs:\t1')
      expect(status).toContain('Seccomp:\t2')
      expect(status).toMatch(/^CapPrm:\t0+$/m)
    }
  },
)

testWhere(hasProc)('a child that hangs does not outlive a parent that was killed', async () => {
  const program = `
    import { openInChild } from ${JSON.stringify(new URL('./child.ts', import.meta.url).href)}
    const child = openInChild({ entry: new URL(${JSON.stringify(entry.href)}), subject: 'x', unreadableCode: 'container_invalid', sandbox: { reads: [], writes: [] } })
    console.log((await child.request('describe', {})).head.pid)
    await child.request('hang', {})`
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isRunning(pid)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/status`, 'utf8').includes('Z (zombie)')
  } catch {
    return false
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServiceError } from '../errors.ts'
import { describeLargeObject } from './large-object.contract.ts'
import { describeSignedUrls } from './signed-url.contract.ts'
import { minPartSizeBytes, type ObjectStorage, type StorageConfig } from './storage.ts'

/** An open backend over an empty store, and what another process needs to open it too. */
export interface StorageHarness {
  storage: ObjectStorage
  config: StorageConfig
  close(): Promise<void>
}

export const oddKeys = [
  'odd/plain',
  'odd/Plain',
  'odd/with space and trailing ',
  'odd/ü ñ 日本語 🤖',
  'odd/e\u0301 and \u00e9',
  'odd/per%cent%2Fcent',
  'odd/plus+and&amp;=;,$@:',
  'odd/?query#fragment',
  'odd/"quotes" \'single\' `back`',
  'odd/back\\slash',
  'odd/-rf',
  'odd/.hidden',
  'odd/dots...',
  'odd/<tag>&lt;',
  'odd/[b]{c}|^~*!()',
  'odd/$(id)',
  `odd/${'long'.repeat(60)}`,
  `odd/deep/${'d/'.repeat(40)}x`,
]

export const bytesOf = (text: string): Readable => Readable.from([Buffer.from(text)])
export const readText = async (storage: ObjectStorage, key: string, range?: { start: number; end: number }) =>
  (await buffer((await storage.getObject(key, range ? { range } : {})).body)).toString()
export const hashBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
export const hashObject = async (storage: ObjectStorage, key: string): Promise<string> =>
  hashBytes(await buffer((await storage.getObject(key)).body))
export const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: ServiceError) => error.code ?? String(error),
  )
const listKeys = async (storage: ObjectStorage, prefix: string): Promise<string[]> => {
  const keys: string[] = []
  for await (const head of storage.listObjects(prefix)) keys.push(head.key)
  return keys.sort()
}

/** What every backend promises, through its own door and through the URLs it signs. */
export const describeStorage = (
  name: string,
  open: () => Promise<StorageHarness>,
  { largeObjectBytes }: { largeObjectBytes: number },
): void => {
  describe(name, () => {
    let harness: StorageHarness
    let storage: ObjectStorage
    beforeAll(async () => {
      harness = await open()
      storage = harness.storage
    })
    afterAll(() => harness?.close())

    test('what was put is what is got, with its size and sha256', async () => {
      const content = randomBytes(300_000)
      const written = await storage.putObject('put/a', Readable.from([content.subarray(0, 7), content.subarray(7)]))
      expect(written.sizeBytes).toBe(300_000)
      expect(written.sha256).toBe(hashBytes(content))
      const { head, body } = await storage.getObject('put/a')
      expect((await buffer(body)).equals(content)).toBe(true)
      expect(head).toEqual(await storage.findObject('put/a'))
      expect(head).toMatchObject({ key: 'put/a', sizeBytes: 300_000, etag: written.etag })
      expect(head.etag).toMatch(/^"[^"]+"$/)
      expect(Math.abs(head.lastModified.getTime() - Date.now())).toBeLessThan(60_000)
    })

    test('an empty object is an object', async () => {
      expect(await storage.putObject('put/empty', Readable.from([]))).toMatchObject({ sizeBytes: 0 })
      expect(await readText(storage, 'put/empty')).toBe('')
      expect(await storage.findObject('put/empty')).toMatchObject({ sizeBytes: 0 })
    })

    test('a put replaces, and refuses to when told so', async () => {
      const first = await storage.putObject('put/twice', bytesOf('first'))
      const second = await storage.putObject('put/twice', bytesOf('second'))
      expect(second.etag).not.toBe(first.etag)
      expect(await refusal(storage.putObject('put/twice', bytesOf('third'), { ifAbsent: true }))).toBe('object_exists')
      expect(await readText(storage, 'put/twice')).toBe('second')
    })

    test('of many writers who ask for an absent key one wins, and readers see one whole object', async () => {
      const writers = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000))
      const put = (text: string) => storage.putObject('put/race', bytesOf(text), { ifAbsent: true }).then(() => text)
      const outcomes = await Promise.allSettled(writers.map(put))
      const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(winners).toHaveLength(1)
      expect(await readText(storage, 'put/race')).toBe(winners[0])
    })

    test('what is not there', async () => {
      expect(await storage.findObject('none/x')).toBeUndefined()
      expect(await refusal(storage.getObject('none/x'))).toBe('not_found')
      expect(await refusal(storage.copyObject('none/x', 'none/y'))).toBe('not_found')
      expect(await listKeys(storage, 'none/')).toEqual([])
      await storage.deleteObject('none/x')
      await storage.putObject('none/parent/child', bytesOf('x'))
      expect(await storage.findObject('none/parent')).toBeUndefined()
      expect(await refusal(storage.getObject('none/parent'))).toBe('not_found')
    })

    test('a range is cut at the end and refused past it', async () => {
      await storage.putObject('range/x', bytesOf('0123456789'))
      expect(await readText(storage, 'range/x', { start: 0, end: 1 })).toBe('0')
      expect(await readText(storage, 'range/x', { start: 4, end: 7 })).toBe('456')
      expect(await readText(storage, 'range/x', { start: 8, end: 9_000_000_000 })).toBe('89')
      const { head, body } = await storage.getObject('range/x', { range: { start: 4, end: 7 } })
      expect(head.sizeBytes).toBe(10)
      body.destroy()
      expect(await refusal(storage.getObject('range/x', { range: { start: 10, end: 11 } }))).toBe(
        'range_not_satisfiable',
      )
    })

    test('keys with odd characters stay apart and come back from a listing', async () => {
      for (const key of oddKeys) await storage.putObject(key, bytesOf(key))
      expect(await listKeys(storage, 'odd/')).toEqual([...oddKeys].sort())
      for (const key of oddKeys) {
        expect(await readText(storage, key)).toBe(key)
        await storage.copyObject(key, `copied/${key}`)
        expect(await readText(storage, `copied/${key}`)).toBe(key)
        await storage.deleteObject(key)
      }
      expect(await listKeys(storage, 'odd/')).toEqual([])
      expect(await listKeys(storage, 'copied/')).toHaveLength(oddKeys.length)
    })

    test.each([
      '',
      '/a',
      'a/',
      'a//b',
      'a/./b',
      '../a',
      'a/..',
      'a\0b',
      'a\nb',
      '\ud800',
      'x'.repeat(256),
      `${'y/'.repeat(600)}z`,
    ])('the key %.40j is refused everywhere', async (key) => {
      expect(await refusal(Promise.resolve().then(() => storage.putObject(key, bytesOf('x'))))).toBe('internal_error')
      expect(await refusal(Promise.resolve().then(() => storage.getObject(key)))).toBe('internal_error')
      expect(await refusal(Promise.resolve().then(() => storage.findObject(key)))).toBe('internal_error')
      expect(await refusal(Promise.resolve().then(() => storage.deleteObject(key)))).toBe('internal_error')
      expect(await refusal(Promise.resolve().then(() => storage.signGet(key, { expiresInSeconds: 60 })))).toBe(
        'internal_error',
      )
    })

    test('a listing has more than one page and ends at a component', async () => {
      const keys = Array.from({ length: 1_050 }, (_, index) => `pages/${index % 10}/${index}`)
      for (let start = 0; start < keys.length; start += 25) {
        await Promise.all(keys.slice(start, start + 25).map((key) => storage.putObject(key, bytesOf(key))))
      }
      await storage.putObject('pages-not/x', bytesOf('x'))
      expect(await listKeys(storage, 'pages/')).toEqual([...keys].sort())
      expect(await listKeys(storage, 'pages/3/')).toHaveLength(105)
      expect(await refusal(Promise.resolve().then(() => listKeys(storage, 'pages')))).toBe('internal_error')
    })

    test('a copy is an object of its own', async () => {
      await storage.putObject('copy/a', bytesOf('one'))
      await storage.copyObject('copy/a', 'copy/b')
      await storage.putObject('copy/a', bytesOf('two'))
      expect(await readText(storage, 'copy/b')).toBe('one')
      await storage.copyObject('copy/a', 'copy/b')
      await storage.copyObject('copy/a', 'copy/b')
      await storage.deleteObject('copy/a')
      expect(await readText(storage, 'copy/b')).toBe('two')
    })

    test('a source that fails or is stopped leaves nothing, and an old object stays as it was', async () => {
      async function* failing() {
        yield randomBytes(40 * 1024 * 1024)
        throw new Error('the source broke')
      }
      await storage.putObject('fail/old', bytesOf('old'))
      expect(await refusal(storage.putObject('fail/old', failing()))).toContain('the source broke')
      expect(await refusal(storage.putObject('fail/new', failing()))).toContain('the source broke')
      const stop = () => ({ signal: AbortSignal.timeout(50) })
      await expect(storage.putObject('fail/stopped', generateSlowly(), stop())).rejects.toThrow('aborted')
      await expect(storage.putObject('fail/stopped', new Readable({ read() {} }), stop())).rejects.toThrow('aborted')
      expect(await listKeys(storage, 'fail/')).toEqual(['fail/old'])
      expect(await readText(storage, 'fail/old')).toBe('old')
      expect(await storage.sweepUnfinished(new Date(Date.now() + 60_000))).toBe(0)
    })

    test('parts join in order; a failed, wrong or missing part is sent again', async () => {
      const [one, two, three] = [randomBytes(minPartSizeBytes), randomBytes(minPartSizeBytes), randomBytes(1000)]
      const upload = await storage.beginMultipart('multi/x', minPartSizeBytes)
      const sentThree = await storage.putPart(upload, 3, three)
      const sentOne = await storage.putPart(upload, 1, one)
      expect(await refusal(storage.putPart(upload, 2, Buffer.alloc(minPartSizeBytes + 1)))).toBe('conflict')
      expect(await refusal(storage.completeMultipart(upload, [sentOne, sentThree]))).toBe('conflict')
      const wrongTwo = await storage.putPart(upload, 2, randomBytes(minPartSizeBytes))
      const sentTwo = await storage.putPart(upload, 2, two)
      expect(await refusal(storage.completeMultipart(upload, [sentOne, wrongTwo, sentThree]))).toBe('conflict')
      expect(await storage.findObject('multi/x')).toBeUndefined()
      const head = await storage.completeMultipart(upload, [sentOne, sentTwo, sentThree])
      expect(head).toEqual(await storage.findObject('multi/x'))
      expect(await hashObject(storage, 'multi/x')).toBe(hashBytes(Buffer.concat([one, two, three])))
      expect(await refusal(storage.putPart(upload, 1, Buffer.from('late')))).toBe('not_found')
    })

    test('an aborted upload is gone', async () => {
      const upload = await storage.beginMultipart('multi/aborted', minPartSizeBytes)
      const part = await storage.putPart(upload, 1, Buffer.from('x'))
      await storage.abortMultipart(upload)
      await storage.abortMultipart(upload)
      expect(await refusal(storage.completeMultipart(upload, [part]))).toBe('not_found')
      expect(await listKeys(storage, 'multi/')).not.toContain('multi/aborted')
      expect(await storage.sweepUnfinished(new Date(Date.now() + 60_000))).toBe(0)
    })

    const startWriter = async (mode: string, prefix: string): Promise<ChildProcess> => {
      const script = fileURLToPath(new URL('./storage.contract-writer.ts', import.meta.url))
      const writer = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
      writer.stdin.end(JSON.stringify({ config: harness.config, mode, prefix }))
      await once(writer.stdout, 'data')
      return writer
    }
    const killWriter = async (writer: ChildProcess): Promise<void> => {
      writer.kill('SIGKILL')
      await once(writer, 'exit')
    }

    test('a writer killed in the middle leaves nothing visible, and the sweep takes the rest', async () => {
      await killWriter(await startWriter('endless', 'killed/'))
      expect(await storage.findObject('killed/endless')).toBeUndefined()
      expect(await listKeys(storage, 'killed/')).toEqual([])
      expect(await storage.sweepUnfinished(new Date(Date.now() - 3600_000))).toBe(0)
      expect(await storage.sweepUnfinished(new Date(Date.now() + 60_000))).toBe(1)
      await storage.putObject('killed/endless', bytesOf('the next attempt'))
      expect(await readText(storage, 'killed/endless')).toBe('the next attempt')
    })

    test('writers killed at any moment leave whole objects only', async () => {
      for (let round = 0; round < 5; round++) {
        const prefix = `killed-often/${round}/`
        const writer = await startWriter('many', prefix)
        await sleep(100 + Math.random() * 500)
        await killWriter(writer)
        for await (const { key, sizeBytes } of storage.listObjects(prefix)) {
          expect(sizeBytes).toBe(20 * 1024 * 1024)
          const number = Number(key.slice(prefix.length))
          expect(await hashObject(storage, key)).toBe(hashBytes(Buffer.alloc(sizeBytes, number)))
        }
      }
      await storage.sweepUnfinished(new Date(Date.now() + 60_000))
    })

    test('any sequence of operations does what a map would', async () => {
      const key = fc.constantFrom('model/a', 'model/b', 'model/c/d')
      const step = fc.oneof(
        fc.record({ kind: fc.constant('put' as const), key, text: fc.string(), ifAbsent: fc.boolean() }),
        fc.record({ kind: fc.constant('copy' as const), key, target: key }),
        fc.record({ kind: fc.constant('delete' as const), key }),
      )
      const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const model = new Map<string, string>()
        for (const each of ['model/a', 'model/b', 'model/c/d']) await storage.deleteObject(each)
        for (const each of steps) await applyStep(storage, model, each)
        expect(await listKeys(storage, 'model/')).toEqual([...model.keys()].sort())
        for (const [each, text] of model) expect(await readText(storage, each)).toBe(text)
      })
      await fc.assert(property, { numRuns: 25 })
    })

    describeSignedUrls(() => storage)
    describeLargeObject(() => storage, largeObjectBytes)
  })
}

type Step =
  | { kind: 'put'; key: string; text: string; ifAbsent: boolean }
  | { kind: 'copy'; key: string; target: string }
  | { kind: 'delete'; key: string }

const applyStep = async (storage: ObjectStorage, model: Map<string, string>, step: Step): Promise<void> => {
  const before = model.get(step.key)
  if (step.kind === 'put') {
    const isRefused = step.ifAbsent && before !== undefined
    const outcome = await refusal(storage.putObject(step.key, bytesOf(step.text), { ifAbsent: step.ifAbsent }))
    expect(outcome).toBe(isRefused ? 'object_exists' : 'accepted')
    if (!isRefused) model.set(step.key, Buffer.from(step.text).toString())
  } else if (step.kind === 'copy') {
    if (step.key === step.target) return // S3 refuses a copy onto itself
    expect(await refusal(storage.copyObject(step.key, step.target))).toBe(
      before === undefined ? 'not_found' : 'accepted',
    )
    if (before !== undefined) model.set(step.target, before)
  } else {
    await storage.deleteObject(step.key)
    model.delete(step.key)
  }
}

async function* generateSlowly(): AsyncGenerator<Buffer> {
  for (;;) {
    await sleep(5)
    yield Buffer.alloc(1000)
  }
}

import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { makeShard, makeShardOf, storeChunk } from '../../../test/xet-push.ts'

/** The store of a push as hf_xet speaks to it, by hand. */
let program: TestProgram
let token: string
let cas: { casUrl: string; accessToken: string }

// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
type Json = any

beforeAll(async () => {
  program = await startProgram()
  token = await program.makeToken(await program.addUser('ada@example.org'), ['workspace:read', 'imports:write'])
  const body = JSON.stringify({ name: 'by-xet', organization: 'ada', type: 'dataset' })
  await ask('/api/repos/create', { method: 'POST', body })
  cas = (await (await ask('/api/datasets/ada/by-xet/xet-write-token/main')).json()) as typeof cas
})
afterAll(() => program?.close())

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${program.url}/hf${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })

const commit = async (line: object): Promise<Json> =>
  (await ask('/api/datasets/ada/by-xet/commit/main', { method: 'POST', body: JSON.stringify(line) })).json()

const send = async (path: string, bytes: Buffer, bearer = cas.accessToken) => {
  const answer = await fetch(cas.casUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}` },
    body: new Uint8Array(bytes),
  })
  return { status: answer.status, body: (await answer.json()) as Json }
}

test('a file is put together from chunks, checked, and can be committed', async () => {
  const raw = randomBytes(100_000)
  const [xorb, sha256] = [randomBytes(32).toString('hex'), createHash('sha256').update(raw).digest('hex')]
  expect((await send(`/v1/xorbs/default/${xorb}`, storeChunk(raw))).body).toEqual({ was_inserted: true })
  expect((await send('/v1/shards', makeShard(xorb, sha256, raw.length))).body).toEqual({ result: 1 })
  const line = { key: 'lfsFile', value: { path: 'data/x.bin', algo: 'sha256', oid: sha256, size: raw.length } }
  expect((await commit(line)).success).toBe(true)
  const read = await ask('/datasets/ada/by-xet/resolve/main/data/x.bin')
  expect(Buffer.from(await read.arrayBuffer()).equals(raw)).toBe(true)
})

test('damaged xorbs and shards, and references to what was not sent, are refused', async () => {
  const raw = randomBytes(1000)
  const [xorb, sha256] = [randomBytes(32).toString('hex'), createHash('sha256').update(raw).digest('hex')]
  const path = `/v1/xorbs/default/${xorb}`
  const chunk = storeChunk(raw)
  expect((await send(path, chunk.subarray(0, 500))).status).toBe(400)
  expect((await send(path, Buffer.from('hello'))).status).toBe(400)
  expect((await send('/v1/shards', makeShard(xorb, sha256, raw.length))).status).toBe(400)
  expect((await send(path, chunk)).status).toBe(200)
  const other = createHash('sha256').update('other').digest('hex')
  const wrong = await send('/v1/shards', makeShard(xorb, other, raw.length))
  expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('do not match')])
  expect((await send('/v1/shards', makeShard(xorb, sha256, raw.length, 2))).status).toBe(400)
  expect((await send('/v1/shards', makeShard(xorb, sha256, raw.length).subarray(0, 100))).status).toBe(400)
  expect((await send(path, chunk, 'nonsense')).status).toBe(401)
  expect((await send(path, chunk, `1${cas.accessToken}`)).status).toBeGreaterThanOrEqual(401)
})

test('a xorb that turns out to be damaged leaves nothing, and its sender is told why after the last byte', async () => {
  const pushId = cas.casUrl.split('/').at(-1) ?? 'none'
  const countObjects = async (): Promise<number> =>
    (await Array.fromAsync(program.context.storage.listObjects(''))).filter(({ key }) => key.includes(pushId)).length
  const before = await countObjects()
  expect(before).toBeGreaterThan(0)
  const path = `/v1/xorbs/default/${randomBytes(32).toString('hex')}`
  const chunks = Array.from({ length: 160 }, () => storeChunk(randomBytes(128 * 1024)))
  const whole = Buffer.concat(chunks)
  const damaged = Buffer.from(whole)
  damaged.writeUInt8(9, (chunks[0]?.length ?? 0) + 4)
  const refused = await send(path, damaged)
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('of an unknown kind')])
  const cut = await send(path, whole.subarray(0, whole.length - 1))
  expect([cut.status, cut.body.error]).toEqual([400, expect.stringContaining('runs past its end')])
  const large = await send(path, Buffer.alloc(67 * 1024 * 1024))
  expect([large.status, large.body.error]).toEqual([413, expect.stringContaining('at most')])
  expect(await countObjects()).toBe(before)
  expect((await send(path, whole)).body).toEqual({ was_inserted: true })
  expect((await send(path, whole)).body).toEqual({ was_inserted: false })
})

test('a few kilobytes that are named again and again are no gigabytes', async () => {
  const raw = Buffer.alloc(128 * 1024, 7)
  const xorb = randomBytes(32).toString('hex')
  expect((await send(`/v1/xorbs/default/${xorb}`, storeChunk(raw))).status).toBe(200)
  const terms = Array.from({ length: 3000 }, () => ({ xorb, rawBytes: raw.length, firstChunk: 0, endChunk: 1 }))
  const bomb = await send('/v1/shards', makeShardOf(randomBytes(32).toString('hex'), terms))
  expect([bomb.status, bomb.body.error]).toEqual([413, expect.stringContaining('more than 100 times as many')])
})

test('a shard that names what was never sent is refused at the first of it, however much it names', async () => {
  const name = () => ({ xorb: randomBytes(32).toString('hex'), rawBytes: 2 ** 31, firstChunk: 0, endChunk: 1 })
  const terms = Array.from({ length: 2000 }, name)
  const refused = await send('/v1/shards', makeShardOf(randomBytes(32).toString('hex'), terms))
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('was not uploaded')])
})

test('a shard has its xorbs read a few times, not for every chunk of them', async () => {
  const chunk = storeChunk(Buffer.of(7))
  const whole = Buffer.concat(Array.from({ length: 8192 }, () => chunk))
  const hashes = Array.from({ length: 33 }, () => randomBytes(32).toString('hex'))
  for (const hash of hashes) expect((await send(`/v1/xorbs/default/${hash}`, whole)).status).toBe(200)
  const terms = Array.from({ length: 5 }, () =>
    hashes.map((xorb) => ({ xorb, rawBytes: 1, firstChunk: 0, endChunk: 1 })),
  ).flat()
  const sha256 = createHash('sha256').update(Buffer.alloc(terms.length, 7)).digest('hex')
  const refused = await send('/v1/shards', makeShardOf(sha256, terms))
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('back and forth')])
})

test('xorbs that arrive side by side, more than are received at once, make one file of ranges of each', async () => {
  const raws = Array.from({ length: 12 }, () => [randomBytes(70_000), randomBytes(128 * 1024), randomBytes(90_000)])
  const hashes = raws.map(() => randomBytes(32).toString('hex'))
  const answers = await Promise.all(
    raws.map((parts, index) => send(`/v1/xorbs/default/${hashes[index]}`, Buffer.concat(parts.map(storeChunk)))),
  )
  expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ was_inserted: true })))
  // The last two chunks of each.
  const file = Buffer.concat(raws.flatMap((parts) => parts.slice(1)))
  const sha256 = createHash('sha256').update(file).digest('hex')
  const terms = hashes.map((xorb) => ({ xorb, rawBytes: 128 * 1024 + 90_000, firstChunk: 1, endChunk: 3 }))
  expect((await send('/v1/shards', makeShardOf(sha256, terms))).body).toEqual({ result: 1 })
  const line = { key: 'lfsFile', value: { path: 'data/y.bin', algo: 'sha256', oid: sha256, size: file.length } }
  expect((await commit(line)).success).toBe(true)
  const read = await ask('/datasets/ada/by-xet/resolve/main/data/y.bin')
  expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true)
})

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { createApp } from '../app.ts'
import { inTransaction } from '../db/database.ts'
import type { User } from '../identity/users/service.ts'
import { requestCancel } from '../jobs/statements/cancel-job.ts'
import { createJob } from '../jobs/statements/create-job.ts'
import { openBlob } from '../storage/blobs.ts'
import { s3Settings, testS3Endpoint } from '../storage/s3/s3-server.contract.ts'
import { claimUploads, deleteExpiredUploads, listImportUploads } from './service.ts'

const MiB = 1024 * 1024

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const metadataOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',')

/** The folder, or the S3 of `.ci/s3`, which runs this file again. */
const stores = testS3Endpoint ? { S3: s3Settings(testS3Endpoint) } : { 'the folder': {} }

describe.each(Object.entries(stores))('uploads to %s', (_name, env) => {
  let program: TestProgram
  let other: { url: string; close(): Promise<void> }
  let anna: User
  let bearer: string

  beforeAll(async () => {
    program = await startProgram({
      NMP_MAX_UPLOAD_BYTES: String(64 * MiB),
      NMP_ORG_QUOTA_BYTES: String(100 * MiB),
      // What a person has in all is the subject of organizations/person-limits.test.ts.
      NMP_PERSON_QUOTA_BYTES: '0',
      ...env,
    })
    other = await startBeside(program)
    anna = await program.addUser('anna@example.com')
    bearer = await program.makeToken(anna, ['imports:write'])
  })
  afterAll(async () => {
    await other.close()
    await program.close()
  })

  const begin = async (bytes: number | string, metadata: Record<string, string>, as = bearer) => {
    const answer = await program.call('POST', '/api/v1/uploads', {
      bearer: as,
      headers: { 'tus-resumable': '1.0.0', 'upload-length': String(bytes), 'upload-metadata': metadataOf(metadata) },
    })
    const location = answer.headers.get('location') ?? ''
    return { ...answer, id: location.split('/').at(-1) ?? '', path: new URL(location || 'http://none/').pathname }
  }
  const offsetOf = async (path: string) => {
    const answer = await fetch(program.url + path, { method: 'HEAD', headers: headersAt(0) })
    return { status: answer.status, offset: Number(answer.headers.get('upload-offset')) }
  }
  const headersAt = (offset: number) => ({
    authorization: `Bearer ${bearer}`,
    'tus-resumable': '1.0.0',
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
  })
  const patch = async (
    path: string,
    offset: number,
    bytes: Buffer<ArrayBuffer>,
    { url = program.url, headers = {} } = {},
  ) => {
    const init = { method: 'PATCH', headers: { ...headersAt(offset), ...headers }, body: bytes }
    const response = await fetch(url + path, init)
    const text = await response.text()
    return {
      status: response.status,
      offset: Number(response.headers.get('upload-offset')),
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  /** Sends bytes and never ends: the caller cuts the connection, or leaves it hanging. */
  const beginPatch = (path: string, offset: number, bytes: Uint8Array, url = program.url) => {
    const request = httpRequest(url + path, { method: 'PATCH', headers: headersAt(offset) })
    request.on('error', () => undefined)
    request.write(bytes)
    return request
  }
  const readContent = async (id: string) => {
    const { body } = await openBlob(program.context.db, program.context.storage, { kind: 'upload', id }, 'content')
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  test('a file in one request, with its sha256', async () => {
    const bytes = randomBytes(20 * MiB + 17)
    const { status, path, id } = await begin(bytes.length, {
      filename: 'run 1/episode_0.hdf5',
      sha256: sha256Of(bytes),
      org_slug: 'anna',
      project_slug: 'default',
    })
    expect(status).toBe(201)
    expect(await patch(path, 0, bytes)).toMatchObject({ status: 204, offset: bytes.length })
    expect(await offsetOf(path)).toEqual({ status: 200, offset: bytes.length })
    expect(sha256Of(await readContent(id))).toBe(sha256Of(bytes))
    // What the service holds can be compared without fetching it.
    const { headers } = await fetch(program.url + path, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' },
    })
    expect(headers.get('upload-checksum')).toBe(`sha256 ${Buffer.from(sha256Of(bytes), 'hex').toString('base64')}`)
  })

  test('small pieces through two processes in turn, and an empty file', async () => {
    const bytes = randomBytes(17 * MiB + 3)
    const { path, id } = await begin(bytes.length, { filename: 'a.bin', sha256: sha256Of(bytes) })
    const step = 3 * MiB + 1
    for (let offset = 0, turn = 0; offset < bytes.length; offset += step, turn += 1) {
      const piece = bytes.subarray(offset, offset + step)
      const answer = await patch(path, offset, piece, { url: turn % 2 ? other.url : program.url })
      expect(answer).toMatchObject({ status: 204, offset: offset + piece.length })
    }
    expect(sha256Of(await readContent(id))).toBe(sha256Of(bytes))

    const whole = await fetch(`${program.url}/api/v1/uploads`, {
      method: 'POST',
      headers: { ...headersAt(0), 'upload-length': '5', 'upload-metadata': metadataOf({ filename: 'hello.txt' }) },
      body: 'hello',
    })
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '5'])
    expect((await readContent(whole.headers.get('location')?.split('/').at(-1) ?? '')).toString()).toBe('hello')

    const empty = await begin(0, { filename: 'empty.txt' })
    expect(empty.status).toBe(201)
    expect(await readContent(empty.id)).toHaveLength(0)
  })

  test('goes on where a cut connection left it', async () => {
    const bytes = randomBytes(19 * MiB)
    const { path, id } = await begin(bytes.length, { filename: 'b.bin', sha256: sha256Of(bytes) })
    const cut = beginPatch(path, 0, bytes.subarray(0, 11 * MiB))
    await waitFor(async () => (await readOffset(program, id)) >= 8 * MiB)
    cut.destroy()
    const { offset } = await offsetOf(path)
    expect(offset).toBeGreaterThanOrEqual(8 * MiB)
    expect(await patch(path, offset - 1, bytes.subarray(offset - 1))).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    expect(await patch(path, offset, bytes.subarray(offset))).toMatchObject({ status: 204 })
    expect(sha256Of(await readContent(id))).toBe(sha256Of(bytes))
  })

  test('a request that hangs gives way to one through another process, and changes nothing afterwards', async () => {
    const bytes = randomBytes(18 * MiB)
    const { path, id } = await begin(bytes.length, { filename: 'c.bin', sha256: sha256Of(bytes) })
    const hanging = beginPatch(path, 0, bytes.subarray(0, 9 * MiB))
    await waitFor(async () => (await readOffset(program, id)) >= 8 * MiB)
    const asked = await fetch(other.url + path, { method: 'HEAD', headers: headersAt(0) })
    const offset = Number(asked.headers.get('upload-offset'))
    expect(offset).toBeGreaterThanOrEqual(8 * MiB)
    hanging.write(randomBytes(9 * MiB)) // a client gone wrong: other bytes, too late
    expect(await patch(path, offset, bytes.subarray(offset), { url: other.url })).toMatchObject({ status: 204 })
    hanging.destroy()
    expect(sha256Of(await readContent(id))).toBe(sha256Of(bytes))
  })

  test('two requests at once: the content is right whoever wins', async () => {
    const bytes = randomBytes(17 * MiB)
    const { path, id } = await begin(bytes.length, { filename: 'd.bin' })
    const answers = await Promise.all([
      patch(path, 0, bytes).catch(() => undefined),
      patch(path, 0, bytes, { url: other.url }).catch(() => undefined),
    ])
    for (const answer of answers) if (answer) expect([204, 400, 409, 423]).toContain(answer.status)
    const { offset } = await offsetOf(path)
    if (offset < bytes.length) expect((await patch(path, offset, bytes.subarray(offset))).status).toBe(204)
    expect(sha256Of(await readContent(id))).toBe(sha256Of(bytes))
  })

  test('wrong bytes are refused: by piece, and as a whole', async () => {
    const bytes = randomBytes(2 * MiB)
    const { path } = await begin(bytes.length, { filename: 'e.bin', sha256: sha256Of(bytes) })
    const checksum = createHash('sha1').update(bytes.subarray(0, MiB)).digest('base64')
    const headers = { 'upload-checksum': `sha1 ${checksum}` }
    expect(await patch(path, 0, randomBytes(MiB), { headers })).toMatchObject({
      status: 460,
      body: { code: 'checksum_mismatch' },
    })
    expect(await offsetOf(path)).toEqual({ status: 200, offset: 0 })
    expect(await patch(path, 0, bytes.subarray(0, MiB), { headers })).toMatchObject({ status: 204, offset: MiB })

    const damaged = await patch(path, MiB, randomBytes(MiB))
    expect(damaged).toMatchObject({ status: 460, body: { code: 'checksum_mismatch' } })
    expect(damaged.body.detail).toContain('e.bin arrived with the sha256')
    expect((await offsetOf(path)).status).toBe(404)
  })

  test('what cannot be is refused before a byte is sent', async () => {
    const refusal = async (bytes: number | string, metadata: Record<string, string>, as = bearer) => {
      const { status, body } = await begin(bytes, metadata, as)
      return [status, body.code ?? body.detail[0].msg]
    }
    for (const filename of ['../a', '/a', 'a//b', 'a/./b', 'a\\b', '', 'a\0b', 'x'.repeat(2000)])
      expect(await refusal(1, { filename })).toEqual([422, expect.stringContaining('relative path')])
    expect(await refusal(1, { name: 'a' })).toEqual([422, expect.stringContaining('`filename`')])
    expect(await refusal(1, { filename: 'a', sha256: 'abc' })).toEqual([422, expect.stringContaining('64')])
    expect(await refusal(64 * MiB + 1, { filename: 'a' })).toEqual([413, 'upload_too_large'])
    expect(await refusal(-1, { filename: 'a' })).toEqual([400, 'malformed_request'])
    expect(await refusal('9223372036854775808', { filename: 'a' })).toEqual([400, 'malformed_request'])
    expect(await refusal(1, { filename: 'a', org_slug: 'nobody' })).toEqual([404, 'not_found'])
    expect(await refusal(1, { filename: 'a' }, '')).toEqual([401, 'unauthenticated'])
    const reader = await program.makeToken(anna, ['workspace:read'])
    expect(await refusal(1, { filename: 'a' }, reader)).toEqual([403, 'insufficient_scope'])
    const plain = await program.call('POST', '/api/v1/uploads', { bearer })
    expect([plain.status, plain.body.code]).toEqual([412, 'tus_version_unsupported'])
    const older = await program.call('POST', '/api/v1/uploads', { bearer, headers: { 'tus-resumable': '0.2.2' } })
    expect([older.status, older.body.code]).toEqual([412, 'tus_version_unsupported'])
  })

  test('more bytes than announced are refused, also when the request does not say how many come', async () => {
    const { path } = await begin(10 * MiB, { filename: 'k' })
    expect(await patch(path, 0, randomBytes(10 * MiB + 1))).toMatchObject({
      status: 413,
      body: { code: 'upload_too_large' },
    })
    const sending = beginPatch(path, 0, randomBytes(10 * MiB))
    const [response] = (await once(sending.end(randomBytes(MiB)), 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(413)
    expect((await offsetOf(path)).offset).toBeLessThanOrEqual(10 * MiB)
  })

  test("the organization's quota counts what is stored and what is announced", async () => {
    const bob = await program.makeToken(await program.addUser('bob@example.com'), ['imports:write'])
    const place = { filename: 'f', org_slug: 'bob' }
    expect((await begin(60 * MiB, place, bob)).status).toBe(201)
    const answer = await begin(60 * MiB, place, bob)
    expect([answer.status, answer.body.code]).toEqual([413, 'quota_exceeded'])
    expect(answer.body.detail).toContain(`${40 * MiB} of ${100 * MiB} bytes left`)
    expect((await begin(40 * MiB, place, bob)).status).toBe(201)
  })

  test("another person's upload is not there", async () => {
    const { path, id } = await begin(3, { filename: 'g' })
    const eve = await program.addUser(`eve-${id.slice(-6)}@example.com`)
    const stranger = await program.makeToken(eve, ['imports:write'])
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const headers = { ...headersAt(0), authorization: `Bearer ${stranger}` }
      const response = await fetch(program.url + path, { method, headers })
      expect([method, response.status]).toEqual([method, 404])
    }
    expect((await patch(path, 0, Buffer.from('abc'))).status).toBe(204)
    const { db } = program.context
    const claim = (user: User, ids: string[], importId: string) =>
      inTransaction(db, (trx) => claimUploads(trx, sessionOf(user), ids, importId))
    await expect(claim(eve, [id], 'imp_1')).rejects.toThrow('body.upload_ids.0')
    const unfinished = await begin(3, { filename: 'folder/h' })
    await expect(claim(anna, [id, unfinished.id], 'imp_1')).rejects.toThrow('body.upload_ids.1')
    await patch(unfinished.path, 0, Buffer.from('xyz'))
    await claim(anna, [unfinished.id, id], 'imp_1')
    expect(await listImportUploads(db, 'imp_1')).toMatchObject([
      { path: 'folder/h', sizeBytes: 3, sha256: sha256Of(Buffer.from('xyz')) },
      { path: 'g', sizeBytes: 3 },
    ])

    const remove = (of: string) => program.call('DELETE', of, { bearer, headers: { 'tus-resumable': '1.0.0' } })
    const org = await db.selectFrom('organizations').where('slug', '=', 'anna').select('id').executeTakeFirstOrThrow()
    await createJob(db, { id: 'imp_1', orgId: org.id, kind: 'nothing' })
    expect((await remove(path)).body.code).toBe('conflict')
    await requestCancel(db, 'imp_1')
    expect((await remove(path)).status).toBe(204)
  })

  test('is deleted by its owner, and by its age', async () => {
    const { path, id } = await begin(9 * MiB, { filename: 'i' })
    await patch(path, 0, randomBytes(8.5 * MiB))
    const deleted = await program.call('DELETE', path, { bearer, headers: { 'tus-resumable': '1.0.0' } })
    expect(deleted.status).toBe(204)
    expect((await offsetOf(path)).status).toBe(404)

    const old = await begin(3, { filename: 'j' })
    await patch(old.path, 0, Buffer.from('abc'))
    const { db } = program.context
    await db
      .updateTable('uploads')
      .set({ last_byte_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('id', '=', old.id)
      .execute()
    expect(await deleteExpiredUploads(program.context)).toBe(1)
    expect((await offsetOf(old.path)).status).toBe(404)
    await expect(readContent(old.id)).rejects.toThrow('nothing here')
    const left = await program.context.db.selectFrom('upload_parts').where('upload_id', '=', id).selectAll().execute()
    expect(left).toEqual([])
  })

  test('says what it can', async () => {
    const { status, headers } = await program.call('OPTIONS', '/api/v1/uploads')
    expect(status).toBe(204)
    expect(headers.get('tus-extension')).toBe('creation,creation-with-upload,termination,checksum,expiration')
    expect(headers.get('tus-max-size')).toBe(String(64 * MiB))
    expect(headers.get('tus-checksum-algorithm')).toContain('sha1')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

/** A second API process, as far as uploads can tell: same database and store, nothing shared in memory. */
async function startBeside({ context }: TestProgram) {
  const { config, log, db, connection, publicUrl } = context
  const app = await createApp({ config, log, db, connection, publicUrl })
  const server = createServer(app.handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await app.close()
    },
  }
}

const readOffset = async ({ context }: TestProgram, id: string): Promise<number> =>
  (await context.db.selectFrom('uploads').where('id', '=', id).select('offset_bytes').executeTakeFirst())
    ?.offset_bytes ?? -1

async function waitFor(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await check()); tries += 1) {
    if (tries > 200) throw new Error('waited in vain')
    await sleep(50)
  }
}

const sessionOf = (user: User) =>
  ({
    kind: 'session',
    userId: user.id,
    email: user.email,
    hasSecondProof: false,
    sessionId: '',
    expiresAt: new Date(),
  }) as const

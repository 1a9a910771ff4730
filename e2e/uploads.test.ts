import { createHash, randomBytes } from 'node:crypto'
import { glob, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { isLongRun } from '../fixtures/test-where.ts'
import { cleanUp, makeFolder, type Program, startProgram } from './program.ts'

const MiB = 1024 * 1024
const kills = isLongRun ? 3 : 1

afterAll(cleanUp)

test(`an upload goes on after kill -9 of the program, ${kills} times, and its sha256 is right`, async () => {
  const dataDir = await makeFolder()
  const env = { NMP_PUBLIC_URL: 'http://nmp.test' }
  let program = await startProgram({ dataDir, env })
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
  const tus = { authorization: `Bearer ${bearer}`, 'tus-resumable': '1.0.0' }
  const bytes = randomBytes((16 * kills + 16) * MiB)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const metadata = Object.entries({ filename: 'long.hdf5', sha256 })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',')
  const created = await program.call('POST', '/api/v1/uploads', {
    headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata },
  })
  expect(created.status).toBe(201)
  const { pathname } = new URL(created.headers.get('location') ?? '')
  const offsets: number[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const offset = await readOffset(program, pathname, tus)
    offsets.push(offset)
    const sending = request(program.url + pathname, {
      method: 'PATCH',
      headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    })
    sending.on('error', () => undefined)
    // Enough for two parts of 8 MiB and a bit of the next.
    sending.write(bytes.subarray(offset, offset + 18 * MiB))
    await expect.poll(() => countStored(dataDir)).toBeGreaterThanOrEqual(offset + 16 * MiB)
    // They are written down by one statement after that; to ask would end the request.
    await sleep(1_500)
    await program.kill()
    program = await startProgram({ dataDir, env })
  }
  const offset = await readOffset(program, pathname, tus)
  process.stdout.write(`kill -9: ${kills}; offsets after each: ${[...offsets.slice(1), offset].join(', ')}\n`)
  expect(offset).toBeGreaterThanOrEqual(8 * MiB)
  expect(offset % (8 * MiB)).toBe(0)
  const last = await fetch(program.url + pathname, {
    method: 'PATCH',
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: bytes.subarray(offset),
  })
  expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(bytes.length)])
  expect(await program.mustAdmin('check', '--deep', '--second-look', '1')).toContain('contents: 1 checked, 0 wrong')
  expect(await program.stop()).toBe(0)
}, 300_000)

/** The bytes of the parts that are on the disk. */
async function countStored(dataDir: string): Promise<number> {
  let largest = 0
  for await (const path of glob('**/data', { cwd: join(dataDir, 'objects/uploads') }))
    largest = Math.max(largest, (await stat(join(dataDir, 'objects/uploads', path))).size)
  return largest
}

async function readOffset(program: Program, path: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(program.url + path, { method: 'HEAD', headers })
  expect(answer.status).toBe(200)
  return Number(answer.headers.get('upload-offset'))
}

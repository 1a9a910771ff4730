import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileBody } from './file-body.ts'
import { createPieceBuffers } from './piece-buffers.ts'
import { planTar, readTar, sendTar, type Tar, type TarSource } from './tar.ts'

const buffers = createPieceBuffers()

/** As a local folder gives files, and as S3 does. */
const sources: Record<string, TarSource> = {
  'files of a folder': {
    getObject: async (path, { range, signal }) => ({
      body: new FileBody(await open(path), range ?? { start: 0, end: 0 }, { buffers, signal }),
    }),
  },
  'plain streams': {
    getObject: async (path, { range }) => ({
      body: createReadStream(path, range && { start: range.start, end: range.end - 1 }),
    }),
  },
}
let folder: string
let tar: Tar
let whole: Buffer
let server: Server
let url: string

const warnings: Error[] = []
const warn = (warning: Error) => void warnings.push(warning)

beforeAll(async () => {
  process.on('warning', warn)
  folder = await mkdtemp(join(tmpdir(), 'nmp-tar-'))
  const files = await Promise.all(
    Array.from({ length: 150 }, async (_, index) => {
      const content = Buffer.alloc(index % 10 === 9 ? 700_000 + index : (index * 37) % 1500, `${index} `)
      const storeKey = join(folder, String(index))
      await writeFile(storeKey, content)
      return { path: `set/${index}.bin`, sizeBytes: content.length, storeKey }
    }),
  )
  tar = planTar(files)
  const source = sources['plain streams'] as TarSource
  whole = Buffer.concat(await Array.fromAsync(readTar(source, tar, { start: 0, end: tar.sizeBytes })))
  server = createServer(async (request, response) => {
    const [name = '', start, end] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split(',')
    await sendTar(response, sources[name] as TarSource, tar, { start: Number(start), end: Number(end) })
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  process.off('warning', warn)
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test.each(Object.keys(sources))('of %s is sent as it is read, whole and any part of it', async (name) => {
  expect(whole.length).toBe(tar.sizeBytes)
  const places = [0, 1, 511, 512, 513, 5_000, 700_000, 1_400_003, tar.sizeBytes - 1025, tar.sizeBytes - 1]
  for (const start of places)
    for (const end of [start + 1, start + 3_000, start + 900_000, tar.sizeBytes]) {
      const part = whole.subarray(start, end)
      const answer = await fetch(`${url}/${encodeURIComponent(`${name},${start},${start + part.length}`)}`)
      expect(digest(Buffer.from(await answer.arrayBuffer())), `${start} to ${end}`).toBe(digest(part))
    }
  expect(warnings, 'no listeners heap up').toEqual([])
})

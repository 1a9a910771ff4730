import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeTarFile, endTar, fillTarFile, planTar, readTar } from '../storage/serving/tar.ts'
import { openPackThread } from './pack-thread.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-pack-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('the checksum of the thread is that of the tar that is streamed', async () => {
  const files = await Promise.all(
    [0, 1, 512, 3_000_001].map(async (sizeBytes, place) => {
      const storeKey = join(folder, `file-${place}`)
      await writeFile(storeKey, Buffer.alloc(sizeBytes, place + 1))
      return { path: `videos/é/file-${place}`, sizeBytes, storeKey }
    }),
  )
  const plan = planTar(files)
  const source = { getObject: async (path: string) => ({ body: createReadStream(path) }) }
  const streamed = Buffer.concat(await Array.fromAsync(readTar(source, plan, { start: 0, end: plan.sizeBytes })))

  const thread = openPackThread()
  let fillBytes = 0
  for (const { path: name, sizeBytes, storeKey } of files) {
    const head = Buffer.concat([fillTarFile(fillBytes), describeTarFile(name, sizeBytes)])
    thread.add({ head, path: storeKey, sizeBytes })
    fillBytes = sizeBytes
  }
  const packed = await thread.finish(Buffer.concat([fillTarFile(fillBytes), endTar()]))
  await thread.close()
  expect(packed).toEqual({
    sha256: createHash('sha256').update(streamed).digest('hex'),
    sizeBytes: streamed.byteLength,
  })
})

test('a file that is not as long as announced is an error; closing twice ends', async () => {
  const path = join(folder, 'short')
  await writeFile(path, 'abc')
  const thread = openPackThread()
  thread.add({ head: describeTarFile('short', 4), path, sizeBytes: 4 })
  await expect(thread.finish(endTar())).rejects.toThrow('a file of 4 bytes had 3 when it was packed')
  await thread.close()
  await thread.close()
})

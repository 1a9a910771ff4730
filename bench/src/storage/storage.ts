import { execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openStorage } from '../../../server/src/storage/open-storage.ts'
import type { StorageConfig } from '../../../server/src/storage/storage.ts'
import type { BenchRow } from '../row.ts'

const run = promisify(execFile)
const gb = 1e9
const rounds = 3

/** Objects in a local folder against the tools that do the same by hand. */
export const benchStorage = async (): Promise<BenchRow[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-bench-storage-'))
  try {
    const source = join(folder, 'source')
    await writeRandomFile(source, gb)
    return [await benchPutAndGet(folder, source), await benchDownload(folder, source)]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const benchPutAndGet = async (folder: string, source: string): Promise<BenchRow> => {
  const storage = await openStorage({ ...configOf(folder, 'put'), publicUrl: 'http://127.0.0.1' })
  const putAndGet = async (): Promise<void> => {
    await storage.putObject('bench/x', createReadStream(source, { highWaterMark: 1024 * 1024 }))
    const { body } = await storage.getObject('bench/x')
    for await (const _chunk of body);
    await storage.deleteObject('bench/x')
  }
  const copy = join(folder, 'copy')
  const copyAndHash = async (): Promise<void> => {
    await run('cp', [source, copy])
    await run('sha256sum', [copy])
    await rm(copy)
  }
  const copySyncAndHash = async (): Promise<void> => {
    await run('cp', [source, copy])
    await run('sync', [copy])
    await run('sha256sum', [copy])
    await rm(copy)
  }
  const [ours = 0, peer = 0, syncedPeer = 0] = await measureInTurns([putAndGet, copyAndHash, copySyncAndHash])
  await storage.close()
  return {
    name: 'local put and get of 1 gb against cp and sha256sum',
    ours: seconds(ours),
    peer: seconds(peer),
    ratio: ours / peer,
    goal: 'at most 1.5',
    met: ours / peer <= 1.5,
    note: `ours also waits for the disk (fsync); cp, sync and sha256sum together take ${seconds(syncedPeer)}, a ratio of ${(ours / syncedPeer).toFixed(2)}`,
  }
}

const benchDownload = async (folder: string, source: string): Promise<BenchRow> => {
  const config = configOf(folder, 'download')
  const storage = await openStorage(config)
  await storage.putObject('bench/x', createReadStream(source, { highWaterMark: 1024 * 1024 }))
  const { url } = await storage.signGet('bench/x', { expiresInSeconds: 3600, contentType: 'application/x-tar' })
  const ours = await startServer('ours', JSON.stringify(config))
  const raw = await startServer('raw', source)
  try {
    const path = url.slice(config.publicUrl.length)
    const downloads = [() => download(ours.port, path), () => download(raw.port, '/')]
    const [oursSeconds = 0, rawSeconds = 0] = await measureInTurns(downloads)
    return {
      name: 'signed download of 1 gb against node:http piping the file',
      ours: seconds(oursSeconds),
      peer: seconds(rawSeconds),
      ratio: oursSeconds / rawSeconds,
      goal: 'at most 1.1',
      met: oursSeconds / rawSeconds <= 1.1,
      note: 'ours through the whole door: signature, headers, rate limit, meter',
    }
  } finally {
    ours.stop()
    raw.stop()
    await storage.close()
  }
}

const configOf = (folder: string, name: string): Extract<StorageConfig, { kind: 'folder' }> => ({
  kind: 'folder',
  folder: join(folder, name),
  signingKey: 'bench',
  publicUrl: 'http://127.0.0.1',
})

/** The best time of each, taken in turns, so that a slow minute of the machine hits all of them. */
const measureInTurns = async (works: readonly (() => Promise<void>)[]): Promise<number[]> => {
  const best = works.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const startedAt = performance.now()
      await work()
      best[index] = Math.min(best[index] ?? 0, (performance.now() - startedAt) / 1000)
    }
  }
  return best
}

const startServer = async (mode: string, argument: string): Promise<{ port: number; stop(): void }> => {
  const server = fork(join(import.meta.dirname, 'storage-server.ts'), [mode, argument])
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    server.once('message', (message) => resolve(message as { port: number }))
    server.once('exit', (code) => reject(new Error(`the ${mode} server of the storage bench ended with ${code}`)))
  })
  return { port, stop: () => server.disconnect() }
}

const download = (port: number, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      let receivedBytes = 0
      response.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.byteLength
      })
      response.once('error', reject)
      response.once('end', () =>
        response.statusCode === 200 && receivedBytes === gb
          ? resolve()
          : reject(new Error(`status ${response.statusCode}, ${receivedBytes} bytes`)),
      )
    }).once('error', reject)
  })

const writeRandomFile = async (path: string, sizeBytes: number): Promise<void> => {
  const file = await open(path, 'w')
  const block = randomBytes(10_000_000)
  for (let written = 0; written < sizeBytes; written += block.byteLength) await file.write(block)
  await file.close()
}

const seconds = (value: number): string => `${value.toFixed(2)} s`

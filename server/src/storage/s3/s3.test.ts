import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesOf, describeStorage, hashBytes, hashObject, readText, refusal } from '../storage.contract.ts'
import type { ObjectStorage } from '../storage.ts'
import { openS3Storage } from './s3.ts'
import { createS3Config, getTestS3Endpoint } from './s3-server.contract.ts'

const MiB = 1024 * 1024
const largeObjectBytes = Number(process.env.NMP_TEST_OBJECT_BYTES ?? 384 * MiB)
const endpoint = getTestS3Endpoint()
describeStorage(
  'S3',
  async () => {
    const config = createS3Config(endpoint)
    const storage = await openS3Storage(config)
    return { storage, config, close: () => storage.close() }
  },
  { largeObjectBytes },
)
describeFaults(endpoint)

/** Between client and server: breaks the connection at a byte of the n-th connection that `faults` names. */
const openFaultyProxy = async (
  target: URL,
): Promise<{ server: Server; faults: ((passedBytes: number) => boolean)[] }> => {
  const faults: ((passedBytes: number) => boolean)[] = []
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const isBroken = faults.shift()
    let passedBytes = 0
    const watch = (chunk: Buffer) => {
      passedBytes += chunk.byteLength
      if (isBroken?.(passedBytes)) {
        client.resetAndDestroy()
        upstream.destroy()
      }
    }
    client
      .on('data', watch)
      .on('error', () => upstream.destroy())
      .on('close', () => upstream.destroy())
    upstream
      .on('data', watch)
      .on('error', () => client.destroy())
      .on('close', () => client.destroy())
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, faults }
}

function describeFaults(address: string): void {
  describe('S3 behind a bad network', () => {
    const prefix = `faults-${randomBytes(4).toString('hex')}`
    const limits = { partSizeBytes: 5 * MiB, simpleCopyBytes: 6 * MiB, copyPartSizeBytes: 5 * MiB }
    let proxy: Awaited<ReturnType<typeof openFaultyProxy>>
    let storage: ObjectStorage
    let faulty: ObjectStorage
    beforeAll(async () => {
      proxy = await openFaultyProxy(new URL(address))
      const { port } = proxy.server.address() as AddressInfo
      storage = await openS3Storage(createS3Config(address, prefix), limits)
      faulty = await openS3Storage(createS3Config(`http://127.0.0.1:${port}`, prefix), limits)
    })
    afterAll(async () => {
      await faulty?.close()
      await storage?.close()
      proxy?.server.close()
    })

    test('parts whose connection breaks are sent again', async () => {
      const content = randomBytes(17 * MiB)
      proxy.faults.push(...Array.from({ length: 3 }, () => (passedBytes: number) => passedBytes > 2 * MiB))
      const written = await faulty.putObject('parts', Readable.from([content]))
      expect(proxy.faults).toHaveLength(0)
      expect(written).toMatchObject({ sizeBytes: content.byteLength, sha256: hashBytes(content) })
      expect(await hashObject(storage, 'parts')).toBe(written.sha256)
      expect(await storage.sweepUnfinished(new Date(Date.now() + 60_000))).toBe(0)
    })

    test('a download whose connection breaks goes on where it stopped', async () => {
      const content = randomBytes(17 * MiB)
      await storage.putObject('read', Readable.from([content]))
      await faulty.close()
      proxy.faults.push(...Array.from({ length: 3 }, () => (passedBytes: number) => passedBytes > 3 * MiB))
      expect(await hashObject(faulty, 'read')).toBe(hashBytes(content))
      expect(proxy.faults).toHaveLength(0)
    })

    test('an object too large for one copy request is copied in parts', async () => {
      const content = randomBytes(12 * MiB)
      await storage.putObject('copy/ä source', Readable.from([content]))
      await storage.copyObject('copy/ä source', 'copy/target')
      expect(await hashObject(storage, 'copy/target')).toBe(hashBytes(content))
    })

    test('a server that is not there is an error, never a missing object', async () => {
      const absent = await openS3Storage(createS3Config('http://127.0.0.1:1', 'absent'))
      expect(await refusal(absent.findObject('x'))).toBe('not_ready')
      await absent.close()
      const stranger = await openS3Storage({ ...createS3Config(address, 'x'), secretAccessKey: 'wrong' })
      await expect(stranger.findObject('x')).rejects.toThrow('S3 refuses the request (403')
      await expect(stranger.putObject('x', bytesOf('x'))).rejects.toThrow('403 SignatureDoesNotMatch')
      await stranger.close()
      const nowhere = await openS3Storage({ ...createS3Config(address, 'x'), bucket: 'no-such-bucket' })
      await expect(readText(nowhere, 'x')).rejects.toThrow('404 NoSuchBucket')
      await nowhere.close()
    })
  })
}

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { attachmentDisposition } from './serving/disposition.ts'
import { bytesOf, oddKeys, readText } from './storage.contract.ts'
import type { ObjectStorage, SignedUrl } from './storage.ts'

const key = 'signed/x'
const content = '0123456789'
const expiresInSeconds = 60

/** Changes a part of the URL, whatever the backend calls it. */
const alter = (url: string, pattern: RegExp, change: (found: string) => string): string => {
  const altered = url.replace(pattern, (found) => change(found))
  expect(altered).not.toBe(url)
  return altered
}

const send = (signed: SignedUrl, body: string, headers: Record<string, string> = {}): Promise<Response> => {
  const all: Record<string, string> = { ...signed.headers, ...headers }
  delete all['content-length'] // fetch sends the length of the body
  return fetch(signed.url, { method: 'PUT', body, headers: all })
}

export const describeSignedUrls = (getStorage: () => ObjectStorage): void => {
  describe('signed URLs', () => {
    let storage: ObjectStorage
    let signed: SignedUrl
    beforeAll(async () => {
      storage = getStorage()
      await storage.putObject(key, bytesOf(content))
      const disposition = attachmentDisposition('réport.txt')
      signed = await storage.signGet(key, { expiresInSeconds, contentType: 'text/plain', disposition })
    })

    test('a download has the agreed type and name and says what ranges need', async () => {
      const answer = await fetch(signed.url)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe(content)
      expect(answer.headers.get('content-type')).toBe('text/plain')
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="r_port.txt"; filename*=UTF-8''r%C3%A9port.txt`,
      )
      expect(answer.headers.get('content-length')).toBe('10')
      expect(answer.headers.get('accept-ranges')).toBe('bytes')
      expect(answer.headers.get('etag')).toBe((await storage.findObject(key))?.etag)
      expect(Math.abs(signed.expiresAt.getTime() - Date.now() - expiresInSeconds * 1000)).toBeLessThan(10_000)
    })

    test.each([
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-50', 206, content, 'bytes 0-9/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=8-999999', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,4-5', 200, content, null],
    ])('Range: %s is answered with %i', async (range, status, text, contentRange) => {
      const answer = await fetch(signed.url, { headers: { range } })
      expect(answer.status).toBe(status)
      expect(await answer.text()).toBe(text)
      expect(answer.headers.get('content-range')).toBe(contentRange)
    })

    test('a range past the end is 416', async () => {
      const answer = await fetch(signed.url, { headers: { range: 'bytes=10-' } })
      expect(answer.status).toBe(416)
      expect(await answer.text(), 'S3 and we say what is wrong, each in its way').not.toBe('')
    })

    test('an unchanged object is 304, a replaced one is sent', async () => {
      const { etag } = await storage.putObject('signed/changing', bytesOf('one'))
      const { url } = await storage.signGet('signed/changing', { expiresInSeconds })
      expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
      await storage.putObject('signed/changing', bytesOf('two'))
      const answer = await fetch(url, { headers: { 'if-none-match': etag } })
      expect([answer.status, await answer.text()]).toEqual([200, 'two'])
    })

    test('keys with odd characters', async () => {
      for (const odd of oddKeys) {
        await storage.putObject(`signed/${odd}`, bytesOf(odd))
        const answer = await fetch((await storage.signGet(`signed/${odd}`, { expiresInSeconds })).url)
        expect([answer.status, await answer.text()]).toEqual([200, odd])
      }
    })

    test('a missing object is 404', async () => {
      const { url } = await storage.signGet('signed/none', { expiresInSeconds })
      expect((await fetch(url)).status).toBe(404)
    })

    test.each(['PUT', 'POST', 'DELETE'])('the method %s is refused on a URL for GET', async (method) => {
      const body = method === 'DELETE' ? null : 'swapped'
      const answer = await fetch(signed.url, { method, body })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(await readText(storage, key)).toBe(content)
    })

    test('a URL for PUT does not read', async () => {
      const put = await storage.signPut(key, { expiresInSeconds })
      expect((await fetch(put.url)).status).toBe(403)
    })

    test('another key is refused', async () => {
      await storage.putObject('signed/secret', bytesOf('secret'))
      const other = new URL((await storage.signGet('signed/secret', { expiresInSeconds })).url)
      const altered = new URL(signed.url)
      altered.pathname = other.pathname
      expect((await fetch(altered)).status).toBe(403)
    })

    test('another expiry, type, disposition or signature is refused', async () => {
      const { url } = signed
      const changes = [
        alter(url, /(?<=expires=)\d+/i, (seconds) => String(Number(seconds) + 1)),
        alter(url, /text%2Fplain/i, () => 'text%2Fhtml'),
        alter(url, /attachment/, () => 'inline'),
        alter(url, /r_port/, () => 'r_part'),
        alter(url, /[?&][^?&]*disposition=[^&]*/, (found) => found.slice(0, 1)),
        alter(url, /(?<=signature=)./i, (letter) => (letter === '0' ? '1' : '0')),
        alter(url, /(?<=signature=)[^&]*/i, () => ''),
        alter(url, /[?&][^?&]*signature=[^&]*/i, (found) => found.slice(0, 1)),
      ]
      for (const changed of changes) {
        const answer = await fetch(changed)
        expect(answer.ok).toBe(false)
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.status).toBeLessThan(500)
        expect(await answer.text()).not.toContain(content)
      }
    })

    test('an expired URL is refused', async () => {
      const { url } = await storage.signGet(key, { expiresInSeconds: 1 })
      expect((await fetch(url)).status).toBe(200)
      await sleep(2_500)
      expect((await fetch(url)).status).toBe(403)
    })

    test('an upload creates its object once', async () => {
      const put = await storage.signPut('signed/up', { expiresInSeconds, contentType: 'text/plain', sizeBytes: 5 })
      expect((await send(put, 'hello')).status).toBe(200)
      expect(await readText(storage, 'signed/up')).toBe('hello')
      expect((await send(put, 'other')).status).toBe(412)
      expect(await readText(storage, 'signed/up')).toBe('hello')
    })

    test('an upload of another type, size or key is refused', async () => {
      const put = await storage.signPut('signed/up-2', { expiresInSeconds, contentType: 'text/plain', sizeBytes: 5 })
      expect((await send(put, 'hello', { 'content-type': 'text/html' })).status).toBe(403)
      expect((await send(put, 'hello, world')).status).toBe(403)
      const other = new URL((await storage.signPut('signed/up-3', { expiresInSeconds })).url)
      const altered = new URL(put.url)
      altered.pathname = other.pathname
      expect((await send({ ...put, url: altered.href }, 'hello')).status).toBe(403)
      expect(await storage.findObject('signed/up-2')).toBeUndefined()
      expect(await storage.findObject('signed/up-3')).toBeUndefined()
    })
  })
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createByteSource } from '@nmp/formats/bytes'
import { decodeImage } from '@nmp/formats/image'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPictureNumber } from '../../../formats/test/numbered-picture.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { getTestS3Endpoint, s3Settings } from '../storage/s3/s3-server.contract.ts'
import { clipUrl, type MediaSubject, posterUrl, videoUrl } from './urls.ts'

const camera = 'observation.images.top'

describe('media on S3', () => {
  let program: TestProgram
  let subject: MediaSubject
  let bearer: string

  beforeAll(async () => {
    const endpoint = getTestS3Endpoint()
    program = await startProgram({ ...s3Settings(endpoint), NMP_S3_PUBLIC_ENDPOINT: endpoint })
    const { db } = program.context
    const user = await program.addUser('s3@example.org')
    bearer = await program.signIn(user)
    const org = await createOrg(db, 'operator', { slug: 's3-lab', name: 'Lab', adminUserId: user.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    const place = { orgId: org.id, projectId: project.id, slug: 'recording' }
    const { datasetId, revisionId } = await publishRecording(program.context, place, [5, 4])
    subject = { dataset: { id: datasetId, visibility: 'private' }, revision: { id: revisionId } }
  })
  afterAll(() => program.close())

  test('posters are made from ranges of the object', async () => {
    for (const frame of [0, 3]) {
      const response = await fetch(posterUrl(program.context, subject, { episode: 1, camera, frame }))
      expect(response.status).toBe(200)
      expect(readPictureNumber(await decodeImage(new Uint8Array(await response.arrayBuffer())))).toBe(frame)
    }
  })

  test('stored files and clips are answered by a redirect that lives a minute and takes Range', async () => {
    const url = videoUrl(program.context, subject, `videos/${camera}/chunk-000/file-000.mp4`)
    const redirect = await fetch(url, { redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'private, no-store'])
    expect(new URL(redirect.headers.get('location') ?? '').searchParams.get('X-Amz-Expires')).toBe('60')
    // What the API itself moves of a video: nothing.
    expect((await redirect.arrayBuffer()).byteLength).toBe(0)
    const cut = await fetch(clipUrl(program.context, subject, { episode: 1, camera }), { redirect: 'manual' })
    expect([cut.status, (await cut.arrayBuffer()).byteLength]).toEqual([302, 0])
    const part = await fetch(url, { headers: { range: 'bytes=0-99' } })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 100])
    expect(part.headers.get('content-type')).toBe('video/mp4')
    const clip = await fetch(clipUrl(program.context, subject, { episode: 1, camera }))
    await using video = await openVideo(createByteSource(new Uint8Array(await clip.arrayBuffer())))
    expect(video.facts.frameCount).toBe(4)
    expect((await fetch(url.replace(/signature=..../, 'signature=AAAA'), { redirect: 'manual' })).status).toBe(403)
  })

  test('rows are read from a copy of their file', async () => {
    const path = `/api/v1/catalog/datasets/${subject.dataset.id}/episodes/1/rows`
    const { status, body } = await program.call('GET', path, { bearer })
    expect([status, body.item.frame_index.length]).toEqual([200, 4])
    expect(body.item.series[0].values[0][0]).toBeCloseTo(1, 5)
  })
})

describe('a bucket that only the program reaches', () => {
  let program: TestProgram
  let subject: MediaSubject

  beforeAll(async () => {
    program = await startProgram(s3Settings(getTestS3Endpoint()))
    const { db } = program.context
    const org = await createOrg(db, 'operator', { slug: 's3-lab', name: 'Lab' })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    const place = { orgId: org.id, projectId: project.id, slug: 'recording' }
    const { datasetId, revisionId } = await publishRecording(program.context, place, [5, 4])
    subject = { dataset: { id: datasetId, visibility: 'private' }, revision: { id: revisionId } }
  })
  afterAll(() => program.close())

  test('video, clips and signed addresses are answered by the API, ranges too, and no answer names the bucket', async () => {
    const url = videoUrl(program.context, subject, `videos/${camera}/chunk-000/file-000.mp4`)
    const part = await fetch(url, { headers: { range: 'bytes=0-99' }, redirect: 'manual' })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 100])
    expect(
      (await fetch(clipUrl(program.context, subject, { episode: 1, camera }), { redirect: 'manual' })).status,
    ).toBe(200)
    const { storage } = program.context
    await storage.putObject('probe/one', Readable.from([Buffer.from('0123456789')]))
    const signed = await storage.signGet('probe/one', { expiresInSeconds: 60, contentType: 'text/plain' })
    expect(new URL(signed.url).origin).toBe(program.url)
    const answer = await fetch(signed.url, { headers: { range: 'bytes=2-4' } })
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([206, 'text/plain', '234'])
    expect((await fetch(signed.url.replace(/signature=..../, 'signature=AAAA'))).status).toBe(403)
    const { headers } = await program.call('GET', '/')
    expect(headers.get('content-security-policy')).not.toContain('http:')
  })
})

describe('NMP_S3_PUBLIC_ENDPOINT', () => {
  const start = (endpoint: string) =>
    startProgram({ ...s3Settings(getTestS3Endpoint()), NMP_S3_PUBLIC_ENDPOINT: endpoint })

  test('is named by the content security policy, and by no other address on plain http', async () => {
    const endpoint = getTestS3Endpoint()
    const program = await start(endpoint)
    const policy = (await program.call('GET', '/')).headers.get('content-security-policy') ?? ''
    await program.close()
    for (const directive of ['img-src', 'media-src', 'connect-src'])
      expect(policy.split('; ').find((one) => one.startsWith(directive))).toContain(endpoint)
    expect(policy.match(/http:\/\/[^ ;]+/g)).toEqual([endpoint, endpoint, endpoint])
  })

  test('that leads nowhere, or elsewhere than to the bucket, is refused at the start with what to do', async () => {
    await expect(start('http://127.0.0.1:1')).rejects.toThrow(
      /^NMP_S3_PUBLIC_ENDPOINT \(http:\/\/127\.0\.0\.1:1\) does not lead to the bucket: it gives no answer/,
    )
    const stranger = createServer((_request, response) => response.writeHead(403).end())
    stranger.listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const { port } = stranger.address() as AddressInfo
    await expect(start(`http://127.0.0.1:${port}`)).rejects.toThrow(/it answers 403 to a signed address\. Set it to/)
    stranger.close()
  })
})

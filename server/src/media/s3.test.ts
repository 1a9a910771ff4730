import { createByteSource } from '@nmp/formats/bytes'
import { decodeImage } from '@nmp/formats/image'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPictureNumber } from '../../../formats/test/numbered-picture.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { getTestS3Endpoint, s3Settings } from '../storage/s3-server.contract.ts'
import { clipUrl, type MediaSubject, posterUrl, videoUrl } from './urls.ts'

const camera = 'observation.images.top'

describe('media on S3', () => {
  let program: TestProgram
  let subject: MediaSubject
  let bearer: string

  beforeAll(async () => {
    program = await startProgram(s3Settings(getTestS3Endpoint()))
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

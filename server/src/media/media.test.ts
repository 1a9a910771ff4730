import { createHash } from 'node:crypto'
import { createByteSource } from '@nmp/formats/bytes'
import { openCodec } from '@nmp/formats/codec'
import { decodeImage } from '@nmp/formats/image'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { readBarCode } from '../../../formats/test/bar-code.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import type { Caller } from '../access/principal.ts'
import { changeDataset, findReadable, requestDatasetDeletion, restoreDataset } from '../datasets/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import {
  clipUrl,
  episodeSpriteUrl,
  fileUrl,
  type MediaSubject,
  posterUrl,
  signMediaUrl,
  spriteUrl,
  videoUrl,
} from './urls.ts'

const fixtures = getFixture('lerobot')
const top = 'observation.images.top'
const wrist = 'observation.images.wrist'
const videoPath = `videos/${top}/chunk-000/file-000.mp4`

let program: TestProgram
let subject: MediaSubject
let images: MediaSubject
let admin: Caller
let bearers: { admin: string; other: string }

async function fetchBytes(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}

const sizeOf = (picture: { width: number; height: number }) => [picture.width, picture.height]

describe('media', () => {
  beforeAll(async () => {
    program = await startProgram()
    const { context } = program
    const user = await program.addUser('media@example.org')
    const stranger = await program.addUser('stranger@example.org')
    admin = {
      kind: 'session',
      userId: user.id,
      email: user.email,
      hasSecondProof: false,
      sessionId: '',
      expiresAt: new Date(),
      requestId: 'test',
    }
    bearers = { admin: await program.signIn(user), other: await program.signIn(stranger) }
    const org = await createOrg(context.db, 'operator', { slug: 'media-lab', name: 'Media', adminUserId: user.id })
    const project = await createProject(context.db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    const publish = async (name: string, slug: string): Promise<MediaSubject> => {
      const place = { orgId: org.id, projectId: project.id, slug }
      const { datasetId, revisionId } = await publishFolder(context, `${fixtures}/${name}`, place)
      return { dataset: { id: datasetId, visibility: 'private' }, revision: { id: revisionId } }
    }
    subject = await publish('recorded-v3.0-two-cameras', 'two-cameras')
    images = await publish('recorded-v3.0-images', 'images')
  }, 120_000)
  afterAll(() => program.close())

  const poster = (episode: number, camera: string, frame: number, extra = '') =>
    fetchBytes(posterUrl(program.context, subject, { episode, camera, frame }) + extra)

  test('a poster is exactly the frame it names, in every episode and camera', async () => {
    const wanted = [0, 1, 17, 41].flatMap((frame) =>
      [0, 3, 5].flatMap((episode) => [top, wrist].map((camera) => ({ frame, episode, camera }))),
    )
    const answers = await Promise.all(wanted.map((one) => poster(one.episode, one.camera, one.frame)))
    const seen = await Promise.all(answers.map(async ({ bytes }) => readBarCode(await decodeImage(bytes))))
    const expected = wanted.map(({ camera, ...one }) => ({ ...one, camera: camera === top ? 0 : 1 }))
    expect(seen).toEqual(expected)
  })

  test('a poster is scaled and encoded as asked, and costs one picture however many ask', async () => {
    const [jpeg, webp] = await Promise.all([
      poster(1, top, 5, '&width=100'),
      poster(1, top, 5, '&width=100&format=webp'),
    ])
    expect(jpeg.headers.get('content-type')).toBe('image/jpeg')
    expect(webp.headers.get('content-type')).toBe('image/webp')
    expect(sizeOf(await decodeImage(jpeg.bytes))).toEqual([160, 120])
    expect(sizeOf(await decodeImage(webp.bytes))).toEqual([160, 120])
    const many = await Promise.all(Array.from({ length: 20 }, () => poster(2, top, 0)))
    expect(new Set(many.map(({ headers }) => headers.get('etag'))).size).toBe(1)
    const again = await fetchBytes(posterUrl(program.context, subject, { episode: 2, camera: top, frame: 0 }), {
      'if-none-match': many[0]?.headers.get('etag') ?? '',
    })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  test('pictures of cameras stored as images come from the rows', async () => {
    const { body } = await program.call(
      'GET',
      `/api/v1/media/${images.dataset.id}/${images.revision.id}/poster?episode=0&camera=x&frame=0`,
      { bearer: bearers.admin },
    )
    const [, key = ''] = /the cameras are ([^,]+)/.exec(body.detail[0].msg) ?? []
    for (const [episode, frame] of [
      [0, 0],
      [1, 7],
      [2, 20],
    ] as const) {
      const { bytes, status } = await fetchBytes(posterUrl(program.context, images, { episode, camera: key, frame }))
      expect(status).toBe(200)
      expect(readBarCode(await decodeImage(bytes))).toMatchObject({ episode, frame })
    }
    const clip = await fetchBytes(clipUrl(program.context, images, { episode: 0, camera: key }))
    expect(clip.status).toBe(422)
  })

  test('a sprite shows eight frames from first to last, a page sprite one of each episode', async () => {
    const { bytes } = await fetchBytes(spriteUrl(program.context, subject, { episode: 0, camera: top }))
    const strip = await decodeImage(bytes)
    expect(sizeOf(strip)).toEqual([160 * 8, 120])
    const page = await fetchBytes(episodeSpriteUrl(program.context, subject, { camera: wrist, offset: 2, limit: 50 }))
    expect(sizeOf(await decodeImage(page.bytes))).toEqual([96, 72 * 4])
  })

  test('a clip holds exactly the frames of its episode', async () => {
    const { status, headers, bytes } = await fetchBytes(
      clipUrl(program.context, subject, { episode: 3, camera: wrist }),
    )
    expect([status, headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect(headers.get('content-disposition')).toContain('two-cameras-episode-3-wrist.mp4')
    const { body } = await program.call(
      'GET',
      `/api/v1/media/${subject.dataset.id}/${subject.revision.id}/poster?episode=3&camera=${top}&frame=9999`,
      { bearer: bearers.admin },
    )
    const length = Number(/frames 0 to (\d+)/.exec(body.detail[0].msg)?.[1]) + 1
    await using video = await openVideo(createByteSource(bytes))
    await using codec = openCodec()
    const codes = []
    for await (const picture of codec.decode({ video })) codes.push(readBarCode(picture))
    expect(codes).toEqual(Array.from({ length }, (_, frame) => ({ frame, episode: 3, camera: 1 })))
    expect(video.measureGridError(20)).toBeLessThan(1e-6)
  })

  test('files are served byte for byte, by Range and by condition', async () => {
    const url = videoUrl(program.context, subject, videoPath)
    const whole = await fetchBytes(url)
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([
      200,
      'video/mp4',
      'bytes',
    ])
    const size = whole.bytes.length
    expect(whole.headers.get('etag')).toBe(`"${createHash('sha256').update(whole.bytes).digest('hex')}"`)
    const part = await fetchBytes(url, { range: 'bytes=100-299' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${size}`])
    expect(Buffer.compare(part.bytes, whole.bytes.subarray(100, 300))).toBe(0)
    const beyond = await fetchBytes(url, { range: `bytes=${size}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    const same = await fetchBytes(url, { 'if-none-match': whole.headers.get('etag') ?? '' })
    expect(same.status).toBe(304)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)])
    const saved = await fetchBytes(fileUrl(program.context, subject, 'meta/info.json'))
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename="info.json"')
    expect(JSON.parse(Buffer.from(saved.bytes).toString()).codebase_version).toBe('v3.0')
    expect((await fetchBytes(fileUrl(program.context, subject, '../read-model/manifest.json'))).status).toBe(404)
  })

  test('a signature opens one resource until its time, and nothing else', async () => {
    const { context } = program
    const good = posterUrl(context, subject, { episode: 0, camera: top, frame: 0 })
    expect(posterUrl(context, subject, { episode: 0, camera: top, frame: 0 })).toBe(good)
    const spoiled = [
      good.replace('frame=0', 'frame=1'),
      good.replace('episode=0', 'episode=1'),
      good.replace('access=private', 'access=public'),
      good.replace(/expires=(\d)/, 'expires=9'),
      good.replace('/poster?', '/sprite?'),
      good.replace(/signature=..../, 'signature=AAAA'),
      good.replace(/&signature=[^&]+/, ''),
      good.replace(subject.revision.id, images.revision.id),
    ]
    for (const url of spoiled) expect([url, (await fetchBytes(url)).status]).toEqual([url, 403])
    const resource = {
      kind: 'poster',
      datasetId: subject.dataset.id,
      revisionId: subject.revision.id,
      access: 'private',
    } as const
    const parameters = { episode: 0, camera: top, frame: 0 }
    const now = Math.floor(Date.now() / 1000)
    expect((await fetchBytes(signMediaUrl(context, { ...resource, parameters }, now - 1))).status).toBe(403)
    expect((await fetchBytes(signMediaUrl(context, { ...resource, parameters }, now + 60))).status).toBe(200)
    const elsewhere = { ...resource, revisionId: images.revision.id, parameters }
    expect((await fetchBytes(signMediaUrl(context, elsewhere))).status).toBe(404)
  })

  test('without a signature only those who may read the dataset', async () => {
    const path = `/api/v1/media/${subject.dataset.id}/${subject.revision.id}/file?path=meta/info.json`
    const status = async (bearer?: string) => (await program.call('GET', path, bearer ? { bearer } : {})).status
    expect([await status(), await status(bearers.other), await status(bearers.admin)]).toEqual([404, 404, 200])
  })

  test('withdrawing and deleting a dataset end the links to it', async () => {
    const { db } = program.context
    const seen = () => findReadable(program.context, admin, images.dataset.id)
    const change = async (visibility: 'public' | 'private') => {
      const { dataset, project } = await seen()
      await changeDataset(db, admin, { dataset, project: { ...project, role: 'admin' } }, { visibility })
    }
    const privateUrl = fileUrl(program.context, images, 'meta/info.json')
    await change('public')
    const published: MediaSubject = { ...images, dataset: { ...images.dataset, visibility: 'public' } }
    const publicUrl = fileUrl(program.context, published, 'meta/info.json')
    const unsigned = publicUrl.replace(/&access.*/, '')
    const statuses = async () => [
      (await fetchBytes(privateUrl)).status,
      (await fetchBytes(publicUrl)).status,
      (await fetchBytes(unsigned)).status,
    ]
    expect(await statuses()).toEqual([200, 200, 200])
    await change('private')
    expect(await statuses()).toEqual([200, 404, 404])
    await requestDatasetDeletion(db, admin, (await seen()).dataset, 'images')
    expect(await statuses()).toEqual([404, 404, 404])
    await restoreDataset(db, admin, (await seen()).dataset)
    expect(await statuses()).toEqual([200, 404, 404])
  })

  test('what does not exist is refused at its place', async () => {
    const place = async (url: string) => {
      const response = await fetch(url)
      const { detail } = (await response.json()) as { detail: { loc: string[] }[] }
      return [response.status, detail[0]?.loc]
    }
    const make = (episode: number, camera: string, frame: number) =>
      posterUrl(program.context, subject, { episode, camera, frame })
    expect(await place(make(6, top, 0))).toEqual([422, ['query', 'episode']])
    expect(await place(make(0, 'left', 0))).toEqual([422, ['query', 'camera']])
    expect(await place(make(0, top, 100_000))).toEqual([422, ['query', 'frame']])
  })
})

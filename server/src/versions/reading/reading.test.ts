import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFile } from '@nmp/formats/bytes'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { prepareDataset, publishPrepared, publishRecording } from '../../../test/published-dataset.ts'
import { makeRichRecording, richCameras } from '../../../test/rich-recording.ts'
import { putProjectMember } from '../../organizations/members/service.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../../organizations/service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
let program: TestProgram
let bearer: string
let stranger: string
let datasetId: string
let richId: string
/** Has a role where the version is, and none where its source is. */
let guest: string
let exporter: Exporter
const [front, wrist] = richCameras

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  bearer = await program.signIn(admin)
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const colleague = await program.addUser('ben@example.org')
  await addOrgMember(db, org.id, colleague.id, 'member')
  stranger = await program.signIn(colleague)
  const place = { orgId: org.id, projectId: project.id, slug: 'recording' }
  datasetId = (await publishRecording(program.context, place, [8, 6, 7, 5])).datasetId
  const rich = await prepareDataset(makeRichRecording([6, 7, 5]), 'h264')
  richId = (await publishPrepared(program.context, rich, { ...place, slug: 'rich' })).datasetId
  const shared = await createProject(db, 'operator', { orgId: org.id, slug: 'shared', name: 'Shared' })
  const visitor = await program.addUser('cem@example.org')
  await addOrgMember(db, org.id, visitor.id, 'member')
  await putProjectMember(db, 'operator', { orgId: org.id, projectId: shared.id }, visitor.id, 'viewer')
  guest = await program.signIn(visitor)
  exporter = await openExporter(program, bearer, 'acme', 'shared')
  program.startWorker()
}, 120_000)
afterAll(async () => {
  await exporter.close()
  await program.close()
})

const get = (path: string, who: string | undefined = bearer) =>
  program.call('GET', path, who === undefined ? {} : { bearer: who })

async function derive(recipe: object): Promise<string> {
  const source = { dataset_kind: 'project', dataset_id: datasetId }
  const body = { slug: 'derived', name: 'Derived', source, recipe }
  const answer = await program.call('POST', versionsPath, { bearer, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.item.id
}

const dataset = (id: string, rest = ''): string => `/api/v1/catalog/datasets/${id}${rest}`

describe('a version is read like a dataset', () => {
  test('its episodes are those that the recipe keeps, renumbered', async () => {
    const id = await derive({ selected_episode_indices: [3, 0, 2] })
    const { status, body } = await get(dataset(id, '/episodes'))
    expect(status, JSON.stringify(body)).toBe(200)
    const shown = body.item.items.map((episode: Record<string, number>) => [
      episode.episode_index,
      episode.source_index,
      episode.length_frames,
      episode.dataset_from_index,
    ])
    expect(shown).toEqual([
      [0, 0, 8, 0],
      [1, 2, 7, 8],
      [2, 3, 5, 15],
    ])
    expect(body.item.items.every(({ motion }: { motion: number | null }) => motion !== null)).toBe(true)
    const statistics = (await get(dataset(id, '/statistics'))).body.item
    expect(statistics).toMatchObject({ shortest_episode_frames: 5, longest_episode_frames: 8, sample_size: 3 })
  })

  test('who has no role in its project does not find it, and its addresses end with it', async () => {
    const id = await derive({ first_n_episodes: 2 })
    for (const who of [undefined, stranger])
      for (const rest of ['', '/episodes', '/frames', '/statistics', '/files', '/episodes/0/rows', '/episodes/0/media'])
        expect([rest, (await program.call('GET', dataset(id, rest), who ? { bearer: who } : {})).status]).toEqual([
          rest,
          404,
        ])
    const [{ streams }] = (await get(dataset(id, '/frames'))).body.item.items
    const { poster_url: poster, url } = streams[0]
    for (const address of [poster, url]) expect((await fetch(address)).status).toBe(200)
    expect((await program.call('DELETE', `${versionsPath}/${id}`, { bearer })).status).toBe(200)
    for (const address of [poster, url]) expect((await fetch(address)).status).toBe(404)
    expect((await get(dataset(id))).status).toBe(404)
  })

  test('before the export it has no files of its own and says so', async () => {
    const id = await derive({})
    const { status, body } = await get(dataset(id, '/files'))
    expect([status, body.code]).toEqual([409, 'artifact_not_ready'])
    const { item } = (await get(dataset(id))).body
    expect(item).toMatchObject({ id, kind: 'dataset_manifest', title: 'Derived' })
  })

  test('an answer that a client has is not sent again, until the version changes', async () => {
    const id = await derive({ first_n_episodes: 3 })
    const ask = (etag?: string) =>
      program.call('GET', dataset(id, '/episodes'), { bearer, headers: etag ? { 'if-none-match': etag } : {} })
    const etag = (await ask()).headers.get('etag') ?? ''
    expect((await ask(etag)).status).toBe(304)
    await program.call('PATCH', `${versionsPath}/${id}`, { bearer, body: { name: 'Another name' } })
    expect((await ask(etag)).status).toBe(200)
  })

  test('cameras that it left out are not there', async () => {
    const { id } = await exporter.derive(richId, { camera_keys: [wrist] })
    const { item } = (await get(dataset(id, '/frames?limit=1'))).body
    expect(item.items[0].streams.map((stream: { camera_key: string }) => stream.camera_key)).toEqual([wrist])
    const media = `/api/v1/media/${id}/${id}`
    const poster = (camera: string) => `${media}/poster?episode=0&frame=0&camera=${encodeURIComponent(camera)}`
    expect((await fetchAs(poster(wrist))).status).toBe(200)
    expect((await fetchAs(poster(front))).status).toBe(422)
    const path = encodeURIComponent(`videos/${front}/chunk-000/file-000.mp4`)
    expect((await fetchAs(`${media}/video?path=${path}`)).status).toBe(404)
    expect((await fetchAs(`${media}/file?path=${encodeURIComponent('meta/info.json')}`)).status).toBe(409)
  })

  test('who may not read the source gets its episodes cut out of files that hold others', async () => {
    const { id } = await exporter.derive(richId, { selected_episode_indices: [1], camera_keys: [front] })
    const streamOf = async (who: string) => (await get(dataset(id, '/frames'), who)).body.item.items[0].streams[0]
    const [own, cut] = [await streamOf(bearer), await streamOf(guest)]
    expect([new URL(own.url).pathname.split('/').at(-1), new URL(own.url).hash]).toEqual(['video', '#t=0.6,1.3'])
    expect([new URL(cut.url).pathname.split('/').at(-1), new URL(cut.url).hash]).toEqual(['clip', '#t=0,0.7'])
    expect((await readVideo(cut.url)).frameCount).toBe(7)
    const file = new URL(own.url).searchParams.get('path') ?? ''
    const unsigned = `/api/v1/media/${id}/${id}/video?path=${encodeURIComponent(file)}`
    expect([(await fetchAs(unsigned, bearer)).status, (await fetchAs(unsigned, guest)).status]).toEqual([200, 404])
    const whole = (await exporter.derive(richId, { camera_keys: [front] })).id
    const stream = (await get(dataset(whole, '/frames'), guest)).body.item.items[0].streams[0]
    expect(new URL(stream.url).pathname).toMatch(/video$/)
  })

  test('a player learns what to do with the frames, and a clip has it done', async () => {
    const crop = { left_pct: 25, top_pct: 0, width_pct: 50, height_pct: 100 }
    const { id } = await exporter.derive(richId, { crop, resize: { width: 64, height: 72, mode: 'fill' } })
    const { item } = (await get(dataset(id, '/episodes/0/media'))).body
    const [film, pictures] = item.streams
    expect(film.transforms).toEqual([
      { crop: { left: 24, top: 0, width: 48, height: 80 }, resize: { width: 64, height: 72, mode: 'fill' } },
    ])
    expect([pictures.camera_key, pictures.url, pictures.transforms]).toEqual([wrist, null, []])
    expect(await readVideo(film.clip_url)).toEqual({ width: 64, height: 72, frameCount: 6 })
    const [shown] = (await get(dataset(id, '/episodes/0/media'), guest)).body.item.streams
    expect([new URL(shown.url).pathname.split('/').at(-1), shown.transforms]).toEqual(['clip', []])
    const manifest = (await get(dataset(id))).body.item
    expect(manifest.observation.cameras[0]).toMatchObject({ width: 64, height: 72, codec: 'av1' })
  })

  test('the recorded action stands beside the changed one, before the export and after it', async () => {
    const action = { scale: 2, smoothing_window: 3 }
    const { id } = await exporter.derive(richId, { action, selected_episode_indices: [2], camera_keys: [wrist] })
    const rows = async (query: string, of = id, episode = 0) => {
      const { status, body } = await get(dataset(of, `/episodes/${episode}/rows?${query}`))
      expect(status, JSON.stringify(body)).toBe(200)
      return Object.fromEntries(body.item.series.map(({ name, values }: Named) => [name, values]))
    }
    const source = await rows('columns=action', richId, 2)
    const check = async () => {
      const both = await rows('columns=action&recorded=true')
      expect(both['recorded.action']).toEqual(source.action)
      expect(both.action).not.toEqual(source.action)
      expect(Object.keys(await rows('columns=recorded.action'))).toEqual(['recorded.action'])
      expect(Object.keys(await rows('columns=reward&recorded=true'))).toEqual(['reward'])
      expect(Object.keys(await rows(''))).not.toContain('recorded.action')
      return both
    }
    const before = await check()
    expect((await exporter.waitForEnd(id, await exporter.queue(id))).status).toBe('succeeded')
    expect(await check()).toEqual(before)
    expect(Object.keys(await rows('columns=action&recorded=true', richId))).toEqual(['action'])
  })

  test('after the export it has files of its own, and addresses of before still lead somewhere', async () => {
    const { id } = await exporter.derive(richId, { first_n_episodes: 2, camera_keys: [front] })
    const stream = (await get(dataset(id, '/frames'))).body.item.items[1].streams[0]
    const planned = (await get(dataset(id))).body.item
    expect(planned).toMatchObject({ revision_id: id, size_is_estimated: true, source: { provider: 'nmp' } })
    expect(planned.export_artifacts.map((entry: { status: string }) => entry.status)).toEqual(['planned', 'planned'])
    expect((await fetch(planned.export_artifacts[0].href)).status).toBe(409)
    const job = await exporter.waitForEnd(id, await exporter.queue(id))
    const made = (await get(dataset(id))).body.item
    expect(made).toMatchObject({
      revision_id: job.id,
      size_is_estimated: false,
      derived_version: { id, status: 'materialized' },
    })
    const listed = (await get(dataset(id, '/files'))).body.items
    expect(made.size_bytes).toBe(listed.reduce((sum: number, file: { size_bytes: number }) => sum + file.size_bytes, 0))
    const info = listed.find((file: { path: string }) => file.path === 'meta/info.json')
    expect(await (await fetch(info.href)).json()).toMatchObject({ total_episodes: 2, total_frames: 13 })
    const tar = await fetch(made.export_artifacts[0].href)
    expect([tar.status, Number(tar.headers.get('content-length')) > made.size_bytes]).toEqual([200, true])
    await tar.body?.cancel()
    const own = (await get(dataset(id, '/frames'), guest)).body.item.items[1].streams[0]
    expect(new URL(own.url).pathname).toBe(`/api/v1/media/${id}/${job.id}/video`)
    for (const address of [own.url, own.poster_url, stream.url, stream.poster_url])
      expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })
})

interface Named {
  name: string
  values: number[][]
}

const fetchAs = (path: string, who = bearer) =>
  fetch(program.url + path, { headers: { authorization: `Bearer ${who}` } })

async function readVideo(url: string): Promise<{ width: number; height: number; frameCount: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-reading-'))
  try {
    await writeFile(join(folder, 'clip.mp4'), new Uint8Array(await (await fetch(url)).arrayBuffer()))
    await using source = await openFile(join(folder, 'clip.mp4'))
    await using video = await openVideo(source)
    const { width, height, frameCount } = video.facts
    return { width, height, frameCount }
  } finally {
    await rm(folder, { recursive: true })
  }
}

import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFile } from '@nmp/formats/bytes'
import { openCodec } from '@nmp/formats/codec'
import { openVideo } from '@nmp/formats/video'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { createFixtureImport, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

const place = { org: 'ada', project: 'default' }
let program: TestProgram
let bearer: string
let folder: string

/** The same pictures with one keyframe, the first. */
async function encodeAsOne(path: string): Promise<void> {
  await using codec = openCodec()
  await using source = await openFile(path)
  await using video = await openVideo(source)
  const { width, height } = video.facts
  const frames = await Array.fromAsync(codec.decode({ video }), ({ data }) => data.slice())
  const settings = { codec: 'h264', fps: 20, keyframeInterval: 250 } as const
  await codec.encode({
    path: `${path}.new`,
    width,
    height,
    settings,
    frames: async function* () {
      yield* frames
    },
  })
  await rename(`${path}.new`, path)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-off-keyframe-'))
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  program.startWorker({ backoff: { baseSeconds: 0.1, capSeconds: 0.1 } })
})
afterAll(async () => {
  await program?.close()
  await rm(folder, { recursive: true, force: true })
})

test('a v3.0 set whose second episode starts off a keyframe is read, and the report says what was done', async () => {
  await cp(join(getFixture('lerobot'), 'recorded-v3.0-lerobot-0.4.4'), folder, { recursive: true })
  for (const camera of ['front', 'wrist'])
    await encodeAsOne(join(folder, `videos/observation.images.${camera}/chunk-000/file-000.mp4`))
  const { id } = await createFixtureImport(program, bearer, { ...place, slug: 'off-keyframe', folder })
  const job = await waitForImport(program, bearer, place, id)
  expect(job).toMatchObject({ status: 'succeeded', attempt_count: 1 })
  const { body } = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports/${id}/report`, { bearer })
  expect(body.item.counts).toMatchObject({ episodes_imported: 3, episodes_left_out: 0 })
  expect(body.item.findings).toContainEqual(
    expect.objectContaining({ rule: 'video-start-not-keyframe', severity: 'warning', episode: 1 }),
  )
}, 120_000)

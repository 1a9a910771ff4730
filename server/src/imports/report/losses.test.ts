import { cp, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { createFixtureImport, importFixture, waitForImport } from '../../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

const place = '/api/v1/orgs/ada/projects/default'
let program: TestProgram
let bearer: string
let scratch: string

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  scratch = await mkdtemp(join(tmpdir(), 'nmp-losses-test-'))
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await rm(scratch, { recursive: true, force: true })
})

async function importChanged(slug: string, fixture: string, change: (folder: string) => Promise<void>) {
  const folder = join(scratch, slug)
  await cp(getFixture(fixture), folder, { recursive: true })
  await change(folder)
  const job = await importFixture(program, bearer, { org: 'ada', project: 'default', slug, folder })
  const { body } = await program.call('GET', `${place}/imports/${job.id}/report`, { bearer })
  return { job, report: body.item }
}

const getManifest = async (id: string | null, as?: string) =>
  (await program.call('GET', `/api/v1/catalog/datasets/${id}`, as ? { bearer: as } : {})).body.item

test('episodes that were left out stand in the import, in its list and in the manifest, with the first reason', async () => {
  const { job } = await importChanged('two-cut', 'lerobot/recorded-v2.1', async (folder) => {
    for (const episode of [1, 2]) await truncate(join(folder, `data/chunk-000/episode_00000${episode}.parquet`), 400)
  })
  const expected = { episodes_found: 4, episodes_left_out: 2, dropped: 0 }
  expect(job.losses).toMatchObject(expected)
  expect(job.losses?.first_reason).toMatch(/^Episode 1 is left out: .*episode_000001\.parquet/)
  const { items } = (await program.call('GET', `${place}/imports`, { bearer })).body
  expect(items.find(({ id }: { id: string }) => id === job.id).losses).toEqual(job.losses)
  const { import_losses: losses, import_id: id } = await getManifest(job.dataset_id, bearer)
  expect([losses, id]).toEqual([job.losses, job.id])
  const inbox = (await program.call('GET', '/api/v1/users/me/notifications', { bearer })).body.items
  const told = inbox.filter(({ resource_id: about }: { resource_id: string }) => about === job.id)
  expect(told).toMatchObject([
    {
      kind: 'import_fail',
      severity: 'warning',
      title: 'Imported, 2 of 4 episodes left out: two-cut in ada/default.',
      detail: job.losses?.first_reason,
    },
  ])
})

test('a dropped camera is a loss, dismissed by an editor for this revision, and nothing for strangers', async () => {
  const withoutWrist = (folder: string) => rm(join(folder, 'videos/observation.images.wrist'), { recursive: true })
  const { job, report } = await importChanged('one-camera', 'lerobot/recorded-v3.0-two-cameras', withoutWrist)
  expect(job.losses).toMatchObject({ episodes_left_out: 0, dropped: 1 })
  expect(job.losses?.first_reason).toContain('observation.images.wrist')
  expect(report.summary).toContain('1 camera, feature or file had to be dropped.')
  expect(report.summary).not.toContain('Nothing was left out')
  const camera = report.findings.find(({ rule }: { rule: string }) => rule === 'camera-missing')
  expect(camera.dropped).toBe(true)

  const dataset = `${place}/datasets/one-camera`
  const patch = (body: object) => program.call('PATCH', dataset, { bearer, body })
  expect((await patch({ visibility: 'public' })).status).toBe(200)
  expect((await getManifest(job.dataset_id)).import_losses).toBeNull()
  expect((await patch({ losses_dismissed: true })).status).toBe(200)
  expect((await getManifest(job.dataset_id, bearer)).import_losses).toBeNull()
  await patch({ losses_dismissed: false })
  expect((await getManifest(job.dataset_id, bearer)).import_losses).toEqual(job.losses)
  await patch({ losses_dismissed: true })
  // Another revision is another loss.
  await importChanged('one-camera', 'lerobot/recorded-v3.0-two-cameras', withoutWrist)
  expect((await getManifest(job.dataset_id, bearer)).import_losses?.dropped).toBe(1)
})

test('an import that kept everything has none', async () => {
  const { job, report } = await importChanged('whole', 'lerobot/recorded-v3.0-two-cameras', async () => {})
  expect(job.losses).toBeNull()
  const inbox = (await program.call('GET', '/api/v1/users/me/notifications', { bearer })).body.items
  expect(inbox.some(({ resource_id: about }: { resource_id: string }) => about === job.id)).toBe(false)
  expect(report.summary).toContain('Nothing was left out.')
  expect((await getManifest(job.dataset_id, bearer)).import_losses).toBeNull()
})

test('an archive of a clone is imported without what git starts', async () => {
  const { job, report } = await importChanged('cloned', 'lerobot/recorded-v3.0-two-cameras', async (folder) => {
    await mkdir(join(folder, '.git/hooks'), { recursive: true })
    await writeFile(join(folder, '.git/config'), '[core]')
    await writeFile(join(folder, '.git/hooks/post-checkout'), '#!/bin/sh')
    await writeFile(join(folder, '.gitattributes'), '*.mp4 filter=lfs')
  })
  expect(job.losses).toBeNull()
  const told = report.findings.filter(({ rule }: { rule: string }) => rule === 'git-not-kept')
  expect(told.map(({ sentence }: { sentence: string }) => sentence)).toEqual(['2 files of `.git` are not kept.'])
  const { body: files } = await program.call('GET', `/api/v1/catalog/datasets/${job.dataset_id}/files?limit=100`, {
    bearer,
  })
  const ofGit = files.items.map(({ path }: { path: string }) => path).filter((path: string) => path.includes('.git'))
  expect(ofGit).toEqual(['.gitattributes'])
})

test('a file beside the recordings that is called like a folder of the dataset is left out, and the rest is kept', async () => {
  const folder = join(scratch, 'same-name')
  await mkdir(folder)
  await cp(getFixture('hdf5/generic_run_0042.h5'), join(folder, 'run.h5'))
  await writeFile(join(folder, 'data'), 'what was recorded where')
  await writeFile(join(folder, 'LICENSE'), 'MIT')
  const job = await importFixture(program, bearer, {
    org: 'ada',
    project: 'default',
    slug: 'same-name',
    folder,
    sourceKind: 'hdf5',
  })
  const { body: report } = await program.call('GET', `${place}/imports/${job.id}/report`, { bearer })
  const left = report.item.findings.filter(({ rule }: { rule: string }) => rule === 'file-left-out')
  expect(left.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
    expect.stringContaining('data (23 bytes)'),
  ])
  const { body: files } = await program.call('GET', `/api/v1/catalog/datasets/${job.dataset_id}/files?limit=100`, {
    bearer,
  })
  expect(files.items.map(({ path }: { path: string }) => path)).toContain('LICENSE')
})

test('a failed import is dismissed and taken back by an editor; one that has not failed is not', async () => {
  const folder = join(scratch, 'broken')
  await mkdir(folder)
  await writeFile(
    join(folder, 'cut.hdf5'),
    Buffer.concat([Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'), Buffer.alloc(88)]),
  )
  const input = { org: 'ada', project: 'default', slug: 'broken', folder }
  const { id } = await createFixtureImport(program, bearer, input)
  const failed = await waitForImport(program, bearer, input, id)
  expect(failed).toMatchObject({ status: 'failed', dismissed_at: null })
  const dismiss = (id: string, dismissed: boolean) =>
    program.call('POST', `${place}/imports/${id}/dismiss`, { bearer, body: { dismissed } })
  const first = await dismiss(failed.id, true)
  expect(first.body.item.dismissed_at).toEqual(expect.any(String))
  expect((await dismiss(failed.id, true)).body).toEqual(first.body)
  expect((await dismiss(failed.id, false)).body.item.dismissed_at).toBeNull()
  const { job } = await importChanged('fine', 'lerobot/recorded-v3.0-two-cameras', async () => {})
  const refused = await dismiss(job.id, true)
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
})

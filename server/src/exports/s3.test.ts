import { isCamera } from '@nmp/formats/feature'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Exporter, openExporter, readColumn } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { getTestS3Endpoint, s3Settings } from '../storage/s3/s3-server.contract.ts'

describe('exports on S3', () => {
  let program: TestProgram
  let exporter: Exporter
  let datasetId: string

  beforeAll(async () => {
    const endpoint = getTestS3Endpoint()
    program = await startProgram({ ...s3Settings(endpoint), NMP_S3_PUBLIC_ENDPOINT: endpoint })
    const { db } = program.context
    const user = await program.addUser('s3-exports@example.org')
    const org = await createOrg(db, 'operator', { slug: 's3-exports-lab', name: 'Lab', adminUserId: user.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    exporter = await openExporter(program, await program.signIn(user), 's3-exports-lab', 'lab')
    const place = { orgId: org.id, projectId: project.id, slug: 'recording' }
    datasetId = (await publishRecording(program.context, place, [9, 8, 7])).datasetId
    program.startWorker()
  }, 60_000)
  afterAll(async () => {
    await program.close()
    await exporter.close()
  })

  test('copied and encoded ones are made from the store and fetched from it; twice the same', async () => {
    const copied = await exporter.exportAndOpen(datasetId, { selected_episode_indices: [2, 0] })
    expect(new URL(copied.link).host).toBe(new URL(getTestS3Endpoint()).host)
    const part = await fetch(copied.link, { headers: { range: 'bytes=512-1023' } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, copied.bytes.subarray(512, 1024)])
    expect((await readColumn(copied.dataset, 1, 'observation.state'))[0]).toBeCloseTo(2, 5)
    await copied.dataset.close()
    const recipe = { crop: { left_pct: 0, top_pct: 0, width_pct: 50, height_pct: 100 } }
    const encoded = await exporter.exportAndOpen(datasetId, recipe)
    expect(encoded.job.shard_count).toBeGreaterThan(0)
    expect(encoded.dataset.features.filter(isCamera)[0]).toMatchObject({ width: 32, height: 64 })
    await encoded.dataset.close()
    const again = await exporter.derive(datasetId, recipe)
    const job = await exporter.waitForEnd(again.id, await exporter.queue(again.id))
    expect(job.checksum_sha256).toBe(encoded.job.checksum_sha256)
    const { body } = await exporter.call('GET', `${exporter.versionsPath}/${encoded.version.id}/files`)
    const info = body.items.find(({ path }: { path: string }) => path === 'meta/info.json')
    expect(await (await fetch(info.url)).json()).toMatchObject({ total_episodes: 3, codebase_version: 'v3.0' })
  }, 90_000)
})

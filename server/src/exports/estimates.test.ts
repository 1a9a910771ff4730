import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { type Exporter, openExporter } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
let program: TestProgram
let exporter: Exporter
let place: { orgId: string; projectId: string }

beforeAll(async () => {
  program = await startProgram()
  const user = await program.addUser('ada@example.org')
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: user.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  exporter = await openExporter(program, await program.signIn(user), 'acme', 'lab')
  place = { orgId: org.id, projectId: project.id }
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

interface Previewed {
  key: string
  estimate: string
  estimated_bytes: number
  estimated_files: number
}

/** docs/targets.md says so. */
const mostOff = 0.15

test.each([
  ['two cameras in AV1', 'lerobot/recorded-v3.0-two-cameras', { video: 'h264', compression: 'zstd' }],
  ['pictures in rows', 'lerobot/recorded-v3.0-images', {}],
])(
  '%s: every form has about the size that was told before it was made',
  async (slug, fixture, mcap) => {
    const { datasetId } = await publishFolder(program.context, getFixture(fixture), {
      ...place,
      slug: slug.replaceAll(' ', '-').toLowerCase(),
    })
    const version = await exporter.derive(
      datasetId,
      { selected_episode_indices: [0, 2] },
      `of-${datasetId.slice(3, 9)}`,
    )
    const options = { mcap, robomimic: { next_obs: false } }
    const listTargets = async (): Promise<Previewed[]> => {
      const query = `options=${encodeURIComponent(JSON.stringify(options))}`
      return (await exporter.call('GET', `${versionsPath}/${version.id}/export-targets?${query}`)).body.items
    }
    const told = await waitUntil(async () => {
      const answer = await listTargets()
      return answer.some(({ estimate }) => estimate === 'measuring') ? undefined : answer
    })
    expect(told.map(({ estimate }) => estimate)).toEqual(told.map(() => 'settled'))
    const keys = told.map(({ key }) => key)
    const { body } = await exporter.call('POST', `${versionsPath}/${version.id}/export-jobs`, {
      artifact_keys: keys,
      options,
    })
    const off: Record<string, number> = {}
    for (const { id, artifact_key: key } of body.jobs) {
      const job = await exporter.waitForEnd(version.id, id)
      expect(job, key).toMatchObject({ status: 'succeeded' })
      const target = told.find((one) => one.key === key)
      off[key] = (target?.estimated_bytes ?? 0) / job.size_bytes - 1
      const files = await exporter.call('GET', `${versionsPath}/${version.id}/files?artifact_key=${key}&limit=200`)
      if (key !== 'lerobot') expect([key, target?.estimated_files]).toEqual([key, files.body.items.length])
    }
    expect(Object.entries(off).filter(([, share]) => Math.abs(share) > mostOff)).toEqual([])
  },
  120_000,
)

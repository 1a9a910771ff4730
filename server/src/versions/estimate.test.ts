import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { type Exporter, openExporter } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

let program: TestProgram
let exporter: Exporter
let datasetId: string
/** By codec of their cameras, of which one has the same size in both. */
const byCodec = new Map<string, string>()

beforeAll(async () => {
  program = await startProgram()
  const admin = await program.addUser('ada@example.org')
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const place = { orgId: org.id, projectId: project.id, slug: 'two-cameras' }
  const folder = getFixture('lerobot/recorded-v3.0-two-cameras')
  datasetId = (await publishFolder(program.context, folder, place)).datasetId
  for (const [codec, name] of [
    ['h264', 'recorded-v3.0-many-files'],
    ['av1', 'recorded-v2.1'],
  ] as const) {
    const published = await publishFolder(program.context, getFixture(`lerobot/${name}`), { ...place, slug: codec })
    byCodec.set(codec, published.datasetId)
  }
  exporter = await openExporter(program, await program.signIn(admin), 'acme', 'lab')
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const camera_keys = ['observation.images.top']
const crop = { left_pct: 10, top_pct: 10, width_pct: 60, height_pct: 60 }
const resize = { width: 96, height: 72, mode: 'fit' }

/** What is encoded anew depends on what is seen: there the first answer does not wait for the trial. */
const recipes: [name: string, recipe: object, first: string][] = [
  ['two episodes', { selected_episode_indices: [0, 2] }, 'settled'],
  ['another action, one camera', { action: { smoothing_window: 9 }, camera_keys }, 'settled'],
  ['a crop', { crop, camera_keys }, 'measuring'],
  ['a smaller size', { resize, camera_keys }, 'measuring'],
  ['two of five frames', { fps: 8, camera_keys }, 'measuring'],
]

async function preview(recipe: object) {
  const source = { dataset_kind: 'catalog', dataset_id: datasetId }
  const { body } = await exporter.call('POST', `${exporter.versionsPath}/preview`, { source, recipe })
  return body.item
}

test.each(recipes)(
  'the size that is told of %s is within 15 % of the tar',
  async (_, recipe, first) => {
    expect((await preview(recipe)).estimate).toBe(first)
    await expect.poll(async () => (await preview(recipe)).estimate, { timeout: 30_000 }).toBe('settled')
    const { estimated_bytes: estimatedBytes } = await preview(recipe)
    const version = await exporter.derive(datasetId, recipe)
    const job = await exporter.waitForEnd(version.id, await exporter.queue(version.id))
    expect(job.status).toBe('succeeded')
    expect(Math.abs(estimatedBytes / job.size_bytes - 1)).toBeLessThan(0.15)
  },
  60_000,
)

/** What fewer frames have is encoded as what most have. */
const merges: [name: string, episodesOfFirst: number][] = [
  ['AV1 that becomes H.264', 8],
  ['H.264 that becomes AV1', 2],
]

test.each(merges)(
  'the size that is told of a merge with %s is within 15 % of the tar',
  async (_, count) => {
    const [front, laptop] = ['observation.images.front', 'observation.images.laptop']
    const dimensions = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper']
    const named = {
      dimensions: dimensions.map((name) => `main_${name}`),
      names: dimensions.map((name) => `${name}.pos`),
    }
    const features = { action: named, 'observation.state': named }
    const source = (codec: string, key: string, recipe: object, map: object) => ({
      ...{ dataset_kind: 'catalog', dataset_id: byCodec.get(codec), map },
      recipe: { camera_keys: [key], ...recipe },
    })
    const sources = [
      source('h264', front, { first_n_episodes: count }, {}),
      source('av1', laptop, {}, { robot_type: 'so101_follower', cameras: { [laptop]: front }, features }),
    ]
    const tell = async () => {
      const answer = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, { sources })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body.item
    }
    expect((await tell()).estimate).toBe('measuring')
    await expect.poll(async () => (await tell()).estimate, { timeout: 30_000 }).toBe('settled')
    const { estimated_bytes: estimatedBytes } = await tell()
    const body = { slug: `merged-${count}`, name: 'Merged', project_slug: 'lab', sources }
    const made = await exporter.call('POST', exporter.versionsPath, body)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { id } = made.body.item
    const job = await exporter.waitForEnd(id, await exporter.queue(id))
    expect(job.status).toBe('succeeded')
    expect(Math.abs(estimatedBytes / job.size_bytes - 1), `${estimatedBytes} of ${job.size_bytes}`).toBeLessThan(0.15)
  },
  60_000,
)

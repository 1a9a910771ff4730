import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { waitUntil } from '../../test/wait-until.ts'

const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
let lab: Lab

beforeAll(async () => {
  lab = await openLab()
  lab.program.startWorker()
}, 60_000)
afterAll(() => lab.close())

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
    const { program, exporter, place } = lab
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

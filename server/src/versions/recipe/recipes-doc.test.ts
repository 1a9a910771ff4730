import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishFolder } from '../../../test/published-dataset.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

const page = await readFile(join(import.meta.dirname, '../../../../docs/recipes.md'), 'utf8')
const examples = [...page.matchAll(/```json\n([\s\S]*?)```\n\n> (.*)\n/g)].map(([, recipe = '', said = '']) => ({
  recipe,
  said,
}))
const command = /```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
const versionsPath = '/api/v1/orgs/acme/derived-dataset-versions'
const words = { copy: 'copied', encode: 'encoded' } as const

describe('docs/recipes.md', () => {
  let program: TestProgram
  let bearer: string
  let datasetId: string
  let annotationSetId: string

  beforeAll(async () => {
    program = await startProgram()
    const user = await program.addUser('ada@example.org')
    bearer = await program.signIn(user)
    const { db } = program.context
    const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: user.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
    const place = { orgId: org.id, projectId: project.id, slug: 'two-cameras' }
    datasetId = (await publishFolder(program.context, fixture, place)).datasetId
    const sets = '/api/v1/orgs/acme/projects/lab/datasets/two-cameras/annotation-sets'
    const body = { name: 'Reviewed', episodes: [{ episode_index: 1, task: 'stack the cups', success: true }] }
    annotationSetId = (await program.call('POST', sets, { bearer, body })).body.item.id
  }, 60_000)
  afterAll(() => program.close())

  test('has its examples', () => expect(examples.length).toBe(14))

  test.each(examples)('$recipe', async ({ recipe: text, said }) => {
    const recipe = JSON.parse(text.replace('ann_…', annotationSetId))
    const source = { dataset_kind: 'project', dataset_id: datasetId }
    const preview = await program.call('POST', `${versionsPath}/preview`, { bearer, body: { source, recipe } })
    expect(preview.status, JSON.stringify(preview.body)).toBe(200)
    const cameras = preview.body.item.cameras.map(
      ({
        key,
        width,
        height,
        treatment,
      }: {
        key: string
        width: number
        height: number
        treatment: 'copy' | 'encode'
      }) => `${key.split('.').at(-1)} ${width}x${height} ${words[treatment]}`,
    )
    expect(`${preview.body.item.episode_count} episodes; ${cameras.join(', ')}`).toBe(said)
    const body = { slug: 'example', name: 'Example', project_slug: 'lab', source, recipe }
    expect((await program.call('POST', versionsPath, { bearer, body })).status).toBe(201)
  })

  test('its command makes a version', async () => {
    const env = { ...process.env, NMP: program.url, TOKEN: bearer }
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('ds_…', datasetId)], { env })
    expect(JSON.parse(stdout).item).toMatchObject({ slug: 'cans-curated', version: 1, episode_count: 4 })
  })
})

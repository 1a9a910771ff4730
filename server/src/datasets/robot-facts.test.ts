import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRobosuiteFile } from '../../../formats/test/robosuite-file.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { prepareRecording } from '../../test/published-dataset.ts'

const golden = join(import.meta.dirname, '../../../formats/test/golden/hdf5')
const place = { org: 'ada', project: 'default' }
const base = '/api/v1/orgs/ada/projects/default/datasets'

let program: TestProgram
let bearer: string
let scratch: string

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'nmp-robot-facts-'))
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
  program.startWorker({ pollSeconds: 0.2 })
}, 120_000)
afterAll(async () => {
  await program.close()
  await rm(scratch, { recursive: true, force: true })
})

const bring = (slug: string, folder: string) => importFixture(program, bearer, { ...place, slug, folder })
const factsOf = async (slug: string) => {
  const { body } = await program.call('GET', `${base}/${slug}/manifest`, { bearer })
  const { work_name, task_name, robot_type, embodiment, robot_description_uri } = body.item
  return { work_name, task_name, robot_type, embodiment, robot_description_uri }
}
const change = async (slug: string, fields: object) => {
  const answer = await program.call('PATCH', `${base}/${slug}`, { bearer, body: fields })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

/** robosuite with two arms and a URDF; PH2D's own attribute; LeRobot's robot_type with keys that others put beside it. */
test('sources say what robot acts, and at what work', async () => {
  const file = join(scratch, 'demo.hdf5')
  const environment = { env_name: 'TwoArmLift', type: 1, env_kwargs: { control_freq: 20, robots: ['Panda', 'Sawyer'] } }
  const attributes = { urdf_path: 'robots/two-arms.urdf' }
  await writeFile(file, await writeRobosuiteFile({ env_args: environment, attributes }))
  await bring('robosuite', file)
  expect(await factsOf('robosuite')).toEqual({
    work_name: 'TwoArmLift',
    task_name: null,
    robot_type: 'Panda + Sawyer',
    embodiment: 'Panda + Sawyer',
    robot_description_uri: 'robots/two-arms.urdf',
  })

  await bring('humanoid', join(golden, 'ph2d', 'source'))
  expect(await factsOf('humanoid')).toMatchObject({
    embodiment: 'h1_inspire',
    robot_type: 'h1_inspire',
    work_name: null,
  })
  await bring('simulated', join(golden, 'isaac-lab', 'source'))
  expect((await factsOf('simulated')).work_name).toMatch(/\w/)

  const folder = join(scratch, 'lerobot')
  await cp(join((await prepareRecording([6, 5])).folder, 'dataset'), folder, { recursive: true })
  const path = join(folder, 'meta/info.json')
  const info = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...info, robot_type: 'so101', urdf: 'https://example.org/so101.urdf' }))
  await bring('lerobot', folder)
  expect(await factsOf('lerobot')).toEqual({
    work_name: null,
    task_name: 'Look around',
    robot_type: 'so101',
    embodiment: 'so101',
    robot_description_uri: 'https://example.org/so101.urdf',
  })
}, 240_000)

test('what a person says of them wins in manifest, catalog, facets and search, until it is taken back', async () => {
  await change('lerobot', { visibility: 'public' })
  const said = { work_name: 'Table clearing', task_name: 'Look left', robot_type: 'SO-101', embodiment: 'one arm' }
  await change('lerobot', { ...said, robot_description_uri: 'https://example.org/mine.urdf' })
  expect(await factsOf('lerobot')).toMatchObject({ ...said, robot_description_uri: 'https://example.org/mine.urdf' })
  const browse = async (query: string) => (await program.call('GET', `/api/v1/catalog/datasets?${query}`)).body
  const all = await browse('')
  expect(all.items[0]).toMatchObject({ ...said, tasks: ['Look left', 'Look around'] })
  expect(all.facets.robot_type).toEqual([{ value: 'SO-101', count: 1 }])
  expect(all.facets.task.map(({ value }: { value: string }) => value).toSorted()).toEqual(['Look around', 'Look left'])
  for (const query of ['q=clearing', 'q=arm', 'q=left', 'robot_type=SO-101', 'task=Look%20left', 'q=around'])
    expect((await browse(query)).total, query).toBe(1)
  for (const query of ['q=so101', 'robot_type=so101']) expect((await browse(query)).total, query).toBe(0)

  await change('lerobot', { robot_type: null, embodiment: null, task_name: null, work_name: '' })
  expect(await factsOf('lerobot')).toMatchObject({
    ...{ robot_type: 'so101', embodiment: 'so101', task_name: 'Look around', work_name: null },
  })
  expect((await browse('robot_type=so101')).total).toBe(1)
  const refused = await program.call('PATCH', `${base}/lerobot`, { bearer, body: { robot_description_uri: 'a b' } })
  expect(refused.status).toBe(422)
}, 60_000)

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Feature } from '@nmp/formats/feature'
import { write } from '@nmp/formats/lerobot/writer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { openLabelledSet } from '../../../formats/test/labelled-dataset.ts'
import { type Kind, type LabelledSet, makeLabelledSet } from '../../../formats/test/labelled-set.ts'
import { createMemoryDataset } from '../../../formats/test/memory-dataset.ts'
import { generateModel, publishModel } from '../../test/generated-dataset.ts'
import { importFixture } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { buildReadModel } from '../datasets/read-model/build.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

interface Listed {
  episode_index: number
  score: number
  score_label: string
}

let program: TestProgram
let session: string
let folder: string
let place: { orgId: string; projectId: string }
const ids: Record<string, string> = {}
let labelled: LabelledSet

const read = async (slug: string, rest: string) => {
  const answer = await program.call('GET', `/api/v1/catalog/datasets/${ids[slug]}/${rest}`, { bearer: session })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.item
}
const numbers = (list: Listed[]): number[] => list.map(({ episode_index }) => episode_index)
const wanted = (...kinds: Kind[]): number[] =>
  labelled.episodes.flatMap(({ kind }, position) => (kinds.includes(kind) ? [position] : []))
const inOrder = (values: number[]): number[] => values.toSorted((a, b) => a - b)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nmp-filtering-'))
  labelled = makeLabelledSet({
    seed: 11,
    episodes: 24,
    fps: 20,
    seconds: 8,
    space: 'pose',
    operator: 'person',
    gripper: 'commanded',
    noise: 0.02,
    bad: { 'idle-start': 2, 'idle-middle': 2, 'idle-end': 1, shaky: 2 },
  })
  await write(openLabelledSet(labelled), join(folder, 'labelled'))
  const state: Feature = { kind: 'column', name: 'observation.state', dtype: 'float32', shape: [2], names: ['a', 'b'] }
  const still = [40, 50, 60].map((length) => ({
    length,
    tasks: ['wait'],
    columns: new Map([['observation.state', new Float32Array(length * 2).fill(0.25)]]),
  }))
  await write(createMemoryDataset([state], still), join(folder, 'still'))
  program = await startProgram()
  program.startWorker()
  const user = await program.addUser('curator@example.org')
  session = await program.signIn(user)
  const org = await createOrg(program.context.db, 'operator', { slug: 'lab', name: 'Lab', adminUserId: user.id })
  const project = await createProject(program.context.db, 'operator', { orgId: org.id, slug: 'arm', name: 'Arm' })
  place = { orgId: org.id, projectId: project.id }
  const folders = {
    labelled: join(folder, 'labelled'),
    still: join(folder, 'still'),
    can: getFixture('lerobot/recorded-v3.0-can-motion'),
    alike: getFixture('lerobot/recorded-v3.0-two-cameras'),
  }
  for (const [slug, path] of Object.entries(folders)) {
    const job = await importFixture(program, session, { org: 'lab', project: 'arm', slug, folder: path })
    ids[slug] = job.dataset_id ?? ''
  }
})
afterAll(async () => {
  await program.close()
  await rm(folder, { recursive: true, force: true })
})

test('the lists hold those that stand out and nobody else, in order, with the reason', async () => {
  const filtering = await read('labelled', 'filtering')
  const [low, high]: Listed[][] = [filtering.low_motion_episodes, filtering.high_variance_episodes]
  expect(inOrder(numbers(low ?? []))).toEqual(wanted('idle-start', 'idle-middle', 'idle-end'))
  expect(inOrder(numbers(high ?? []))).toEqual(wanted('shaky'))
  expect(filtering).toMatchObject({
    supports_motion_insights: true,
    low_motion_total: low?.length,
    high_variance_total: high?.length,
    note: null,
  })
  expect(low?.map(({ score }) => score)).toEqual(low?.map(({ score }) => score).sort((a, b) => a - b))
  expect(high?.map(({ score }) => score)).toEqual(high?.map(({ score }) => score).sort((a, b) => b - a))
  const insights = await read('labelled', 'insights')
  for (const { episode_index: index, score_label } of low ?? []) {
    const still = insights.still_seconds[index].toFixed(2)
    expect(score_label).toContain(`still for ${still} s of ${(insights.length_frames[index] / 20).toFixed(2)} s`)
  }
  for (const { score_label } of high ?? []) expect(score_label).toMatch(/^[\d.]+ times the median jerk at its pace$/)
})

test('insights rank everybody: those that stand still longest first, whoever is merely slow after them', async () => {
  const { total, least_motion, most_variance, longest_still_seconds } = await read('labelled', 'insights')
  expect(inOrder(least_motion)).toEqual(Array.from({ length: total }, (_, index) => index))
  expect(inOrder(most_variance)).toEqual(inOrder(least_motion))
  const times = least_motion.map((index: number) => longest_still_seconds[index])
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a))
  expect(inOrder(least_motion.slice(0, 5))).toEqual(wanted('idle-start', 'idle-middle', 'idle-end'))
  expect(inOrder(most_variance.slice(0, 2))).toEqual(wanted('shaky'))
  const page = await read('labelled', 'insights?offset=3&limit=4')
  expect(page.least_motion).toEqual(least_motion.slice(3, 7))
})

test('of a recording by a simulated Panda those that pause and those that shake are listed, and their pauses are exact', async () => {
  const path = `${getFixture('lerobot/recorded-v3.0-can-motion')}.labels.json`
  const labels: { episode_index: number; kind: string }[] = JSON.parse(await readFile(path, 'utf8'))
  const labelledAs = (...kinds: string[]) =>
    labels.filter(({ kind }) => kinds.includes(kind)).map(({ episode_index }) => episode_index)
  const { low_motion_episodes: low, high_variance_episodes: high } = await read('can', 'filtering')
  expect(inOrder(numbers(low))).toEqual(labelledAs('pause', 'mid'))
  expect(inOrder(numbers(high))).toEqual(labelledAs('shaky'))
  // The frames before the arm is first told to move, the gripper's opening among them.
  const { still_seconds: still, least_motion } = await read('can', 'insights')
  expect([4, 23, 25].map((index) => Math.round(still[index] * 20))).toEqual([113, 79, 53])
  expect(inOrder(least_motion.slice(0, 6))).toEqual(labelledAs('pause', 'mid'))
})

test('where no episode differs from the others the lists are empty', async () => {
  expect(await read('alike', 'filtering')).toMatchObject({ low_motion_episodes: [], high_variance_episodes: [] })
})

test('a set in which nothing moves says so', async () => {
  const filtering = await read('still', 'filtering')
  expect(filtering).toMatchObject({
    supports_motion_insights: true,
    low_motion_episodes: [],
    high_variance_episodes: [],
    note: 'Nothing moves in any of the 3 episodes: observation.state keeps its values from the first frame to the last.',
  })
  const insights = await read('still', 'insights')
  expect(insights).toMatchObject({ motion: [0, 0, 0], note: filtering.note })
  expect(insights.still_seconds).toEqual(insights.length_frames.map((frames: number) => frames / 10))
})

test('a read model of before is answered from: its still time and variance are what is compared', async () => {
  const lengths = Array.from({ length: 12 }, () => 300)
  const model = generateModel(lengths, () => [0], ['pick'])
  const { columns } = model
  columns.motion?.fill(0.02)
  columns.variance?.fill(0.005)
  columns.stillSeconds?.fill(0)
  columns.stillSeconds?.set([4], 3)
  columns.variance?.set([0.05], 7)
  expect(columns.shake).toBeUndefined()
  const { datasetId } = await publishModel(program.context, { ...place, slug: 'before' }, model)
  ids.before = datasetId
  const { low_motion_episodes: low, high_variance_episodes: high } = await read('before', 'filtering')
  expect([numbers(low), numbers(high)]).toEqual([[3], [7]])
  expect(low[0].score_label).toContain('still for 4.00 s of 10.00 s')
})

test('the same dataset gives the same read model', async () => {
  for (const name of ['one', 'two'])
    await buildReadModel({ datasetFolder: join(folder, 'labelled'), targetFolder: join(folder, name) })
  for (const file of ['manifest.json', 'episodes.bin'])
    expect(await readFile(join(folder, 'one', file))).toEqual(await readFile(join(folder, 'two', file)))
})

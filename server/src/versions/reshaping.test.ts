import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PacketFrames } from '@nmp/formats/dataset'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { hashPackets } from '../../../formats/test/packet-hashes.ts'
import { type Exporter, openExporter, readColumn } from '../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'

/** Six episodes of 48, 61, 37, 55, 70 and 42 frames whose pictures carry their numbers. */
const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
const joints = Array.from({ length: 6 }, (_, at) => `joint_${at + 1}.pos`)
let program: TestProgram
let exporter: Exporter
let datasetId: string

beforeAll(async () => {
  program = await startProgram()
  const admin = await program.addUser('ada@example.org')
  const bearer = await program.signIn(admin)
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const place = { orgId: org.id, projectId: project.id, slug: 'two-cameras' }
  datasetId = (await publishFolder(program.context, fixture, place)).datasetId
  exporter = await openExporter(program, bearer, 'acme', 'lab')
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const source = (id = datasetId) => ({ dataset_kind: id.startsWith('ver_') ? 'version' : 'catalog', dataset_id: id })
const preview = (recipe: object, id?: string) =>
  exporter.call('POST', `${exporter.versionsPath}/preview`, { source: source(id), recipe })
const getOf = (id: string) => async (path: string) => {
  const { status, body } = await exporter.call('GET', `/api/v1/catalog/datasets/${id}${path}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.item
}
const getFeature = (features: { name: string }[], name: string) => features.find((feature) => feature.name === name)

async function expectRefused(recipe: object, path: (string | number)[], sentence: string): Promise<void> {
  const body = { slug: 'no', name: 'No', project_slug: 'lab', source: source(), recipe }
  for (const answer of [await preview(recipe), await exporter.call('POST', exporter.versionsPath, body)]) {
    expect(answer.status, JSON.stringify(answer.body)).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'recipe', ...path], msg: `Value error, ${sentence}` })
  }
}

describe('features', () => {
  const all = 'action, observation.state, observation.images.top, observation.images.wrist, next.reward, next.success'
  const refusals: [recipe: object, path: (string | number)[], sentence: string][] = [
    [
      { features: { drop: ['gripper'] } },
      ['features', 'drop', 0],
      `there is no feature gripper: the dataset has ${all}`,
    ],
    [
      { features: { drop: ['frame_index'] } },
      ['features', 'drop', 0],
      "frame_index is obligatory: LeRobot's loaders count frames by it",
    ],
    [
      { features: { rename: { action: 'observation.state' } } },
      ['features', 'rename', 'action'],
      'the name observation.state is taken: drop or rename the feature that has it',
    ],
    [
      { features: { dimensions: { action: ['joint_1.pos', 'elbow'] } } },
      ['features', 'dimensions', 'action', 1],
      `action has no dimension elbow: it has ${[...joints, 'gripper.pos'].join(', ')}`,
    ],
  ]
  test.each(refusals)('%j is refused at its place', expectRefused)

  test('names that no file can have, and forms that are none, are refused by the schema', async () => {
    for (const features of [
      { rename: { action: '../action' } },
      { rename: { action: '' } },
      { dimensions: { action: [] } },
      { keep: [] },
    ])
      expect((await preview({ features })).status).toBe(422)
  })

  const recipe = {
    excluded_episode_indices: [5],
    action: { smoothing_window: 3, smoothing_mode: 'mean' },
    features: {
      drop: ['next.reward', 'observation.images.wrist'],
      rename: { 'observation.images.top': 'observation.images.overhead', action: 'action.joints' },
      dimensions: { action: ['gripper.pos', 'joint_2.pos'], 'observation.state': joints },
    },
  }

  test('previewed, read before the export and exported, every place has the same names, shapes and numbers', async () => {
    const { status, body } = await preview(recipe)
    expect(status, JSON.stringify(body)).toBe(200)
    const previewed = body.item.statistics.features
    expect(previewed.map(({ name, names }: { name: string; names: unknown }) => [name, names])).toEqual([
      ['action.joints', ['gripper.pos', 'joint_2.pos']],
      ['observation.state', joints],
      ['next.success', null],
    ])
    expect(body.item.cameras).toMatchObject([
      { key: 'observation.images.top', name: 'observation.images.overhead', treatment: 'copy' },
    ])
    const version = await exporter.derive(datasetId, recipe, 'reshaped')
    expect(version.recipe.features).toEqual(recipe.features)
    const get = getOf(version.id)
    const before = {
      rows: await get('/episodes/2/rows?points=5000'),
      statistics: (await get('/feature-statistics')).features,
      insights: await get('/insights'),
    }
    expect(before.rows.series.map(({ name }: { name: string }) => name)).toEqual([
      'action.joints',
      'observation.state',
      'next.success',
    ])
    const [stream] = (await get('/episodes/2/media')).streams
    expect(stream).toMatchObject({ camera_key: 'observation.images.overhead', label: 'overhead' })
    expect((await fetch(stream.poster_url)).status).toBe(200)
    expect((await fetch(stream.url)).status).toBe(200)
    const { folder, dataset, bytes } = await exporter.exportVersion(version)
    await using exported = dataset
    const info = JSON.parse(await readFile(join(folder, 'meta/info.json'), 'utf8'))
    expect(info.features['observation.state']).toMatchObject({ shape: [6], names: joints })
    expect(Object.keys(info.features)).not.toContain('next.reward')
    const stored = JSON.parse(await readFile(join(folder, 'meta/stats.json'), 'utf8'))
    for (const { name, statistics } of previewed)
      for (const [key, values] of Object.entries(statistics as Record<string, number[]>))
        for (const [place, value] of values.entries())
          expect(Math.abs(value - stored[name][key][place])).toBeLessThan(1e-6)
    expect(await get('/episodes/2/rows?points=5000')).toEqual(before.rows)
    expect(await get('/insights')).toEqual(before.insights)
    const after = (await get('/feature-statistics')).features
    expect(after.map(({ name }: { name: string }) => name)).toEqual(
      before.statistics.map(({ name }: { name: string }) => name),
    )
    expect(getFeature(after, 'action.joints')).toEqual(getFeature(before.statistics, 'action.joints'))
    const plain = await exporter.exportVersion(
      await exporter.derive(datasetId, { ...recipe, features: null }, 'unshaped'),
    )
    await using whole = plain.dataset
    const rows = await readColumn(whole, 3, 'action')
    const wanted = Array.from({ length: 55 }, (_, frame) => [rows[frame * 7 + 6], rows[frame * 7 + 1]]).flat()
    expect(await readColumn(exported, 3, 'action.joints')).toEqual(wanted)
    const open = (of: typeof exported, camera: string) => of.getEpisode(3).openCamera(camera) as Promise<PacketFrames>
    expect(await hashPackets(await open(exported, 'observation.images.overhead'))).toEqual(
      await hashPackets(await open(whole, 'observation.images.top')),
    )
    const again = await exporter.exportVersion(await exporter.derive(datasetId, recipe, 'reshaped-again'))
    await using _ = again.dataset
    expect(Buffer.compare(again.bytes, bytes)).toBe(0)
  }, 120_000)

  test('a version of a version speaks of the new names, and what was exchanged is changed under the name it has', async () => {
    const exchange = { rename: { action: 'observation.state', 'observation.state': 'action' } }
    const once = await exporter.derive(datasetId, { features: exchange, first_n_episodes: 2 }, 'exchanged')
    const scale = { action: { scale: 10 }, features: { dimensions: { action: ['joint_3.pos'] } } }
    const twice = await exporter.derive(once.id, scale, 'exchanged-scaled')
    const read = async () => (await getOf(twice.id)('/episodes/1/rows?points=5000&recorded=true')).series
    const planned = await read()
    const { dataset } = await exporter.exportVersion(twice)
    await using exported = dataset
    const { dataset: plain } = await exporter.exportVersion(once)
    await using whole = plain
    const state = await readColumn(whole, 1, 'action')
    const scaled = Array.from({ length: 61 }, (_, frame) => Math.fround((state[frame * 7 + 2] as number) * 10))
    expect(await readColumn(exported, 1, 'action')).toEqual(scaled)
    expect(planned.map(({ name }: { name: string }) => name)).toContain('recorded.action')
    expect(await read()).toEqual(planned)
    const refused = await preview({ features: { dimensions: { action: ['joint_1.pos'] } } }, twice.id)
    expect(refused.body.detail[0].msg).toBe('Value error, action has no dimension joint_1.pos: it has joint_3.pos')
  }, 120_000)
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openCodec } from '@nmp/formats/codec'
import type { Dataset, PacketFrames } from '@nmp/formats/dataset'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { applyRecipe, type RecipeSteps } from '@nmp/formats/steps/recipe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { readBarCodes } from '../../../formats/test/bar-code.ts'
import { hashPackets } from '../../../formats/test/packet-hashes.ts'
import { type Exporter, readColumn } from '../../test/exporter.ts'
import { type Lab, openLab } from '../../test/lab.ts'
import type { TestProgram } from '../../test/program.ts'
import { publishFolder } from '../../test/published-dataset.ts'

/** Six episodes of 48, 61, 37, 55, 70 and 42 frames whose pictures carry their numbers. */
const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
const joints = Array.from({ length: 6 }, (_, at) => `joint_${at + 1}.pos`)
let lab: Lab
let program: TestProgram
let exporter: Exporter
let datasetId: string

beforeAll(async () => {
  lab = await openLab()
  program = lab.program
  exporter = lab.exporter
  datasetId = (await publishFolder(program.context, fixture, { ...lab.place, slug: 'two-cameras' })).datasetId
  program.startWorker()
}, 60_000)
afterAll(() => lab.close())

const source = (id = datasetId) => ({ dataset_kind: id.startsWith('ver_') ? 'version' : 'catalog', dataset_id: id })
const preview = (recipe: object, id?: string) =>
  exporter.call('POST', `${exporter.versionsPath}/preview`, { source: source(id), recipe })
const getOf = (id: string) => async (path: string) => {
  const { status, body } = await exporter.call('GET', `/api/v1/catalog/datasets/${id}${path}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.item
}
const getFeature = (features: { name: string }[], name: string) => features.find((feature) => feature.name === name)

/** The source as the library reads it. */
const openRecorded = async (recipe: RecipeSteps = {}): Promise<Dataset> =>
  applyRecipe(await openDataset(await openFolder(fixture)), recipe)

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
      { action: { smoothing_window: 9, smoothing_dimensions: ['elbow'] } },
      ['action', 'smoothing_dimensions', 0],
      `action has no dimension elbow: it has ${[...joints, 'gripper.pos'].join(', ')}`,
    ],
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

  const smoothed = ['joint_2.pos']
  const recipe = {
    excluded_episode_indices: [5],
    action: { smoothing_window: 3, smoothing_mode: 'mean', smoothing_dimensions: smoothed },
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
    const { folder, dataset } = await exporter.exportVersion(version)
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
    await using whole = await openRecorded({ action: { smoothingWindow: 3, smoothingMode: 'mean' } })
    await using recorded = await openRecorded()
    const [rows, raw] = [await readColumn(whole, 3, 'action'), await readColumn(recorded, 3, 'action')]
    const wanted = Array.from({ length: 55 }, (_, frame) => [raw[frame * 7 + 6], rows[frame * 7 + 1]]).flat()
    expect(raw[6 + 7]).not.toBe(rows[6 + 7])
    expect(await readColumn(exported, 3, 'action.joints')).toEqual(wanted)
    const open = (of: Dataset, camera: string) => of.getEpisode(3).openCamera(camera) as Promise<PacketFrames>
    expect(await hashPackets(await open(exported, 'observation.images.overhead'))).toEqual(
      await hashPackets(await open(whole, 'observation.images.top')),
    )
  }, 120_000)

  test('a version of a version speaks of the new names, and what was exchanged is changed under the name it has', async () => {
    const exchange = { rename: { action: 'observation.state', 'observation.state': 'action' } }
    const once = await exporter.derive(datasetId, { features: exchange, first_n_episodes: 2 }, 'exchanged')
    const scale = { action: { scale: 10 }, features: { dimensions: { action: ['joint_3.pos'] } } }
    const twice = await exporter.derive(once.id, scale, 'exchanged-scaled')
    // The place among those that are left, and not the one that it had when it was stored.
    const further = { action: { smoothing_window: 101, smoothing_dimensions: ['joint_3.pos'] } }
    const { before, after } = (await preview(further, twice.id)).body.item.action
    expect(after[0][0]).not.toBeCloseTo(before[0][0], 3)
    const read = async () => (await getOf(twice.id)('/episodes/1/rows?points=5000&recorded=true')).series
    const planned = await read()
    const { dataset } = await exporter.exportVersion(twice)
    await using exported = dataset
    await using whole = await openRecorded()
    const state = await readColumn(whole, 1, 'observation.state')
    const scaled = Array.from({ length: 61 }, (_, frame) => Math.fround((state[frame * 7 + 2] as number) * 10))
    expect(await readColumn(exported, 1, 'action')).toEqual(scaled)
    expect(planned.map(({ name }: { name: string }) => name)).toContain('recorded.action')
    expect(await read()).toEqual(planned)
    const refused = await preview({ features: { dimensions: { action: ['joint_1.pos'] } } }, twice.id)
    expect(refused.body.detail[0].msg).toBe('Value error, action has no dimension joint_1.pos: it has joint_3.pos')
  }, 120_000)
})

describe('frame rate and shift', () => {
  const refusals: [recipe: object, path: (string | number)[], sentence: string][] = [
    [
      { fps: 21 },
      ['fps'],
      'the dataset has 20 frames per second, and a recipe can only lower that: frames in between were not recorded',
    ],
    [
      { selected_episode_indices: [0], trim: { ranges: { '0': [[0, 3]] } }, action: { shift_frames: -3 } },
      ['action', 'shift_frames'],
      'no frame is left: no episode has more than 3 frames',
    ],
  ]
  test.each(refusals)('%j is refused at its place', expectRefused)

  test('rates and shifts out of bounds are refused by the schema', async () => {
    for (const recipe of [
      { fps: 0 },
      { fps: 7.5 },
      { fps: -10 },
      { action: { shift_frames: 11 } },
      { action: { shift_frames: 0.5 } },
    ])
      expect((await preview(recipe)).status).toBe(422)
  })

  /** Episode 1 begins between keyframes and is encoded, episode 2 is copied. */
  const recipe = {
    selected_episode_indices: [1, 2],
    trim: { ranges: { '1': [[3, 50]] } },
    fps: 10,
    action: { shift_frames: 2, smoothing_window: 3, smoothing_mode: 'mean' },
  }
  const every = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + 2 * at)
  const wanted = [
    { episode: 1, frames: every(3, 22), end: 50 },
    { episode: 2, frames: every(0, 17), end: 37 },
  ]

  test('the preview counts frames and seconds at the new rate', async () => {
    const { status, body } = await preview(recipe)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.item).toMatchObject({
      episode_count: 2,
      frame_count: 39,
      duration_sec: 3.9,
      fps: 10,
      source_fps: 20,
      longest_episode_sec: 2.2,
      cut: { frame_count: 98 - 39, episode_count: 2, dropped_episode_count: 0 },
      frame: { episode_index: 1, frame_index: 3 + 2 * 11 },
      statistics: { exact: true },
    })
    expect(body.item.cut.duration_sec).toBeCloseTo(1, 9)
    const { timestamp, before, after } = body.item.action
    expect([timestamp.length, timestamp[1]]).toEqual([22, 0.1])
    // In the middle the mean of three neighbours, two frames later.
    expect(after[0][5]).toBeCloseTo((before[0][6] + before[0][7] + before[0][8]) / 3, 5)
  })

  test('a version is read at its rate before the export, and exported so: every picture shows its own number', async () => {
    const previewed = (await preview(recipe)).body.item.statistics.features
    const version = await exporter.derive(datasetId, recipe, 'slower')
    expect(version).toMatchObject({ episode_count: 2, frame_count: 39, recipe: { fps: 10 } })
    const get = getOf(version.id)
    const media = await get('/episodes/0/media')
    expect(media).toMatchObject({ fps: 10 })
    expect((await fetch(media.streams[0].url)).status).toBe(200)
    const read = async () => ({
      rows: await Promise.all([0, 1].map((episode) => get(`/episodes/${episode}/rows?points=5000`))),
      metrics: (await get('')).metrics,
      insights: await get('/insights'),
      numbers: (await get('/feature-statistics')).features.filter(
        ({ name }: { name: string }) => !name.startsWith('observation.images'),
      ),
    })
    const before = await read()
    expect(before.rows[0].timestamp.slice(0, 3)).toEqual([0, Math.fround(0.1), Math.fround(0.2)])
    const { folder, dataset, bytes } = await exporter.exportVersion(version)
    await using exported = dataset
    expect(exported.fps).toBe(10)
    const after = await read()
    expect(after.rows).toEqual(before.rows)
    expect(after.insights).toEqual(before.insights)
    const stored = JSON.parse(await readFile(join(folder, 'meta/stats.json'), 'utf8'))
    const keys = ['count', 'min', 'max', 'mean', 'std', 'q01', 'q50', 'q99']
    for (const { name, statistics, ...numbers } of [...previewed, ...before.numbers])
      for (const key of keys)
        for (const [place, value] of [(statistics ?? numbers)[key]].flat().entries())
          expect([name, key, Math.abs(value - stored[name][key][place]) < 1e-6]).toEqual([name, key, true])
    await using whole = await openRecorded()
    await using codec = openCodec()
    for (const [position, { episode, frames, end }] of wanted.entries()) {
      for (const [camera, name] of ['observation.images.top', 'observation.images.wrist'].entries()) {
        const shown = await exported.getEpisode(position).openCamera(name)
        expect(await readBarCodes(shown, codec)).toEqual(frames.map((frame) => ({ frame, episode, camera })))
      }
      const reward = await readColumn(whole, episode, 'next.reward')
      const sums = frames.map((frame) =>
        Math.fround(reward.slice(frame, Math.min(end, frame + 2)).reduce((a, b) => a + b)),
      )
      expect(await readColumn(exported, position, 'next.reward')).toEqual(sums)
      const state = await readColumn(whole, episode, 'observation.state')
      const taken = frames.flatMap((frame) => state.slice(frame * 7, frame * 7 + 7))
      expect(await readColumn(exported, position, 'observation.state')).toEqual(taken)
    }
    const again = await exporter.exportVersion(await exporter.derive(datasetId, recipe, 'slower-again'))
    await using _ = again.dataset
    expect(Buffer.compare(again.bytes, bytes)).toBe(0)
    const slowest = await exporter.derive(version.id, { fps: 4, selected_episode_indices: [1] }, 'slowest')
    const planned = await getOf(slowest.id)('/episodes/0/rows?points=5000')
    expect(planned.timestamp.slice(0, 3)).toEqual([0, 0.25, 0.5])
    const last = await exporter.exportVersion(slowest)
    await using lowest = last.dataset
    expect(await getOf(slowest.id)('/episodes/0/rows?points=5000')).toEqual(planned)
    const nearest = [0, 2, 5, 7, 10, 12, 15].map((frame) => ({ frame: 2 * frame, episode: 2, camera: 0 }))
    expect(await readBarCodes(await lowest.getEpisode(0).openCamera('observation.images.top'), codec)).toEqual(nearest)
  }, 180_000)
})

describe('labels', () => {
  const sets = '/api/v1/orgs/acme/projects/lab/datasets/two-cameras/annotation-sets'
  let set: string

  beforeAll(async () => {
    const episodes = [
      { episode_index: 0, success: true, tags: ['clean'], task: 'push the block' },
      { episode_index: 1, success: true, tags: ['clean', 'fast'] },
      { episode_index: 2, success: false, tags: ['fast'], task: 'push the block' },
      { episode_index: 4, success: true, tags: ['slow'], task: 'lift the block' },
    ]
    set = (await exporter.call('POST', sets, { name: 'Reviewed', episodes })).body.item.id
  })

  const list = async (recipe: object): Promise<number[]> => {
    const version = await exporter.derive(datasetId, { annotation_set_id: set, ...recipe }, 'labelled')
    const { items } = await getOf(version.id)('/episodes')
    return items.map(({ source_index: index }: { source_index: number }) => index)
  }

  test.each<[where: object, kept: number[]]>([
    [{ success: true }, [0, 1, 4]],
    [{ success: false }, [2]],
    [{ tags_any: ['slow', 'fast'] }, [1, 2, 4]],
    [{ tasks_any: ['push the block'] }, [0, 2]],
    [{ success: true, tags_any: ['clean'], tasks_any: [] }, [0, 1]],
    [{ success: true, splits_any: ['train'] }, [0, 1, 4]],
  ])('%j keeps %j', async (where, kept) => expect(await list({ where })).toEqual(kept))

  test('they restrict what is selected, before the first n are counted', async () => {
    expect(await list({ where: { success: true }, excluded_episode_indices: [0], first_n_episodes: 1 })).toEqual([1])
    expect(await list({ where: { tags_any: ['fast'] }, selected_episode_indices: [2, 3] })).toEqual([2])
  })

  test.each<[recipe: () => object, path: (string | number)[], sentence: string]>([
    [
      () => ({ where: { success: true } }),
      ['where', 'success'],
      'success asks for labels, which are those of an annotation set: name it as annotation_set_id',
    ],
    [
      () => ({ where: { tasks_any: ['push the block'] } }),
      ['where', 'tasks_any'],
      'tasks_any asks for labels, which are those of an annotation set: name it as annotation_set_id',
    ],
    [
      () => ({ where: { success: true }, annotation_set_id: 'ann_gone' }),
      ['annotation_set_id'],
      'this revision of the dataset has no annotation set ann_gone',
    ],
    [
      () => ({ where: { tags_any: ['fast', 'quick'] }, annotation_set_id: set }),
      ['where', 'tags_any', '1'],
      'no episode of the annotation set has the tag quick',
    ],
    [
      () => ({ where: { success: false, tags_any: ['slow'] }, annotation_set_id: set }),
      [],
      'no episode is left: none of the remaining episodes has the labels that where asks for',
    ],
  ])('%#: is refused at its place', (recipe, path, sentence) => expectRefused(recipe(), path, sentence))

  test('a version says why, stays with the set it was made with, and exports what it lists', async () => {
    const where = { success: true, tags_any: ['clean', 'slow'] }
    const recipe = { annotation_set_id: set, where, fps: 10, action: { shift_frames: 1 } }
    expect((await preview(recipe)).body.item).toMatchObject({ episode_count: 3, frame_count: 23 + 30 + 34 })
    const version = await exporter.derive(datasetId, recipe, 'clean')
    expect(version.recipe).toMatchObject({ where, annotation_set_version: 1 })
    const change = { merge: true, episodes: [{ episode_index: 0, success: false, tags: [] }] }
    expect((await exporter.call('PUT', `${sets}/${set}`, change)).status).toBe(200)
    const { dataset } = await exporter.exportVersion(version)
    await using exported = dataset
    const lengths = Array.from({ length: exported.episodeCount }, (_, at) => exported.getEpisode(at).length)
    expect(lengths).toEqual([23, 30, 34])
    expect(exported.getEpisode(2).tasks).toEqual(['lift the block'])
    const later = { ...recipe, annotation_set_version: 2 }
    expect((await preview(later)).body.item.episode_count).toBe(2)
    const derived = await exporter.derive(version.id, { selected_episode_indices: [2] }, 'clean-one')
    expect(derived).toMatchObject({ episode_count: 1, frame_count: 34 })
  }, 120_000)
})

import { openCodec } from '@nmp/formats/codec'
import type { CameraFrames } from '@nmp/formats/dataset'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { readBarCodes } from '../../../../formats/test/bar-code.ts'
import { type Exporter, readColumn } from '../../../test/exporter.ts'
import { type Lab, openLab } from '../../../test/lab.ts'
import type { TestProgram } from '../../../test/program.ts'
import { publishFolder } from '../../../test/published-dataset.ts'

/** Six episodes of 48, 61, 37, 55, 70 and 42 frames whose pictures carry their numbers. */
const fixture = getFixture('lerobot/recorded-v3.0-two-cameras')
const cameras = ['observation.images.top', 'observation.images.wrist']
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
const preview = (recipe: object, id?: string, more: object = {}) =>
  exporter.call('POST', `${exporter.versionsPath}/preview`, { source: source(id), recipe, ...more })

describe('trim and split', () => {
  test.each([
    [
      { trim: { ranges: { '6': [[0, 4]] } } },
      ['trim', 'ranges', '6'],
      'there is no episode 6: the dataset has 6, numbered from 0',
    ],
    [{ trim: { ranges: { '2': [[30, 38]] } } }, ['trim', 'ranges', '2', 0], 'episode 2 ends at frame 37'],
    [
      {
        trim: {
          ranges: {
            '2': [
              [0, 9],
              [8, 12],
            ],
          },
        },
      },
      ['trim', 'ranges', '2', '1'],
      'the range overlaps the one before, which ends at frame 9, or comes before it',
    ],
    [
      { trim: { ranges: { '2': [[9, 9]] } } },
      ['trim', 'ranges', '2', '0'],
      'frames 9 to 9 are no frame: a range ends after it begins',
    ],
    [{ split: { '9': { at: [3] } } }, ['split', '9'], 'there is no episode 9: the dataset has 6, numbered from 0'],
    [
      { split: { '2': { at: [37] } } },
      ['split', '2', 'at', 0],
      'episode 2 has the frames 0 to 36, and a part begins after the first',
    ],
    [{ split: { '2': { at: [5, 5] } } }, ['split', '2', 'at', '1'], 'cuts are ascending frames after frame 0'],
    [{ split: { '2': { at: [5], tasks: ['one'] } } }, ['split', '2', 'tasks'], '2 parts need 2 task texts, not 1'],
    [
      { split: { '2': { at: [20] } }, trim: { ranges: { '2': [[0, 20]] } } },
      ['split', '2'],
      'part 2 of episode 2 has no frame: trim keeps none of its frames',
    ],
  ])('%j is refused at its place', async (recipe, path, sentence) => {
    const body = { slug: 'no', name: 'No', project_slug: 'lab', source: source(), recipe }
    for (const answer of [await preview(recipe), await exporter.call('POST', exporter.versionsPath, body)]) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(422)
      expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'recipe', ...path], msg: `Value error, ${sentence}` })
    }
  })

  test('keys that are no episode numbers and ranges of another form are refused by the schema', async () => {
    for (const ranges of [
      { first: [[0, 4]] },
      { '01': [[0, 4]] },
      { '0': [[0, 4, 5]] },
      { '0': [[-1, 4]] },
      { '0': [] },
    ])
      expect((await preview({ trim: { ranges } })).status).toBe(422)
  })

  const recipe = {
    excluded_episode_indices: [5],
    trim: {
      ranges: {
        '0': [[10, 31]],
        '1': [[7, 30]],
        '2': [
          [0, 9],
          [14, 15],
          [21, 37],
        ],
      },
    },
    split: { '4': { at: [13], tasks: ['reach', 'place'] } },
  }
  /** Source episode and kept frames of each episode of the result. */
  const wanted: [episode: number, ranges: number[][]][] = [
    [0, [[10, 31]]],
    [1, [[7, 30]]],
    [
      2,
      [
        [0, 9],
        [14, 15],
        [21, 37],
      ],
    ],
    [3, [[0, 55]]],
    [4, [[0, 13]]],
    [4, [[13, 70]]],
  ]
  const list = (ranges: number[][]): number[] =>
    ranges.flatMap(([from = 0, to = 0]) => Array.from({ length: to - from }, (_, at) => from + at))
  const frameCount = wanted.reduce((sum, [, ranges]) => sum + list(ranges).length, 0)

  test('the preview counts what is kept and what goes, with exact statistics', async () => {
    const { status, body } = await preview(recipe, undefined, { episode_index: 2 })
    expect(status, JSON.stringify(body)).toBe(200)
    const { item } = body
    expect(item).toMatchObject({
      episode_count: 6,
      frame_count: frameCount,
      duration_sec: frameCount / 20,
      shortest_episode_sec: 13 / 20,
      longest_episode_sec: 57 / 20,
      cut: { frame_count: 27 + 38 + 11, episode_count: 3, dropped_episode_count: 0 },
      frame: { episode_index: 2, frame_index: 24 },
      statistics: { exact: true },
    })
    expect(item.tasks.items).toContainEqual({ task: 'reach', episode_count: 1 })
    const reward = item.statistics.features.find(({ name }: { name: string }) => name === 'next.reward')
    expect(reward.statistics.count).toEqual([frameCount])
    expect(item.action.frame_index).toHaveLength(26)
  })

  test('a version is read with its frames before the export, and exported with them: every picture shows its own number', async () => {
    const version = await exporter.derive(datasetId, recipe, 'cut')
    expect(version).toMatchObject({ episode_count: 6, frame_count: frameCount, recipe: { split: recipe.split } })
    const get = async (path: string) => {
      const { status, body } = await exporter.call('GET', `/api/v1/catalog/datasets/${version.id}${path}`)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.item
    }
    const episodes = (await get('/episodes')).items
    expect(episodes.map((entry: { length_frames: number }) => entry.length_frames)).toEqual(
      wanted.map(([, ranges]) => list(ranges).length),
    )
    const planned = await get('/episodes/2/rows?points=5000')
    const { folder, dataset, bytes } = await exporter.exportVersion(version)
    await using exported = dataset
    await using codec = openCodec()
    expect(exported.episodeCount).toBe(wanted.length)
    for (const [position, [episode, ranges]] of wanted.entries())
      for (const [camera, name] of cameras.entries()) {
        const frames = (await exported.getEpisode(position).openCamera(name)) as CameraFrames
        const codes = list(ranges).map((frame) => ({ frame, episode, camera }))
        expect(await readBarCodes(frames, codec), `${name} of ${folder}`).toEqual(codes)
      }
    expect(exported.getEpisode(4).tasks).toEqual(['reach'])
    expect(await get('/episodes/2/rows?points=5000')).toEqual(planned)
    const again = await exporter.exportVersion(await exporter.derive(datasetId, recipe, 'cut-again'))
    await using _ = again.dataset
    expect(Buffer.compare(again.bytes, bytes)).toBe(0)
  }, 120_000)

  test('a version of a cut version speaks of its frames, and an action that was smoothed before the cut stays so', async () => {
    const smooth = { action: { smoothing_window: 9, smoothing_mode: 'mean' } }
    const smoothed = await exporter.derive(datasetId, { ...smooth, selected_episode_indices: [0] }, 'smoothed')
    const once = await exporter.derive(
      smoothed.id,
      {
        trim: {
          ranges: {
            '0': [
              [10, 14],
              [20, 40],
            ],
          },
        },
      },
      'once',
    )
    const twice = await exporter.derive(once.id, { trim: { ranges: { '0': [[2, 20]] } } }, 'twice')
    const refused = await preview({ trim: { ranges: { '0': [[0, 19]] } } }, twice.id)
    expect(refused.body.detail[0].msg).toBe('Value error, episode 0 ends at frame 18')
    const kept = list([
      [12, 14],
      [20, 36],
    ])
    const read = async () =>
      (await exporter.call('GET', `/api/v1/catalog/datasets/${twice.id}/episodes/0/rows?points=5000`)).body.item
    const planned = await read()
    expect(planned.length_frames).toBe(18)
    const { dataset: whole } = await exporter.exportVersion(smoothed)
    await using before = whole
    const { dataset: cut } = await exporter.exportVersion(twice)
    await using after = cut
    const rows = await readColumn(before, 0, 'action')
    const width = rows.length / 48
    const expected = kept.flatMap((frame) => rows.slice(frame * width, (frame + 1) * width))
    expect(await readColumn(after, 0, 'action')).toEqual(expected)
    expect(await read()).toEqual(planned)
  }, 120_000)
})

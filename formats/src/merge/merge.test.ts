import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import { drawNumberedPicture, readPictureNumber } from '../../test/numbered-picture.ts'
import { hashPackets } from '../../test/packet-hashes.ts'
import { openFile } from '../bytes.ts'
import { openCodec } from '../containers/codec/codec.ts'
import { encodePng } from '../containers/image.ts'
import { openParquetReader } from '../containers/parquet/parquet.ts'
import { openVideo } from '../containers/video/video.ts'
import type { Block, CameraFrames, Dataset, Episode, PacketFrames } from '../dataset.ts'
import type { CameraFeature, ColumnFeature } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { pickAtRate } from '../frame-ranges.ts'
import { openDataset } from '../layouts/index.ts'
import { sidecarPath } from '../layouts/lerobot/sidecar.ts'
import { applyRecipe } from '../steps/recipe.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { type MergeInput, mergeDatasets } from './merge-datasets.ts'
import { type DescribedSource, planMerge } from './plan-merge.ts'
import type { SourceMap } from './source-map.ts'
import { suggestMaps } from './suggest-map.ts'

const size = { width: 96, height: 64 }
const column = (name: string, names: string[] | null, dtype: ColumnFeature['dtype'] = 'float32'): ColumnFeature => ({
  kind: 'column',
  name,
  dtype,
  shape: [names?.length ?? 1],
  names,
})
const camera = (name: string): CameraFeature => ({
  kind: 'camera',
  name,
  storage: 'video',
  ...size,
  channels: 3,
  info: {},
})

function drawFrames(number: number, length: number): CameraFrames {
  return {
    kind: 'images',
    frameCount: length,
    read: async function* ({ frames = Array.from({ length }, (_, frame) => frame) } = {}) {
      for (const frame of frames) {
        const data = drawNumberedPicture(size.width, size.height, number + frame)
        yield { frameIndex: frame, bytes: await encodePng({ ...size, channels: 3, data }) }
      }
    },
  }
}

interface Made {
  lengths: number[]
  fps: number
  cameras: string[]
  joints: string[]
  /** In degrees. */
  scale: number
  hasReward: boolean
}
const sets: Made[] = [
  { lengths: [6, 9], fps: 10, cameras: ['top', 'hand'], joints: ['a', 'b', 'c'], scale: 1, hasReward: true },
  { lengths: [8], fps: 20, cameras: ['above', 'wrist'], joints: ['c', 'a', 'b'], scale: 1, hasReward: true },
  {
    lengths: [5, 4],
    fps: 10,
    cameras: ['top', 'hand'],
    joints: ['a', 'b', 'c', 'd'],
    scale: 180 / Math.PI,
    hasReward: false,
  },
]
/** Radians of a joint at a frame, by which each number can be told from all others. */
const angle = (set: number, episode: number, frame: number, joint: string): number =>
  Math.sin(set + 3 * episode + frame * 0.7 + 'abcd'.indexOf(joint) * 1.3)
const numberOf = (set: number, episode: number, view: number): number => 1000 * set + 200 * episode + 100 * view

function makeSet(set: number): Dataset {
  const { lengths, fps, cameras, joints, scale, hasReward } = sets[set] as Made
  const features = [
    column('action', joints),
    ...(hasReward ? [column('next.reward', null)] : []),
    ...cameras.map((name) => camera(`observation.images.${name}`)),
  ]
  const episodes = lengths.map((length, episode): MemoryEpisode => {
    const action = Array.from({ length }, (_, frame) =>
      joints.map((joint) => angle(set, episode, frame, joint) * scale),
    )
    return {
      length,
      tasks: [set === 1 ? 'Push it' : `push ${episode}`],
      columns: new Map([
        ['action', Float32Array.from(action.flat())],
        ['next.reward', Float32Array.from({ length }, (_, frame) => frame / 8)],
      ]),
      cameras: new Map(
        cameras.map((name, view) => [`observation.images.${name}`, drawFrames(numberOf(set, episode, view), length)]),
      ),
    }
  })
  return { ...createMemoryDataset(features, episodes, 7, fps), robotType: set === 1 ? 'so100' : 'so101' }
}

const maps: SourceMap[] = [
  { robot_type: 'arm', features: { 'next.reward': { from: 'next.reward' } } },
  {
    robot_type: 'arm',
    cameras: {
      'observation.images.above': 'observation.images.top',
      'observation.images.wrist': 'observation.images.hand',
    },
    features: { action: { dimensions: ['a', 'b', 'c'] } },
    tasks: { 'Push it': 'push 0' },
  },
  {
    robot_type: 'arm',
    features: { action: { dimensions: ['a', 'b', 'c'], unit: ['deg', 'rad'] }, 'next.reward': { fill: 0.5 } },
    tasks: { '*': 'push 1' },
  },
]
const said = (place: number) => ({
  datasetId: `set ${place}`,
  revision: `r${place}`,
  recipe: null,
  map: maps[place] as never,
})

let work: string
let stored: Dataset[]
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'merge-'))
  stored = []
  for (const [place, videoCodec] of (['h264', 'h264', 'av1'] as const).entries()) {
    const folder = join(work, `set-${place}`)
    await write(makeSet(place), folder, { videoCodec })
    stored.push(await openDataset(await openFolder(folder)))
  }
}, 120_000)
afterAll(async () => {
  for (const dataset of stored) await dataset.close()
  await rm(work, { recursive: true })
})

const inputs = (): MergeInput[] =>
  stored.map((dataset, place) => ({ dataset, title: `set ${place}`, said: said(place), map: maps[place] }))

describe('three sets with other cameras, joints, rates, units and codecs', () => {
  test('become one: numbers, tasks, pictures, statistics, provenance; only what differs is encoded', async () => {
    const merged = await mergeDatasets(inputs())
    const folder = join(work, 'merged')
    const report = await write(merged, folder, { cameraStatistics: 'carry' })
    expect([report.episodeCount, report.frameCount]).toEqual([5, 6 + 9 + 4 + 5 + 4])
    await using result = await openDataset(await openFolder(folder))
    expect([result.fps, result.robotType]).toEqual([10, 'arm'])
    expect(result.features.map(({ name }) => name)).toEqual(stored[0]?.features.map(({ name }) => name))
    const wanted = [
      { set: 0, episode: 0 },
      { set: 0, episode: 1 },
      { set: 1, episode: 0 },
      { set: 2, episode: 0 },
      { set: 2, episode: 1 },
    ]
    const codec = openCodec()
    for (const [position, { set, episode }] of wanted.entries()) {
      const own = sets[set] as Made
      const frames = pickAtRate(own.lengths[episode] as number, own.fps, 10).flatMap(([from, to]) =>
        Array.from({ length: to - from }, (_, at) => from + at),
      )
      const found = result.getEpisode(position)
      expect([found.length, found.tasks]).toEqual([
        frames.length,
        [set === 1 ? 'push 0' : set === 2 ? 'push 1' : `push ${episode}`],
      ])
      const [block] = (await Array.fromAsync(found.readBlocks())) as [Block]
      const numbers = frames.flatMap((frame) => ['a', 'b', 'c'].map((joint) => angle(set, episode, frame, joint)))
      for (const [at, value] of (block.columns.get('action') as Float32Array).entries())
        expect(Math.abs(value - (numbers[at] as number))).toBeLessThan(1e-6)
      const rewards = Array.from(block.columns.get('next.reward') as Float32Array)
      if (set === 2) expect(rewards).toEqual(frames.map(() => 0.5))
      for (const [view, name] of ['top', 'hand'].entries()) {
        const packets = (await found.openCamera(`observation.images.${name}`)) as PacketFrames
        await using source = await openFile(packets.file)
        await using video = await openVideo(source)
        expect(video.facts.codec).toBe('h264')
        const numbersSeen: number[] = []
        const asked = frames.map((_, at) => packets.startFrame + at)
        for await (const picture of codec.decode({ video, frames: asked })) numbersSeen.push(readPictureNumber(picture))
        expect(numbersSeen).toEqual(frames.map((frame) => numberOf(set, episode, view) + frame))
      }
    }
    await codec.close()
    for (const [position, before] of [
      [0, stored[0]?.getEpisode(0)],
      [1, stored[0]?.getEpisode(1)],
    ] as const)
      expect(await hashPackets(await result.getEpisode(position).openCamera('observation.images.hand'))).toEqual(
        await hashPackets((await before?.openCamera('observation.images.hand')) as PacketFrames),
      )
    const encoded = report.findings.filter(({ rule }) => rule === 'video-encoded')
    expect(encoded.map(({ sentence }) => sentence).toSorted()).toEqual([
      'The video of observation.images.hand was encoded again as h264.',
      'The video of observation.images.top was encoded again as h264.',
    ])
  }, 120_000)

  test('each episode says where it is from', async () => {
    const folder = join(work, 'told')
    await write(await mergeDatasets(inputs()), folder, { cameraStatistics: 'carry' })
    await using reader = await openParquetReader(folder)
    const columns = ['source_index', 'source_dataset_id', 'source_revision', 'source_episode_index']
    const rows = await Array.fromAsync(reader.readRecords(join(folder, sidecarPath), columns))
    expect(rows.map((row) => columns.map((name) => (name.endsWith('index') ? Number(row[name]) : row[name])))).toEqual([
      [0, 'set 0', 'r0', 0],
      [0, 'set 0', 'r0', 1],
      [1, 'set 1', 'r1', 0],
      [2, 'set 2', 'r2', 0],
      [2, 'set 2', 'r2', 1],
    ])
  }, 60_000)

  test('frames drawn by the table of weights come from sources, or tasks, as often as these weigh', async () => {
    const readShares = async (dataset: Dataset, name: string, groupOf: (episode: Episode) => string) => {
      const folder = join(work, name)
      await write(dataset, folder, { cameraStatistics: 'carry' })
      await using reader = await openParquetReader(folder)
      const rows = await Array.fromAsync(reader.readRecords(join(folder, 'meta/weights.parquet'), ['index', 'weight']))
      expect(rows.map(({ index }) => Number(index))).toEqual(rows.map((_, at) => at))
      const total = rows.reduce((sum, { weight }) => sum + Number(weight), 0)
      expect(total).toBeCloseTo(rows.length, 9)
      const shares: Record<string, number> = {}
      for (let position = 0, from = 0; position < dataset.episodeCount; position++) {
        const episode = dataset.getEpisode(position)
        for (let row = from; row < from + episode.length; row++)
          shares[groupOf(episode)] = (shares[groupOf(episode)] ?? 0) + Number(rows[row]?.weight) / total
        from += episode.length
      }
      return shares
    }
    const weighed = inputs().map((input, place) => ({ ...input, weight: [1, 2, 5][place] as number }))
    const bySource = await readShares(await mergeDatasets(weighed), 'weighed', ({ sourcePlace }) => String(sourcePlace))
    for (const [place, share] of [0.125, 0.25, 0.625].entries()) expect(bySource[place]).toBeCloseTo(share, 9)
    const tasks = new Map([
      ['push 0', 3],
      ['push 1', 1],
    ])
    const byTask = await readShares(
      await mergeDatasets(inputs(), tasks),
      'by-task',
      (episode) => episode.tasks[0] ?? '',
    )
    expect([byTask['push 0'], byTask['push 1']].map((share) => Number(share).toFixed(6))).toEqual([
      '0.750000',
      '0.250000',
    ])
  }, 60_000)

  test('the mapping is suggested: by names, sizes and ranges, and whatever is not certain is told', () => {
    const ranges = [2, 2, 115].map(
      (most) => new Map([['action', { min: [-most, -most, -most, -most], max: [most, most, most, most] }]]),
    )
    const [, second, third] = suggestMaps(
      stored.map((dataset, place) => ({
        ...dataset,
        title: `set ${place}`,
        ranges: ranges[place] as never,
        tasks: [place === 0 ? 'push it' : 'Push it.'],
      })),
    )
    expect(second?.map).toEqual({
      cameras: {
        'observation.images.above': 'observation.images.top',
        'observation.images.wrist': 'observation.images.hand',
      },
      features: { action: { dimensions: ['a', 'b', 'c'] } },
      tasks: { 'Push it.': 'push it' },
      robot_type: 'so101',
    })
    expect(second?.rows.filter(({ isSure }) => isSure).map(({ theirs }) => theirs)).toEqual([
      'action.a',
      'action.b',
      'action.c',
    ])
    expect(third?.map.features).toEqual({ action: { dimensions: ['a', 'b', 'c'], unit: ['deg', 'rad'] } })
    expect(third?.rows.find(({ ours }) => ours === 'next.reward')?.reason).toContain('fill it with a constant')
  })

  test('one source is what it is, and a source may have a recipe of its own', async () => {
    const [first, , third] = inputs() as [MergeInput, MergeInput, MergeInput]
    const alone = await mergeDatasets([{ ...first, map: undefined }])
    expect([alone.episodeCount, alone.fps, alone.robotType]).toEqual([2, 10, 'so101'])
    const picked = applyRecipe(third.dataset, { 'select-episodes': { excluded: [0] } })
    const both = await mergeDatasets([first, { ...third, dataset: picked }])
    expect(Array.from({ length: 3 }, (_, at) => both.getEpisode(at).sourceIndex)).toEqual([0, 1, 1])
  })
})

const described = (over: Partial<DescribedSource> = {}): DescribedSource => ({
  title: 'lab',
  fps: 10,
  robotType: 'arm',
  features: [column('action', ['x', 'y']), camera('front')],
  ...over,
})
const findFaults = (...sources: DescribedSource[]) =>
  planMerge(sources).faults.map(({ path, sentence }) => [path, sentence])
const range = (min: number, max: number) => new Map([['action', { min: [min, 0], max: [max, 1] }]])

describe('what is refused, each at its place', () => {
  test.each<[string, Partial<DescribedSource>, (string | number)[], string]>([
    [
      'another shape',
      { features: [column('action', ['x', 'y', 'z']), camera('front')] },
      [1, 'map', 'features', 'action'],
      'action has the shape 2 in source 0 (lab) and 3 in source 1 (lab): choose its dimensions',
    ],
    [
      'another order',
      { features: [column('action', ['y', 'x']), camera('front')] },
      [1, 'map', 'features', 'action'],
      'the dimensions of action are ordered differently: x, y in source 0 (lab), y, x in source 1 (lab); give dimensions',
    ],
    [
      'other names',
      { features: [column('action', ['u', 'v']), camera('front')] },
      [1, 'map', 'features', 'action'],
      'the dimensions of action are called x, y in source 0 (lab) and u, v in source 1 (lab); say with dimensions and names which are the same',
    ],
    [
      'another size',
      { features: [column('action', ['x', 'y']), { ...camera('front'), width: 48 }] },
      [1, 'map', 'cameras', 'front'],
      'front is 96x64 in source 0 (lab) and 48x64 in source 1 (lab): give one of them a resize in its recipe',
    ],
    [
      'a camera less',
      { features: [column('action', ['x', 'y']), camera('side')], map: { cameras: { side: null } } },
      [1, 'map', 'cameras', 'front'],
      'source 1 (lab) has no camera front, which source 0 (lab) has: map one of its own (side) to it, or leave it out of the others with null',
    ],
    [
      'two onto one name',
      {
        features: [column('action', ['x', 'y']), camera('front'), camera('side')],
        map: { cameras: { side: 'front' } },
      },
      [1, 'map', 'cameras', 'side'],
      'two features of the source would be called front: rename one of them or leave it out',
    ],
    [
      'another robot',
      { robotType: 'so100' },
      [1, 'map', 'robot_type'],
      'the robots differ: source 0 (lab) is arm, source 1 (lab) is so100; say with robot_type what the result is',
    ],
    [
      'another unit',
      { ranges: range(4, 90) },
      [1, 'map', 'features', 'action'],
      'action (x) cannot have one unit: it is -2 to 2 in source 0 (lab) and 4 to 90 in source 1 (lab); give a unit, or confirm units',
    ],
    [
      'units of two kinds',
      { map: { features: { action: { unit: ['deg', 'mm'] } } } },
      [1, 'map', 'features', 'action', 'unit'],
      'deg cannot become mm: one is an angle, the other a length',
    ],
    [
      'a dimension that is not there',
      { map: { features: { action: { dimensions: ['x', 'w'] } } } },
      [1, 'map', 'features', 'action', 'dimensions', 1],
      'action has no dimension w: it has x, y',
    ],
  ])('%s', (_, over, path, sentence) => {
    expect(findFaults(described({ ranges: range(-2, 2) }), described(over))).toContainEqual([path, sentence])
  })

  test('what is said makes it possible', () => {
    const apart = described({ ranges: range(4, 90) })
    const first = described({ ranges: range(-2, 2) })
    expect(findFaults(first, { ...apart, confirm: ['units'] })).toEqual([])
    expect(findFaults(first, { ...apart, map: { features: { action: { unit: { x: ['deg', 'rad'] } } } } })).toEqual([])
    const more = described({ features: [...described().features, column('next.reward', null)] })
    expect(findFaults(more, described())).toHaveLength(1)
    expect(findFaults(more, described({ map: { features: { 'next.reward': { fill: 0 } } } }))).toEqual([])
    expect(planMerge([more, described({ map: { features: { 'next.reward': null } } })]).plan?.features).toHaveLength(2)
    const wide = described({ features: [column('action', ['x', 'y'], 'float64'), camera('front')] })
    expect(planMerge([first, wide]).plan?.features[0]).toMatchObject({ dtype: 'float64' })
  })
})

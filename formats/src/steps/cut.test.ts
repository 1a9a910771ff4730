import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../fixtures/fixture.ts'
import { readBarCodes } from '../../test/bar-code.ts'
import { createMemoryDataset, type MemoryEpisode } from '../../test/memory-dataset.ts'
import { hashPackets } from '../../test/packet-hashes.ts'
import { FilePool } from '../bytes.ts'
import { type Codec, openCodec } from '../containers/codec/codec.ts'
import type { Dataset, PacketFrames } from '../dataset.ts'
import type { CameraFeature, ColumnFeature } from '../feature.ts'
import { openFolder } from '../file-tree.ts'
import { type FrameRange, listKept } from '../frame-ranges.ts'
import type { JsonValue } from '../json.ts'
import { openDataset } from '../layouts/index.ts'
import { type EncodedCamera, encodeCamera, withEncodedCameras } from '../writers/encoded-cameras.ts'
import { write } from '../writers/lerobot-v3/writer.ts'
import { annotationsPath } from './annotate.ts'
import { apply as cut } from './cut.ts'
import { cutIdle, planParts } from './plan-cuts.ts'
import { applyRecipe, applyRecipes } from './recipe.ts'

const column = (name: string, dtype: ColumnFeature['dtype'], width = 1): ColumnFeature => {
  return { kind: 'column', name, dtype, shape: [width], names: null }
}
const lengths = [20, 33, 5]
const features = [column('action', 'float32', 2), column('word', 'string')]

/** Every value says which frame of which episode it is of. */
function makeDataset(): Dataset {
  const episodes = lengths.map((length, episode): MemoryEpisode => {
    return {
      length,
      tasks: ['reach', 'place'],
      taskIndex: Uint32Array.from({ length }, (_, frame) => (frame < length / 2 ? 0 : 1)),
      columns: new Map<string, Float32Array | string[]>([
        [
          'action',
          Float32Array.from({ length: 2 * length }, (_, at) => 100 * episode + Math.floor(at / 2) + (at % 2) / 2),
        ],
        ['word', Array.from({ length }, (_, frame) => `${episode}-${frame}`)],
      ]),
    }
  })
  return createMemoryDataset(features, episodes)
}

async function readEpisode(dataset: Dataset, position: number, range: { startFrame?: number; endFrame?: number } = {}) {
  const episode = dataset.getEpisode(position)
  const rows: { frame: number; action: number[]; word: string; task: string | undefined }[] = []
  for await (const block of episode.readBlocks(range)) {
    const action = block.columns.get('action') as Float32Array
    for (let row = 0; row < block.frameCount; row++)
      rows.push({
        frame: block.startFrame + row,
        action: Array.from(action.subarray(2 * row, 2 * row + 2)),
        word: (block.columns.get('word') as string[])[row] as string,
        task: episode.tasks[block.taskIndex?.[row] ?? 0],
      })
  }
  return rows
}

describe('cut', () => {
  test('rows are those of the kept frames, whatever the ranges, the blocks and what is asked for', async () => {
    const ranges = fc.uniqueArray(fc.integer({ min: 0, max: 33 }), { minLength: 2, maxLength: 8 }).map((bounds) => {
      const sorted = bounds.toSorted((a, b) => a - b)
      return sorted.flatMap((from, at): FrameRange[] =>
        at % 2 === 0 && at + 1 < sorted.length ? [[from, sorted[at + 1] as number]] : [],
      )
    })
    await fc.assert(
      fc.asyncProperty(ranges, fc.nat(), fc.nat(), async (kept, one, other) => {
        const source = makeDataset()
        const result = cut(source, { episodes: new Map([[1, [{ ranges: kept }]]]) })
        const wanted = Array.from(listKept(kept))
        expect([result.episodeCount, result.frameCount]).toEqual([3, 25 + wanted.length])
        const whole = await readEpisode(source, 1)
        const rows = await readEpisode(result, 1)
        expect(rows).toEqual(wanted.map((frame, place) => ({ ...whole[frame], frame: place })))
        const [startFrame, endFrame] = [one % wanted.length, (other % wanted.length) + 1].sort((a, b) => a - b)
        if (startFrame !== endFrame)
          expect(await readEpisode(result, 1, { startFrame, endFrame } as never)).toEqual(
            rows.slice(startFrame, endFrame),
          )
        expect(await readEpisode(result, 0)).toEqual(await readEpisode(source, 0))
      }),
      { numRuns: 40 },
    )
  })

  test('parts are episodes in order, with tasks of their own or those of their frames; an episode without parts goes', async () => {
    const parts = planParts({ length: 33, inside: 'drop', split: { at: [10], tasks: ['reach for it', 'put it down'] } })
    const result = cut(makeDataset(), {
      episodes: new Map([
        [0, [{ ranges: [[12, 20]], tasks: ['place'] }]],
        [1, parts],
        [2, []],
      ]),
    })
    const shown = Array.from({ length: result.episodeCount }, (_, at) => result.getEpisode(at))
    expect(shown.map(({ sourceIndex, length, tasks }) => [sourceIndex, length, tasks])).toEqual([
      [0, 8, ['place']],
      [1, 10, ['reach for it']],
      [1, 23, ['put it down']],
    ])
    expect(new Set((await readEpisode(result, 0)).map(({ task }) => task))).toEqual(new Set(['place']))
    expect(new Set((await readEpisode(result, 2)).map(({ task }) => task))).toEqual(new Set(['put it down']))
    expect(shown[2]?.sourceRanges).toEqual([[10, 33]])
  })

  test('what no episode has is refused', () => {
    for (const ranges of [
      [[0, 21]],
      [[5, 5]],
      [
        [3, 9],
        [8, 12],
      ],
      [],
    ] as FrameRange[][])
      expect(() => cut(makeDataset(), { episodes: new Map([[0, [{ ranges }]]]) })).toThrow(
        /Episode 0 has no frames|no frames/,
      )
  })

  test('annotations follow their frames, a task of the part stays, and those of recipes before go with them', () => {
    const said = {
      success: true,
      segments: [
        { label: 'grasp', start_frame: 8, end_frame: 14 },
        { label: 'rest', start_frame: 0, end_frame: 4 },
      ],
    }
    const annotate = { header: { name: 'Reviewed' }, episodes: new Map([[1, { task: 'annotated', rest: said }]]) }
    const parts = [{ ranges: [[5, 10]] as FrameRange[] }, { ranges: [[12, 20]] as FrameRange[], task: 'mine' }]
    const wanted = [
      { episode_index: 1, success: true, segments: [{ label: 'grasp', start_frame: 3, end_frame: 5 }] },
      { episode_index: 2, success: true, segments: [{ label: 'grasp', start_frame: 0, end_frame: 2 }] },
    ]
    const once = applyRecipe(makeDataset(), { cut: { episodes: new Map([[1, parts]]) }, annotate })
    expect(once.getEpisode(1).tasks).toEqual(['annotated'])
    expect(once.getEpisode(2).tasks).toEqual(['mine'])
    const chained = applyRecipes(makeDataset(), [{ annotate }, { cut: { episodes: new Map([[1, parts]]) } }])
    for (const result of [once, chained])
      expect(result.sidecars?.get(annotationsPath)).toMatchObject({ name: 'Reviewed', episodes: wanted })
  })

  test('language rows move with their frames; what holds at the cut begins at 0, what it replaced is gone', async () => {
    const row = (style: string, timestamp: number, content: string): JsonValue => ({
      role: 'assistant',
      style,
      timestamp,
      content,
      camera: null,
    })
    const rows: JsonValue = [
      row('subtask', 0, 'reach'),
      row('plan', 0, 'all of it'),
      row('subtask', Math.fround(0.5), 'grasp'),
      row('subtask', Math.fround(0.9), 'lift'),
      row('subtask', Math.fround(1.6), 'place'),
    ]
    const language = column('language_persistent', 'language')
    const episode = {
      length: 20,
      tasks: [''],
      columns: new Map([['language_persistent', Array.from({ length: 20 }, () => rows)]]),
    }
    const read = async (ranges: FrameRange[]) => {
      const result = cut(createMemoryDataset([language], [episode]), { episodes: new Map([[0, [{ ranges }]]]) })
      const found: JsonValue[] = []
      for await (const { columns } of result.getEpisode(0).readBlocks())
        found.push(...(columns.get('language_persistent') as JsonValue[]))
      expect(new Set(found.map((entry) => JSON.stringify(entry))).size).toBe(1)
      return (found[0] as { style: string; timestamp: number; content: string }[]).map(({ timestamp, content }) => [
        content,
        Math.round(timestamp * 1000) / 1000,
      ])
    }
    expect(await read([[7, 15]])).toEqual([
      ['all of it', 0],
      ['grasp', 0],
      ['lift', 0.2],
    ])
    expect(
      await read([
        [0, 3],
        [12, 20],
      ]),
    ).toEqual([
      ['reach', 0],
      ['all of it', 0],
      ['lift', 0.3],
      ['place', 0.7],
    ])
  })
})

describe('what a rule cuts', () => {
  const runs: FrameRange[] = [
    [0, 21],
    [40, 61],
    [90, 100],
  ]

  test.each([
    ['start', [[20, 100]]],
    ['end', [[0, 90]]],
    ['both', [[20, 90]]],
    [
      'anywhere',
      [
        [20, 40],
        [60, 90],
      ],
    ],
  ] as const)('%s', (from, kept) => {
    expect(cutIdle(runs, 100, { from, keepFrames: 0 })).toEqual(kept)
  })

  test('frames that are kept beside motion, and an episode that never moves', () => {
    expect(cutIdle(runs, 100, { from: 'anywhere', keepFrames: 5 })).toEqual(
      [
        [16, 45],
        [56, 95],
      ].map(([a, b]) => [a, b]),
    )
    expect(cutIdle([[0, 100]], 100, { from: 'start', keepFrames: 0 })).toEqual([])
  })

  test('every range can be an episode, and a cut that meets a split leaves no empty part', () => {
    const ranges: FrameRange[] = [
      [0, 10],
      [20, 30],
    ]
    expect(planParts({ length: 40, ranges, inside: 'drop' })).toEqual([{ ranges }])
    expect(planParts({ length: 40, ranges, inside: 'split' })).toEqual([{ ranges: [[0, 10]] }, { ranges: [[20, 30]] }])
    expect(planParts({ length: 40, ranges, inside: 'drop', split: { at: [25] } })).toEqual([
      {
        ranges: [
          [0, 10],
          [20, 25],
        ],
      },
      { ranges: [[25, 30]] },
    ])
    expect(planParts({ length: 40, ranges, inside: 'drop', split: { at: [32] } })[1]).toEqual({ ranges: [] })
  })
})

describe('videos', () => {
  const top = 'observation.images.top'
  const wrist = 'observation.images.wrist'
  let work: string
  let source: Dataset
  let codec: Codec
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'cut-'))
    source = await openDataset(await openFolder(getFixture('lerobot/recorded-v3.0-two-cameras')))
    codec = openCodec()
  })
  afterAll(async () => {
    await codec.close()
    await source.close()
    await rm(work, { recursive: true })
  })
  /** Begins at keyframes and between them, keeps one range and several, makes two of one. */
  const episodes = new Map([
    [0, [{ ranges: [[10, 31]] as FrameRange[] }]],
    [1, [{ ranges: [[7, 30]] as FrameRange[] }]],
    [
      2,
      [
        {
          ranges: [
            [0, 9],
            [14, 15],
            [21, 37],
          ] as FrameRange[],
        },
      ],
    ],
    [4, [{ ranges: [[0, 13]] as FrameRange[] }, { ranges: [[13, 70]] as FrameRange[] }]],
  ])

  test('every frame shows its own number; a cut at a keyframe copies packets, the whole is read without a fault', async () => {
    const folder = join(work, 'written')
    const result = cut(source, { episodes })
    const { findings } = await write(result, folder, { codec })
    await using written = await openDataset(await openFolder(folder))
    expect(written.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(written.intact?.videos.has(top)).toBe(true)
    expect(written.episodeCount).toBe(7)
    for (let position = 0; position < written.episodeCount; position++) {
      const { sourceIndex, sourceRanges, length } = result.getEpisode(position)
      const kept = Array.from(listKept(sourceRanges ?? [[0, length]]))
      for (const [camera, name] of [top, wrist].entries()) {
        const codes = await readBarCodes(await written.getEpisode(position).openCamera(name), codec)
        expect(codes).toEqual(kept.map((frame) => ({ frame, episode: sourceIndex, camera })))
      }
    }
    const packets = async (dataset: Dataset, position: number) =>
      hashPackets(await dataset.getEpisode(position).openCamera(top))
    expect(await packets(written, 0)).toEqual((await packets(source, 0)).slice(10, 31))
    const encoded = findings.filter(({ rule }) => rule === 'video-encoded').map(({ episode }) => episode)
    expect(encoded).not.toContain(0)
    expect(encoded).toContain(1)
  }, 120_000)

  test('twice gives the same bytes, and parts that were encoded ahead give those of one run', async () => {
    const recipe = { cut: { episodes }, 'crop-resize': { resize: { width: 96, height: 72, mode: 'stretch' } } } as const
    const changed = applyRecipe(source, { ...recipe, 'select-episodes': { selected: [1, 2, 4] } })
    await write(changed, join(work, 'whole'), { codec })
    await using pool = new FilePool()
    const made = new Map<string, EncodedCamera>()
    for (let position = changed.episodeCount - 1; position >= 0; position--)
      for (const name of [wrist, top]) {
        const frames = (await changed.getEpisode(position).openCamera(name)) as PacketFrames
        const camera = changed.features.find((feature) => feature.name === name) as CameraFeature
        const path = join(work, `${position}-${name}.mp4`)
        made.set(`${position} ${name}`, await encodeCamera({ codec, pool, camera, fps: changed.fps, frames, path }))
      }
    const staged = withEncodedCameras(changed, async (position, name) => made.get(`${position} ${name}`))
    await write(staged, join(work, 'staged'), { codec, cameraStatistics: 'carry' })
    expect(await hashFolder(join(work, 'staged'))).toEqual(await hashFolder(join(work, 'whole')))
    await write(cut(source, { episodes }), join(work, 'again'), { codec })
    expect(await hashFolder(join(work, 'again'))).toEqual(await hashFolder(join(work, 'written')))
  }, 120_000)
})

async function hashFolder(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const { path } of await (await openFolder(folder)).list())
    hashes[path] = createHash('sha256')
      .update(await readFile(join(folder, path)))
      .digest('hex')
  return hashes
}

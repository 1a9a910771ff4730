import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Dataset, Episode, Picture } from '../src/dataset.ts'
import { isCamera } from '../src/feature.ts'
import { openFolder } from '../src/file-tree.ts'
import type { Finding } from '../src/finding.ts'
import { openDataset } from '../src/layouts/index.ts'
import { write } from '../src/writers/lerobot-v3/writer.ts'
import { readBands } from './hdf5-picture.ts'

const golden = fileURLToPath(new URL('./golden/hdf5', import.meta.url))

interface Expected {
  refusal?: string
  layout: string
  fps: number
  cameras: Record<string, [width: number, height: number]>
  columns?: string[]
  /** Per episode; absent: all are `train`. */
  splits?: string[][]
  rules: Record<string, number>
  /** Frames that repeat the one before. */
  repeated?: Record<string, number[]>
  /** Cameras that are whole videos, and the frame the episode begins at. */
  packets?: Record<string, number>
  /** Episodes in which a camera has too many bad pictures. */
  unreadable?: Record<string, string[]>
  episodes: ExpectedEpisode[]
}

interface ExpectedEpisode {
  id: string
  length: number
  task: string
  success: boolean | null
  action: [first: number[], last: number[]]
  state: [first: number[], last: number[]] | null
}

function listCases(): { name: string; expected: Expected; source: string }[] {
  const folders = readdirSync(golden, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.map(({ name }) => ({
    name,
    expected: JSON.parse(readFileSync(join(golden, name, 'expected.json'), 'utf8')) as Expected,
    source: join(golden, name, 'source'),
  }))
}

function countRules(findings: readonly Finding[]): Record<string, number> {
  const groups = Map.groupBy(findings, ({ rule }) => rule)
  return Object.fromEntries([...groups].map(([rule, list]) => [rule, list.length]))
}

async function readColumn(episode: Episode, name: string): Promise<number[][]> {
  const rows: number[][] = []
  for await (const { columns, frameCount } of episode.readBlocks()) {
    const values = Array.from((columns.get(name) ?? []) as ArrayLike<number>, Number)
    const width = values.length / frameCount
    for (let row = 0; row < frameCount; row++) rows.push(values.slice(row * width, (row + 1) * width))
  }
  return rows
}

async function checkRows(episode: Episode, expected: ExpectedEpisode): Promise<void> {
  const action = await readColumn(episode, 'action')
  expect(action).toHaveLength(expected.length)
  expect([action[0], action.at(-1)]).toEqual(expected.action)
  if (expected.state) {
    const state = await readColumn(episode, 'observation.state')
    expect([state[0], state.at(-1)]).toEqual(expected.state)
  }
  if (expected.success !== null) {
    const success = await readColumn(episode, 'next.success')
    expect(success.at(-1)).toEqual([expected.success ? 1 : 0])
  }
}

/** Frame number, upright, red left, blue right, green below: order, orientation and colour in one look. */
function checkPicture(picture: Picture, shown: number): void {
  expect(picture.channels).toBe(3)
  expect(readBands(picture)).toMatchObject({ frameIndex: shown, left: 'red', right: 'blue', bottom: 'green' })
}

async function checkCamera(episode: Episode, camera: string, expected: Expected): Promise<void> {
  const name = `observation.images.${camera}`
  if (expected.unreadable?.[camera]?.includes(episode.sourceId)) {
    await expect(episode.openCamera(name)).rejects.toMatchObject({ code: 'episode_unreadable' })
    return
  }
  const frames = await episode.openCamera(name)
  const startFrame = expected.packets?.[camera]
  if (startFrame !== undefined) {
    expect(frames).toMatchObject({ kind: 'packets', startFrame, frameCount: episode.length })
    return
  }
  if (frames.kind !== 'pixels') throw new Error(`${name} is ${frames.kind}`)
  const repeated = expected.repeated?.[camera] ?? []
  let next = 0
  for await (const picture of frames.read()) {
    expect(picture.frameIndex).toBe(next++)
    checkPicture(picture, repeated.includes(picture.frameIndex) ? picture.frameIndex - 1 : picture.frameIndex)
  }
  expect(next).toBe(episode.length)
  const single = [episode.length - 1]
  for await (const picture of frames.read({ frames: single })) checkPicture(picture, episode.length - 1)
}

async function checkDataset(dataset: Dataset, expected: Expected): Promise<void> {
  expect(dataset.origin.layout).toBe(expected.layout)
  expect(dataset.fps).toBe(expected.fps)
  const cameras = dataset.features.filter(isCamera)
  expect(Object.fromEntries(cameras.map(({ name, width, height }) => [name, [width, height]]))).toEqual(
    Object.fromEntries(Object.entries(expected.cameras).map(([key, size]) => [`observation.images.${key}`, size])),
  )
  expect(dataset.features.map(({ name }) => name)).toEqual(expect.arrayContaining(expected.columns ?? []))
  const episodes = Array.from({ length: dataset.episodeCount }, (_, position) => dataset.getEpisode(position))
  expect(episodes.map(({ sourceId, length, tasks }) => ({ id: sourceId, length, tasks }))).toEqual(
    expected.episodes.map(({ id, length, task }) => ({ id, length, tasks: [task] })),
  )
  expect(episodes.map(({ splits }) => splits)).toEqual(expected.splits ?? episodes.map(() => ['train']))
  for (const [position, episode] of episodes.entries()) {
    await checkRows(episode, expected.episodes[position] as ExpectedEpisode)
    for (const camera of Object.keys(expected.cameras)) await checkCamera(episode, camera, expected)
  }
  expect(countRules(dataset.findings)).toEqual(expected.rules)
}

describe('golden HDF5 files', () => {
  for (const { name, expected, source } of listCases()) {
    test(name, async () => {
      const opening = openDataset(await openFolder(source))
      if (expected.refusal) {
        await expect(opening).rejects.toMatchObject({ code: expected.refusal, message: expect.stringMatching(/\.$/) })
        return
      }
      await using dataset = await opening
      await checkDataset(dataset, expected)
    })
  }

  test('what a person says wins over what the file says', async () => {
    const options = { fps: 12, colorOrder: 'bgr', flipVertical: true, task: 'said by hand' } as const
    await using dataset = await openDataset(await openFolder(join(golden, 'aloha/source')), options)
    expect(dataset.fps).toBe(12)
    const episode = dataset.getEpisode(0)
    expect(episode.tasks).toEqual(['said by hand'])
    const frames = await episode.openCamera('observation.images.cam_high')
    if (frames.kind !== 'pixels') throw new Error(frames.kind)
    for await (const picture of frames.read({ frames: [1] })) {
      expect(readBands(picture)).toMatchObject({ left: 'blue', right: 'red', bottom: 'black' })
    }
  })

  test('conversion: bad pictures leave their episode out, the rest is a LeRobot v3 dataset', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hdf5-golden-'))
    try {
      await using source = await openDataset(await openFolder(join(golden, 'pictures-bad/source')))
      const report = await write(source, folder, { videoCodec: 'h264' })
      expect(report.episodeCount).toBe(1)
      expect(report.findings.filter(({ severity }) => severity === 'error')).toMatchObject([{ episode: 0 }])
      await using written = await openDataset(await openFolder(folder))
      expect(written.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
      const rows = await readColumn(written.getEpisode(0), 'action')
      expect(rows).toEqual(await readColumn(source.getEpisode(1), 'action'))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

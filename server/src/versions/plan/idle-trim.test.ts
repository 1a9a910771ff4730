import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sidecarPath } from '@nmp/formats/lerobot/sidecar'
import { openParquetReader } from '@nmp/formats/parquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { type Exporter, openExporter, readColumn } from '../../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishFolder, publishRecording } from '../../../test/published-dataset.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

/** Thirty episodes of a simulated Panda, without cameras; the labels say which of them pause at the start or in the middle. */
const fixture = getFixture('lerobot/recorded-v3.0-can-motion')
let program: TestProgram
let exporter: Exporter
let datasetId: string
let stateOnly: string
let labels: { episode_index: number; kind: string; frames: number }[]

beforeAll(async () => {
  program = await startProgram()
  const admin = await program.addUser('ada@example.org')
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  datasetId = (await publishFolder(program.context, fixture, { orgId: org.id, projectId: project.id, slug: 'can' }))
    .datasetId
  const place = { orgId: org.id, projectId: project.id, slug: 'state-only' }
  stateOnly = (await publishRecording(program.context, place, [8, 6])).datasetId
  exporter = await openExporter(program, await program.signIn(admin), 'acme', 'lab')
  labels = JSON.parse(await readFile(`${fixture}.labels.json`, 'utf8'))
  program.startWorker()
}, 60_000)
afterAll(async () => {
  await program.close()
  await exporter.close()
})

const preview = (idle: object, id = datasetId) => {
  const body = { source: { dataset_kind: 'catalog', dataset_id: id }, recipe: { trim: { idle } } }
  return exporter.call('POST', `${exporter.versionsPath}/preview`, body)
}
const listEpisodes = async (id: string) =>
  (await exporter.call('GET', `/api/v1/catalog/datasets/${id}/episodes?limit=100`)).body.item.items

/** Of each episode of an export, the ranges of the source that it consists of. */
async function readSourceFrames(folder: string): Promise<[number, number][][]> {
  await using reader = await openParquetReader(folder)
  const ranges: [number, number][][] = []
  for await (const { source_frames: own } of reader.readRecords(join(folder, sidecarPath), ['source_frames']))
    ranges.push((own as unknown[][]).map(([from, to]) => [Number(from), Number(to)]))
  return ranges
}

describe('still frames', () => {
  /** Frames before the arm is first told to move; one more is kept where that is odd. */
  const pauses: Record<number, number> = { 4: 113, 23: 79, 25: 53 }

  test('at the start are found in the episodes that pause, to the frame, and no frame of any other goes', async () => {
    const version = await exporter.derive(datasetId, { trim: { idle: {} } }, 'moving')
    expect(labels.filter(({ kind }) => kind === 'pause').map((label) => label.episode_index)).toEqual([4, 23, 25])
    const lengths = labels.map(({ episode_index: index, frames }) => frames - 2 * Math.floor((pauses[index] ?? 0) / 2))
    const episodes = await listEpisodes(version.id)
    expect(episodes.map((entry: { length_frames: number }) => entry.length_frames)).toEqual(lengths)
    const { body } = await preview({})
    expect(body.item.action.is_switch).toEqual([false, false, false, false, false, false, true])
    expect(body.item).toMatchObject({
      episode_count: 30,
      cut: { frame_count: 112 + 78 + 52, episode_count: 3, dropped_episode_count: 0 },
    })
    const { dataset } = await exporter.exportVersion(version)
    await using exported = dataset
    const [cut, whole] = [exported.getEpisode(4), labels[4]?.frames as number]
    expect(cut.length).toBe(whole - 112)
    const timestamps = (await listEpisodes(version.id))[4].duration_sec
    expect(timestamps).toBeCloseTo((whole - 112) / 20, 9)
    expect((await readColumn(exported, 4, 'action')).length).toBe(7 * (whole - 112))
  }, 60_000)

  test('anywhere: one episode, or an episode of each piece; every key of the rule counts', async () => {
    const still = labels.filter(({ kind }) => ['pause', 'mid'].includes(kind)).length
    const joined = (await preview({ from: 'anywhere' })).body.item
    expect(joined).toMatchObject({ episode_count: 30, cut: { episode_count: still, dropped_episode_count: 0 } })
    const split = (await preview({ from: 'anywhere', inside: 'split' })).body.item
    expect(split).toMatchObject({ episode_count: 33, frame_count: joined.frame_count })
    const kept = (await preview({ from: 'anywhere', keep_frames: 4 })).body.item
    expect(kept.frame_count).toBeGreaterThan(joined.frame_count + 3 * 4)
    expect((await preview({ from: 'anywhere', min_idle_frames: 100 })).body.item.cut).toMatchObject({
      episode_count: 1,
    })
    expect((await preview({ from: 'end' })).body.item.cut).toBeNull()
    for (const signal of ['action', 'both']) {
      const { status, body } = await preview({ signal })
      expect([status, body.item.cut.episode_count]).toEqual([200, 3])
    }
  })

  /**
   * The labels name the episodes that rest; this is where. Pauses end when the arm is first told to move. A rest in the middle begins when
   * the arm is for good within 3 mm of the place at which it is held, and ends likewise.
   */
  const rests: Record<number, readonly [number, number]> = {
    ...Object.fromEntries(Object.entries(pauses).map(([index, end]) => [index, [0, end] as const])),
    3: [83, 147],
    9: [99, 160],
    15: [74, 115],
  }

  test('anywhere: at least 95 in 100 of the frames at rest go, and under 1 in 100 of the others', async () => {
    expect(Object.keys(rests).map(Number)).toEqual(
      labels.filter(({ kind }) => ['pause', 'mid'].includes(kind)).map((label) => label.episode_index),
    )
    const version = await exporter.derive(datasetId, { trim: { idle: { from: 'anywhere' } } }, 'awake')
    const { folder } = await exporter.exportVersion(version)
    const kept = await readSourceFrames(folder)
    expect(kept).toHaveLength(labels.length)
    const counts = { still: 0, stillCut: 0, moving: 0, movingCut: 0 }
    for (const { episode_index: index, frames } of labels) {
      const [from, to] = rests[index] ?? [0, 0]
      const isKept = (frame: number) => kept[index]?.some(([first, last]) => frame >= first && frame < last) ?? false
      for (let frame = 0; frame < frames; frame++) {
        const isStill = frame >= from && frame < to
        counts[isStill ? 'still' : 'moving']++
        if (!isKept(frame)) counts[isStill ? 'stillCut' : 'movingCut']++
      }
    }
    expect(counts).toEqual({ still: 411, stillCut: 399, moving: 5098, movingCut: 8 })
    expect(counts.stillCut / counts.still).toBeGreaterThanOrEqual(0.95)
    expect(counts.movingCut / counts.moving).toBeLessThan(0.01)
  }, 60_000)

  test('ranges that a person named come before the rule', async () => {
    const recipe = { trim: { ranges: { '4': [[100, 200]] }, idle: {} } }
    const version = await exporter.derive(datasetId, recipe, 'named')
    const episodes = await listEpisodes(version.id)
    expect([episodes[4].length_frames, episodes[25].length_frames]).toEqual([100, (labels[25]?.frames as number) - 52])
    expect(version.recipe.trim.idle).toEqual({
      from: null,
      inside: null,
      signal: null,
      min_idle_frames: null,
      keep_frames: null,
      threshold: null,
    })
  })

  test('the preview of cuts says what each episode loses, and of one which frames stay and where it rests', async () => {
    const ask = (recipe: object, episode_index?: number) => {
      const body = { source: { dataset_kind: 'catalog', dataset_id: datasetId }, recipe, episode_index }
      return exporter.call('POST', `${exporter.versionsPath}/preview/cuts`, body)
    }
    const length = labels[4]?.frames as number
    const { item } = (await ask({ trim: { idle: {} } }, 4)).body
    const whole = (await preview({})).body.item
    for (const key of ['episode_count', 'frame_count', 'duration_sec', 'source_frame_count', 'cut'])
      expect(item[key], key).toEqual(whole[key])
    // 2.6 s, 3.9 s and 5.6 s of three episodes.
    const { bin_sec, episode_counts } = item.cut.histogram
    const losing = [52, 78, 112].map((frames) => Math.floor(frames / 20 / bin_sec + 1e-6))
    expect(episode_counts.flatMap((count: number, bin: number) => new Array(count).fill(bin))).toEqual(losing)
    expect(item.episode).toMatchObject({ episode_index: 4, length_frames: length, is_selected: true })
    expect(item.episode.parts).toEqual([{ ranges: [[112, length]], task: null }])
    expect(item.episode.rests.ranges[0]).toEqual([0, 113])
    expect(item.episode.rests.threshold).toBeGreaterThanOrEqual(0.15)
    expect(item.episode.rests.threshold).toBeLessThanOrEqual(0.4)
    // The threshold that is in force is one that can be asked for, with the same result.
    const same = (await ask({ trim: { idle: { threshold: item.episode.rests.threshold } } }, 4)).body.item
    expect(same.episode).toEqual(item.episode)
    const named = (await ask({ split: { '4': { at: [50], tasks: ['wait', 'move'] } } }, 4)).body.item
    expect(named).toMatchObject({ episode_count: 31, cut: { frame_count: 0, histogram: { episode_counts: [] } } })
    expect(named.episode).toMatchObject({
      parts: [
        { ranges: [[0, 50]], task: 'wait' },
        { ranges: [[50, length]], task: 'move' },
      ],
      rests: null,
    })
    const out = (await ask({ excluded_episode_indices: [4] }, 4)).body.item
    expect(out.episode).toMatchObject({ is_selected: false, parts: [] })
    expect((await ask({}, 30)).body.detail[0]).toMatchObject({
      loc: ['body', 'episode_index'],
      msg: 'Value error, there is no episode 30: the dataset has 30, numbered from 0',
    })
    expect((await ask({}))?.body.item.episode).toBeNull()
  })

  test('a rule that leaves nothing, and words that it does not know, are refused at their place', async () => {
    const { status, body } = await preview({ threshold: 10, min_idle_frames: 1 }, stateOnly)
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'recipe', 'trim', 'idle']])
    expect(body.detail[0].msg).toContain('no frame is left')
    const missing = (await preview({ signal: 'both' }, stateOnly)).body.detail[0]
    expect(missing).toMatchObject({
      loc: ['body', 'recipe', 'trim', 'idle', 'signal'],
      msg: 'Value error, the dataset has no numeric feature called action',
    })
    for (const [idle, key] of [
      [{ from: 'middle' }, 'from'],
      [{ threshold: 0 }, 'threshold'],
      [{ min_idle_frames: 0 }, 'min_idle_frames'],
      [{ seconds: 3 }, 'seconds'],
    ] as const)
      expect((await preview(idle)).body.detail[0].loc).toEqual(['body', 'recipe', 'trim', 'idle', key])
  })
})

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createDrawing, type DrawFrame, drawnHeight, drawnWidth, openDrawnSet } from '../../test/drawn-cameras.ts'
import { makeLabelledSet } from '../../test/labelled-set.ts'
import { createMemoryDataset } from '../../test/memory-dataset.ts'
import { createRandom, plantDefects, plantedRules } from '../../test/planted-defects.ts'
import { plantedPictures, plantPictures } from '../../test/planted-pictures.ts'
import { openSignalSet, type SignalSet } from '../../test/signal-set.ts'
import type { Feature } from '../feature.ts'
import { scoreMotion } from '../statistics/motion.ts'
import { tellBeyond } from './beyond.ts'
import { type CheckReport, presentReport } from './check-report.ts'
import { ChecksBeside } from './checks-beside.ts'
import { checkRules } from './index.ts'
import { measureLdlj } from './motion/ldlj.ts'
import { measureSparc } from './motion/sparc.ts'
import { formatCheckRules } from './rule-table.ts'
import { runChecks } from './run-checks.ts'
import { ElsewhereSearch } from './sets/elsewhere-search.ts'
import { differBySpelling } from './sets/spelling.ts'

const { fps, names, episodes } = makeLabelledSet({
  seed: 11,
  episodes: 12,
  fps: 20,
  seconds: 5,
  space: 'joints',
  operator: 'person',
  gripper: 'opening',
  noise: 0.02,
  bad: {},
})
const clean: SignalSet = { fps, names, episodes: episodes.map((episode) => ({ ...episode, task: 'Sort the blocks.' })) }
const check = (set: SignalSet): Promise<CheckReport> => runChecks(openSignalSet(set))
const listRules = ({ findings }: CheckReport): string[] => [...new Set(findings.map(({ rule }) => rule))]

describe('rules', () => {
  test('find nothing in a clean set, and rank every episode', async () => {
    const report = await check(clean)
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ episodes: 12, lookFirst: [] })
    const ranked = Map.groupBy(report.rankings, ({ rule }) => rule)
    for (const { id, kind } of checkRules) if (kind === 'ranking') expect(ranked.get(id), id).toHaveLength(12)
    const lengths = ranked.get('length') ?? []
    const longest = lengths.reduce((a, b) => (b.value > a.value ? b : a))
    expect(longest).toMatchObject({ percentile: 100 })
  })

  test.each([
    ['a clean set', clean],
    ['gaps', plantDefects(clean, 'non-finite', 3, createRandom(7)).set],
  ])('say the same of %s beside the scores of motion, which stay what they are', async (_, set) => {
    const dataset = openSignalSet(set)
    const beside = new ChecksBeside({ signal: new AbortController().signal, maxMs: 600_000, keepsNear: true })
    const scores = await scoreMotion(dataset, undefined, beside)
    expect(scores).toEqual(await scoreMotion(dataset))
    expect(beside.conclude([])).toEqual(await runChecks(dataset, { keepsNear: true }))
  })

  test.each(plantedRules)('%s is found at the frames where it is', async (rule) => {
    const { set, defects } = plantDefects(clean, rule, 3, createRandom(7))
    expect(defects.length).toBeGreaterThan(0)
    const found = (await check(set)).findings.filter((finding) => finding.rule === rule)
    for (const { position, frames } of defects) {
      const own = found.filter(({ episodeIndex }) => episodeIndex === position)
      expect(own.length, `episode ${position} of ${JSON.stringify(found)}`).toBeGreaterThan(0)
      const overlaps = own.filter(
        ({ frameFrom, frameTo }) => !frames || ((frameFrom ?? 0) < frames[1] && (frameTo ?? 0) > frames[0]),
      )
      expect(overlaps.length, `${frames} of ${JSON.stringify(own)}`).toBeGreaterThan(0)
    }
    const positions = new Set(defects.map(({ position }) => position))
    expect(found.filter(({ episodeIndex }) => !positions.has(episodeIndex ?? -1))).toEqual([])
  })

  test('a lag is measured to the frame, for the set and for each episode', async () => {
    const valuesOf = ({ rankings }: CheckReport): number[] =>
      rankings.filter(({ rule }) => rule === 'lag').map(({ value }) => value)
    const own = valuesOf(await check(clean))
    for (const lates of [
      [-5, -4, -3],
      [-2, -1, 1],
      [2, 3],
      [4, 5],
    ]) {
      // The first number says where, the others by how much.
      const numbers = [0, ...lates.map((late) => (late + (late < 0 ? 5.5 : 4.5)) / 10)]
      const { set, defects } = plantDefects(clean, 'lag', lates.length, () => numbers.shift() ?? 0)
      expect(defects.map(({ value }) => value)).toEqual(lates.map((late) => -late))
      const shifts = new Map(defects.map(({ position, value = 0 }) => [position, value]))
      const values = valuesOf(await check(set))
      const moved = values.map((value, position) => Math.round(value - (own[position] ?? 0)))
      expect(moved).toEqual(values.map((_, position) => shifts.get(position) ?? 0))
    }
  })

  test('shaky episodes are those of Insights', async () => {
    const shaky = makeLabelledSet({
      ...{ seed: 5, episodes: 12, fps: 20, seconds: 8, noise: 0 },
      ...{ space: 'joints', operator: 'script', gripper: 'none', bad: { shaky: 2 } },
    })
    const set = { ...shaky, episodes: shaky.episodes.map((episode) => ({ ...episode, task: 'Sort.' })) }
    const report = await check(set)
    const wanted = shaky.episodes.flatMap(({ kind }, position) => (kind === 'shaky' ? [position] : []))
    const found = report.findings.filter(({ rule }) => rule === 'shakiness')
    expect(found.map(({ episodeIndex }) => episodeIndex).sort()).toEqual(wanted)
    expect(
      report.lookFirst
        .map(({ episodeIndex }) => episodeIndex)
        .slice(0, 2)
        .sort(),
    ).toEqual(wanted)
    expect(report.lookFirst[0]?.reasons.join()).toContain('The arm shakes')
  })

  test('a cut-off may be changed, and only one that there is', async () => {
    const { set } = plantDefects(clean, 'jump', 2, createRandom(3))
    const strict = await runChecks(openSignalSet(set), { cutOffs: new Map([['jump', 1000]]) })
    expect(listRules(strict)).not.toContain('jump')
    await expect(runChecks(openSignalSet(set), { cutOffs: new Map([['jmup', 1]]) })).rejects.toThrow(
      /no cut-off of "jmup"/,
    )
  })
})

describe('pictures', () => {
  const made = makeLabelledSet({
    ...{ seed: 3, episodes: 8, fps: 10, seconds: 6, noise: 0.02 },
    ...{ space: 'joints', operator: 'script', gripper: 'opening', bad: {} },
  })
  const set = { ...made, episodes: made.episodes.map((episode) => ({ ...episode, task: 'Sort.' })) }
  const drawn = new Map<string, Uint8Array>()
  const draw = createDrawing(set)
  const drawOnce: DrawFrame = (...place) => {
    const known = drawn.get(place.join()) ?? draw(...place)
    drawn.set(place.join(), known)
    return known
  }

  test('of clean cameras are fine, and are not looked at unless they are wanted', async () => {
    expect((await runChecks(openDrawnSet(set, drawOnce))).findings).toEqual([])
    const black = openDrawnSet(set, () => new Uint8Array(drawnWidth * drawnHeight * 3))
    expect((await runChecks(black, { pictures: false })).findings).toEqual([])
    expect(listRules(await runChecks(black))).toEqual(['black-frames'])
  })

  test.each(plantedPictures)('%s is found in the episodes and at the frames where it is', async (rule) => {
    const { draw: spoilt, defects } = plantPictures(set, drawOnce, rule, createRandom(5))
    expect(defects.length).toBeGreaterThan(0)
    const found = (await runChecks(openDrawnSet(set, spoilt))).findings.filter((finding) => finding.rule === rule)
    expect([...new Set(found.map(({ episodeIndex }) => episodeIndex))].sort()).toEqual(
      defects.map(({ position }) => position),
    )
    for (const { position, frames } of defects) {
      const own = found.find(({ episodeIndex }) => episodeIndex === position)
      expect(own?.camera).toMatch(/^observation\.images\./)
      if (frames) expect((own?.frameFrom ?? 0) < frames[1] && (own?.frameTo ?? 0) > frames[0]).toBe(true)
    }
  })
})

describe('tasks', () => {
  const nameTasks = (...texts: string[]): SignalSet => ({
    ...clean,
    episodes: clean.episodes.map((episode, at) => ({ ...episode, task: texts[at % texts.length] ?? '' })),
  })

  test('spelling, single episodes, missing texts and balance', async () => {
    const spelt = await check(nameTasks('Pick up the banana.', 'pick up the  banana', 'Pick up the bananna.'))
    expect(spelt.findings.map(({ rule }) => rule)).toEqual(['task-spelling', 'task-spelling'])
    const single = nameTasks('Open the drawer.')
    const one = await check({
      ...single,
      episodes: single.episodes.map((episode, at) => (at === 4 ? { ...episode, task: 'Wipe the table.' } : episode)),
    })
    expect(one.findings).toMatchObject([
      { rule: 'task-single', episodeIndex: 4 },
      { rule: 'task-balance', value: 11 },
    ])
    expect((await check(nameTasks(''))).findings).toMatchObject([{ rule: 'task-missing', value: 12 }])
  })

  test.each([
    ['Put it into bin 1', 'Put it into bin 2', false],
    ['Put it into bin a', 'Put it into bin b', false],
    ['Put the cup on the box', 'Put the cup in the box', false],
    ['Pick the block', 'Pick the blocks', false],
    ['Turn it left', 'Turn it right', false],
    ['pick the screwdriver', 'Pick the screw-driver!', true],
    ['Insert the cylinder', 'Insert the cilynder', true],
  ])('%s / %s: %s', (one, other, isSame) => {
    expect(differBySpelling(one, other)).toBe(isSame)
  })
})

describe('smoothness', () => {
  const speed = Float64Array.from({ length: 200 }, (_, at) => Math.exp(-5 * (at * 0.01 - 1) ** 2))

  test('SPARC and LDLJ give what their authors’ program gives', () => {
    expect(measureSparc(speed, 100)?.toFixed(5)).toBe('-1.41403')
    expect(measureLdlj(speed, 100)?.toFixed(5)).toBe('-5.81636')
  })

  test('what does not move has none', () => {
    expect(measureSparc(new Float64Array(50), 20)).toBeNull()
    expect(measureLdlj(new Float64Array(50), 20)).toBeNull()
  })
})

describe('odd sets', () => {
  const column = (name: string, width: number): Feature => ({
    kind: 'column',
    name,
    dtype: 'float32',
    shape: [width],
    names: null,
  })
  const open = (widths: Record<string, number>, frames: number, valueAt: (at: number) => number) =>
    createMemoryDataset(
      Object.entries(widths).map(([name, width]) => column(name, width)),
      Array.from({ length: 4 }, (_, episode) => ({
        length: frames,
        tasks: ['Move.'],
        columns: new Map(
          Object.entries(widths).map(([name, width]) => [
            name,
            Float32Array.from({ length: frames * width }, (_, at) => valueAt(at + episode)),
          ]),
        ),
      })),
    )
  const wave = (at: number): number => Math.sin(at * 0.37) + 0.1 * Math.sin(at * 1.7)

  test.each([
    ['no state', ['signal-missing'], { action: 6 }, 60, wave],
    ['no action', ['signal-missing'], { 'observation.state': 6 }, 60, wave],
    ['neither', ['signal-missing'], { 'next.reward': 1 }, 60, wave],
    ['other widths', [], { 'observation.state': 6, action: 4 }, 60, wave],
    ['one frame', ['episode-too-short'], { 'observation.state': 6, action: 6 }, 1, wave],
    ['two frames', [], { 'observation.state': 6, action: 6 }, 2, wave],
    ['500 dimensions', ['dimensions-checked-in-part'], { 'observation.state': 500, action: 500 }, 40, wave],
    ['nothing moves', ['constant-dimension'], { 'observation.state': 6, action: 6 }, 60, () => 0],
    ['only switches', [], { 'observation.state': 2, action: 2 }, 60, (at: number) => at % 3],
    ['huge values', [], { 'observation.state': 6, action: 6 }, 60, (at: number) => (at % 2 ? 3e38 : -3e38)],
  ] as const)('%s: no crash, and %j is said', async (_, said, widths, frames, valueAt) => {
    const report = presentReport(await runChecks(open(widths, frames, valueAt)))
    expect(report).toMatchObject({ ok: true, episodes: 4 })
    expect(JSON.stringify(report)).not.toMatch(/NaN|Infinity/)
    expect(report.findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining([...said]))
  })

  test('an episode that is too long to be held is looked at in part, and that is said', async () => {
    const held = open({ 'observation.state': 6, action: 6 }, 60, wave)
    const reportOf = async (maxValues: number) =>
      (await runChecks(held, { maxValues })).findings.filter(({ rule }) => rule === 'episode-checked-in-part')
    expect(await reportOf(60 * 12)).toEqual([])
    const parts = await reportOf(40 * 12 + 11)
    expect(parts.map(({ episodeIndex }) => episodeIndex)).toEqual([0, 1, 2, 3])
    expect(parts[0]?.sentence).toContain('first 40 of 60 frames')
  })

  test('no episode at all', async () => {
    expect(await runChecks(createMemoryDataset([column('action', 3)], []))).toMatchObject({ findings: [], episodes: 0 })
  })

  test('NaN everywhere is an error in every episode and column', async () => {
    const report = await runChecks(open({ 'observation.state': 6, action: 6 }, 30, () => Number.NaN))
    const errors = report.findings.filter(({ rule }) => rule === 'non-finite')
    expect(errors).toHaveLength(8)
    expect(errors[0]).toMatchObject({ severity: 'error', frameFrom: 0, frameTo: 30, feature: 'observation.state' })
    expect(presentReport(report)).toMatchObject({ ok: false })
  })
})

test('near-duplicates elsewhere: how much is compared is bounded, and what was left out is told', async () => {
  const { paths } = await check(clean)
  if (!paths) throw new Error('nothing moves')
  const where = { datasetId: 'dat_1', slug: 'copied' }
  const search = new ElsewhereSearch(paths)
  search.compare(paths, where)
  expect([search.list().length, search.skipped]).toEqual([paths.episodes.length, 0])
  const bounded = new ElsewhereSearch(paths, {}, 1)
  bounded.compare(paths, where)
  expect(bounded.skipped).toBeGreaterThan(0)
  const [told] = tellBeyond({ copies: [], nearCopies: [], notCompared: bounded.skipped }, new Map()).findings
  expect(told).toMatchObject({ rule: 'elsewhere-compared-in-part', severity: 'info', episodeIndex: null })
  // Another width is another robot.
  const other = new ElsewhereSearch({ ...paths, width: paths.width + 1 })
  other.compare(paths, where)
  expect(other.list()).toEqual([])
})

test('docs/checks.md lists every rule (repair: npx nmp-formats rules checks)', async () => {
  const text = await readFile(fileURLToPath(new URL('../../../docs/checks.md', import.meta.url)), 'utf8')
  const [, listed = ''] = /<!-- rules -->\n([\s\S]*?)\n<!-- \/rules -->/.exec(text) ?? []
  expect(listed).toBe(formatCheckRules())
  expect(new Set(checkRules.map(({ id }) => id)).size).toBe(checkRules.length)
})

import { describe, expect, test } from 'vitest'
import { openLabelledSet } from '../../test/labelled-dataset.ts'
import { type Kind, makeLabelledSet, type SetOptions } from '../../test/labelled-set.ts'
import { scoreMotion } from './motion.ts'
import { type EpisodeMeasures, findStandouts, rankEpisodes } from './standouts.ts'

const usual: SetOptions = {
  seed: 1,
  episodes: 30,
  fps: 20,
  seconds: 8,
  space: 'joints',
  operator: 'script',
  gripper: 'commanded',
  noise: 0.02,
  bad: {},
}

async function look(options: Partial<SetOptions>) {
  const set = makeLabelledSet({ ...usual, ...options })
  const scores = await scoreMotion(openLabelledSet(set))
  if (!scores) throw new Error('no signal')
  const seconds = Float64Array.from(set.episodes, ({ frames }) => frames / set.fps)
  const measures = { ...scores, seconds }
  const wanted = (kinds: readonly Kind[]) =>
    set.episodes.flatMap(({ kind }, position) => (kinds.includes(kind) ? [position] : []))
  return { set, measures, wanted, ...findStandouts(measures) }
}

const positions = (list: readonly { position: number }[]): number[] =>
  list.map(({ position }) => position).sort((a, b) => a - b)

describe('who stands out of a labelled set', () => {
  const bad = { 'idle-start': 1, 'idle-middle': 2, 'idle-end': 1, shaky: 2, slow: 1 }
  const sets: [string, Partial<SetOptions>][] = [
    ['joints at 20 Hz', {}],
    ['pose of the hand at 30 Hz, roll about ±π', { space: 'pose', fps: 30, seconds: 12, gripper: 'opening' }],
    ['two arms of which one does nothing', { space: 'two-arms', noise: 0.05, isQuantised: true, gripper: 'switch' }],
    ['10 Hz, no gripper', { fps: 10, seconds: 10, gripper: 'none' }],
    ['50 Hz', { fps: 50, seconds: 8 }],
    ['a person, whose pace differs anyway', { operator: 'person', seconds: 10, seed: 4, bad: { ...bad, slow: 0 } }],
  ]
  test.each(sets)('%s: every fault is in its list and nobody else', async (_, options) => {
    const { wanted, lowMotion, highVariance } = await look({
      bad,
      ...options,
    })
    expect(positions(lowMotion)).toEqual(wanted(['idle-start', 'idle-middle', 'idle-end', 'slow']))
    expect(positions(highVariance)).toEqual(wanted(['shaky']))
  })

  test('a set without a fault has empty lists, whoever recorded it', async () => {
    for (const operator of ['script', 'person'] as const)
      for (const seed of [3, 5, 7]) {
        const { lowMotion, highVariance } = await look({ operator, seed })
        expect([lowMotion, highVariance], `${operator} ${seed}`).toEqual([[], []])
      }
  })

  test('five episodes are enough for a pause or a tremor', async () => {
    for (const fault of ['idle-start', 'idle-middle', 'idle-end', 'shaky'] as const) {
      const { wanted, lowMotion, highVariance } = await look({ episodes: 5, bad: { [fault]: 1 } })
      expect(positions(fault === 'shaky' ? highVariance : lowMotion), fault).toEqual(wanted([fault]))
    }
  })

  test('the label says why and by how much; scores run as the lists do', async () => {
    const { set, lowMotion, highVariance } = await look({ bad: { 'idle-start': 2, slow: 1, shaky: 2 } })
    for (const { position, score, label } of lowMotion) {
      const { kind, idle, frames } = set.episodes[position] ?? { kind: 'ok', idle: [], frames: 0 }
      if (kind === 'slow') expect(label).toMatch(/^slow throughout: 0\.[1-4]\d* times the usual pace$/)
      else {
        const [, still] =
          /^still for ([\d.]+) s of ([\d.]+) s, [\d.]+ s at a stretch, where [\d.]+ s is usual$/.exec(label) ?? []
        const [from = 0, to = 0] = idle[0] ?? []
        expect(Math.abs(Number(still) - (to - from) / set.fps)).toBeLessThan(0.5)
        expect(label).toContain(`of ${(frames / set.fps).toFixed(2)} s`)
        expect(score).toBeCloseTo(-Number(still), 2)
      }
    }
    const scores = lowMotion.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    expect(highVariance.map(({ score }) => score)).toEqual(highVariance.map(({ score }) => score).sort((a, b) => b - a))
    for (const { score, label } of highVariance)
      expect(label).toBe(`${score >= 9.95 ? score.toFixed(0) : score.toPrecision(2)} times the median jerk at its pace`)
  })

  test('the ranking holds everybody, those that stand still longest first', async () => {
    const { measures, wanted } = await look({ bad: { 'idle-start': 3, shaky: 2 } })
    const { leastMotion, mostVariance } = rankEpisodes(measures)
    expect([...leastMotion].sort((a, b) => a - b)).toEqual([...measures.pace.keys()])
    expect([...leastMotion.subarray(0, 3)].sort((a, b) => a - b)).toEqual(wanted(['idle-start']))
    expect([...mostVariance.subarray(0, 2)].sort((a, b) => a - b)).toEqual(wanted(['shaky']))
  })
})

describe('numbers', () => {
  const make = (count: number, change: Partial<Record<keyof EpisodeMeasures, number[]>> = {}): EpisodeMeasures => {
    const column = (name: keyof EpisodeMeasures, otherwise: number) =>
      Float64Array.from({ length: count }, (_, position) => change[name]?.[position] ?? otherwise)
    return {
      seconds: column('seconds', 10),
      stillSeconds: column('stillSeconds', 0),
      longestStillSeconds: column('longestStillSeconds', 0),
      pace: column('pace', 1),
      shake: column('shake', 0.1),
    }
  }

  test('equal episodes, none, one and two have nobody that stands out', () => {
    for (const count of [0, 1, 2, 3, 50])
      expect(findStandouts(make(count))).toEqual({ lowMotion: [], highVariance: [] })
    const two = make(2, { stillSeconds: [0, 9], longestStillSeconds: [0, 9], shake: [0.1, 5] })
    expect(findStandouts(two)).toEqual({ lowMotion: [], highVariance: [] })
  })

  test('a pause that all make is usual', () => {
    const pauses = [2, 2.1, 1.9, 2, 2.2, 7]
    const { lowMotion } = findStandouts(make(6, { stillSeconds: pauses, longestStillSeconds: pauses }))
    expect(lowMotion.map(({ position, label }) => [position, label])).toEqual([
      [5, 'still for 7.00 s of 10.00 s, 7.00 s at a stretch, where 2.05 s is usual'],
    ])
  })

  test('an episode without any motion among others is still, not slow', () => {
    const measures = make(6, { stillSeconds: [10], longestStillSeconds: [10], pace: [0], shake: [0] })
    expect(findStandouts(measures).lowMotion).toEqual([
      { position: 0, score: -10, label: 'still for 10.00 s of 10.00 s, 10.00 s at a stretch, where 0.00 s is usual' },
    ])
  })
})

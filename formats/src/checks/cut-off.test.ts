import { describe, expect, test } from 'vitest'
import { createDrawing, openDrawnSet } from '../../test/drawn-cameras.ts'
import { makeLabelledSet } from '../../test/labelled-set.ts'
import { createRandom, plantDefects, plantedRules } from '../../test/planted-defects.ts'
import { plantedPictures, plantPictures } from '../../test/planted-pictures.ts'
import { openSignalSet, type SignalSet } from '../../test/signal-set.ts'
import type { CheckFinding, CheckReport } from './check-report.ts'
import { isFound } from './cut-off.ts'
import { checkRules } from './index.ts'
import type { Rule } from './rule.ts'
import { type CheckOptions, runChecks } from './run-checks.ts'

const movable = checkRules.filter(({ loosest }) => loosest !== null)
const movableOf = (rules: readonly string[]): Rule[] => movable.filter(({ id }) => rules.includes(id))

const makeSet = (operator: 'person' | 'script', fps: number, seed = 11): SignalSet => {
  const made = makeLabelledSet({
    ...{ seed, episodes: 8, fps, seconds: 6, noise: 0.02 },
    ...{ space: 'joints', operator, gripper: 'opening', bad: {} },
  })
  const tasks = ['Sort the blocks.', 'Sort the blocks', 'Stack the blocks.', '']
  return {
    ...made,
    episodes: made.episodes.map((episode, at) => ({ ...episode, task: tasks[Math.floor(at ** 0.6)] ?? '' })),
  }
}

const random = createRandom(23)
/** From the loosest to beyond the rule's own, and at values themselves, where it matters which side they are on. */
const listCutOffs = ({ id, cutOff, loosest, found }: Rule, { findings, near }: CheckReport): number[] => {
  const [own, loose] = [cutOff as number, loosest as number]
  const isDown = found === 'below' || found === 'up-to'
  const far = isDown ? own / 2 : own * 2 + 1
  const values = [...findings, ...near].flatMap(({ rule, until }) => (rule === id && until !== null ? [until] : []))
  return [loose, own, loose + (far - loose) * random(), ...values.slice(0, 2)]
}

/** Without what only says by which cut-off it was found. */
const tell = (findings: readonly CheckFinding[], { id }: Rule) =>
  findings
    .filter(({ rule }) => rule === id)
    .map(({ cutOff: _, ...finding }) => JSON.stringify(finding))
    .sort()

const holds = async (rules: readonly Rule[], check: (options: CheckOptions) => Promise<CheckReport>) => {
  const kept = await check({ keepsNear: true })
  let seen = 0
  for (const rule of rules) {
    const all = [...kept.findings, ...kept.near].filter(({ rule: id }) => id === rule.id)
    for (const cutOff of listCutOffs(rule, kept)) {
      const direct = await check({ cutOffs: new Map([[rule.id, cutOff]]) })
      const filtered = all.filter(({ until }) => until !== null && isFound(rule, until, cutOff))
      expect(tell(filtered, rule), `${rule.id} at ${cutOff}`).toEqual(tell(direct.findings, rule))
      const episodes = (kept.strictest[rule.id] ?? []).flatMap(([index, until]) =>
        isFound(rule, until, cutOff) ? [index] : [],
      )
      const found = direct.findings.flatMap(({ rule: id, episodeIndex }) => (id === rule.id ? [episodeIndex] : []))
      expect(new Set(episodes), rule.id).toEqual(new Set(found.filter((index) => index !== null)))
      seen += filtered.length
    }
  }
  return seen
}

describe('what is kept at the loosest cut-off, filtered, is what a stricter one finds', () => {
  const numbers = movable.filter(({ family }) => family !== 'pictures')

  test.each(plantedRules)('in a set with a defect of %s', async (rule) => {
    const { set } = plantDefects(makeSet('person', 20), rule, 3, createRandom(7))
    const rules = [...new Set([...movableOf([rule]), ...numbers.filter(({ family }) => family === 'sets')])]
    expect(await holds(rules, (options) => runChecks(openSignalSet(set), options))).toBeGreaterThan(0)
  })

  test('and for every rule of numbers in a set with many defects', async () => {
    let set = makeSet('script', 15)
    for (const rule of ['jump', 'command-error', 'lag', 'length-far', 'duplicate', 'near-duplicate'])
      if (plantedRules.includes(rule)) set = plantDefects(set, rule, 2, createRandom(5)).set
    await holds(numbers, (options) => runChecks(openSignalSet(set), options))
  })

  test.each(plantedPictures.filter((rule) => movableOf([rule]).length > 0))('in pictures with %s', async (rule) => {
    const set = makeSet('script', 10, 3)
    const { draw } = plantPictures(set, createDrawing(set), rule, createRandom(5))
    const seen = await holds(movableOf([rule]), (options) => runChecks(openDrawnSet(set, draw), options))
    expect(seen).toBeGreaterThan(0)
  })
})

test('a rule that cannot be moved says so, and so does each ranking', () => {
  for (const { id, kind, cutOff, found, loosest } of checkRules) {
    expect(found === null, id).toBe(cutOff === null)
    if (kind === 'ranking') expect([cutOff, loosest], id).toEqual([null, null])
    if (cutOff !== null && loosest !== null && found !== null)
      expect(found === 'below' || found === 'up-to' ? loosest >= cutOff : loosest <= cutOff, id).toBe(true)
  }
})

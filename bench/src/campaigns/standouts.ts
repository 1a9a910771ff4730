import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { type MotionScores, scoreMotion } from '@nmp/formats/statistics/motion'
import { findStandouts } from '@nmp/formats/statistics/standouts'
import { openLabelledSet } from '../../../formats/test/labelled-dataset.ts'
import { type Kind, makeLabelledSet, type SetOptions } from '../../../formats/test/labelled-set.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import type { CampaignOptions } from './options.ts'

const faults = ['idle-start', 'idle-middle', 'idle-end', 'slow', 'shaky'] as const satisfies Kind[]
const spaces = ['joints', 'pose', 'two-arms'] as const
const operators = ['script', 'person'] as const
const grippers = ['switch', 'commanded', 'opening', 'none'] as const
const noises = [0, 0.02, 0.05, 0.1]
const rates = [
  { fps: 10, seconds: 6 },
  { fps: 15, seconds: 12 },
  { fps: 20, seconds: 8 },
  { fps: 30, seconds: 15 },
  { fps: 50, seconds: 5 },
]
const sizes = [
  { episodes: 5, bad: 1 },
  { episodes: 10, bad: 2 },
  { episodes: 30, bad: 6 },
  { episodes: 100, bad: 15 },
  { episodes: 30, bad: 0 },
]
/** Once in each full run: a set as large as people record in a month. */
const large = { episodes: 1000, bad: 50 }

/** Counts of one group of sets. */
class Tally {
  readonly found = new Map<string, [hits: number, of: number]>()

  count(name: string, isHit: boolean): void {
    const [hits, of] = this.found.get(name) ?? [0, 0]
    this.found.set(name, [hits + (isHit ? 1 : 0), of + 1])
  }

  percent(name: string): number | null {
    const [hits, of] = this.found.get(name) ?? [0, 0]
    return of === 0 ? null : Math.round((1000 * hits) / of) / 10
  }
}

const columns = [...faults, 'low but good', 'high but good'] as const

/**
 * Who stands out, held against sets whose faults are known: what of each fault is found, and how many good episodes are listed, by
 * every property of the sets. `NMP_FIXTURES` adds the recorded sets.
 */
export const campaignStandouts = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  console.log(`standouts: seed ${seed}, scale ${scale}`)
  const tallies = new Map<string, Tally>()
  let [sets, episodes] = [0, 0]
  for (const options of listSets(seed, Math.max(1, Math.round(12 * scale)))) {
    const set = makeLabelledSet(options)
    const scores = await scoreMotion(openLabelledSet(set))
    if (!scores) throw new Error('a set has no signal')
    const { low, high } = listFound(scores, set.fps, (position) => set.episodes[position]?.frames ?? 0)
    sets++
    episodes += set.episodes.length
    for (const group of nameGroups(options)) {
      const tally = tallies.get(group) ?? new Tally()
      tallies.set(group, tally)
      for (const [position, { kind }] of set.episodes.entries()) {
        const isShaky = kind === 'shaky'
        if (kind !== 'ok') tally.count(kind, (isShaky ? high : low).has(position))
        if (kind === 'ok' || isShaky) tally.count('low but good', low.has(position))
        if (!isShaky) tally.count('high but good', high.has(position))
      }
    }
  }
  console.log(`| sets | ${columns.join(' | ')} |\n| --- |${columns.map(() => ' ---: |').join('')}`)
  const percents = [...tallies].map(([group, tally]) => ({
    group,
    ...Object.fromEntries(columns.map((column) => [column, tally.percent(column)])),
  }))
  for (const [group, tally] of tallies)
    console.log(`| ${group} | ${columns.map((column) => tally.percent(column)?.toFixed(1) ?? '').join(' | ')} |`)
  const all = tallies.get('all')
  const recorded = await lookAtRecorded()
  const passed =
    faults.every((fault) => (all?.percent(fault) ?? 0) >= 80) &&
    (all?.percent('low but good') ?? 100) < 0.5 &&
    (all?.percent('high but good') ?? 100) < 0.5 &&
    recorded.every(({ wrong }) => wrong.length === 0)
  await writeResult({
    campaign: 'standouts',
    passed,
    seed,
    scale,
    ...describeMachine(),
    sets,
    episodes,
    percents,
    recorded,
  })
  for (const { name, wrong } of recorded)
    console.log(`${name}: ${wrong.length === 0 ? 'as labelled' : wrong.join('; ')}`)
  console.log(passed ? 'passed' : 'FAILED')
  return passed
}

function* listSets(seed: number, rounds: number): Generator<SetOptions> {
  let number = seed
  for (let round = 0; round < rounds; round++)
    for (const space of spaces)
      for (const operator of operators)
        for (const rate of rates)
          for (const { episodes, bad } of sizes.concat(round === 0 && rate.fps === 20 ? [large] : [])) {
            number++
            const gripper = grippers[number % 4] ?? 'none'
            const noise = noises[(number >> 2) % 4] ?? 0
            const counts: Partial<Record<Kind, number>> = {}
            for (let at = 0; at < bad; at++) {
              const fault = faults[(number + at) % faults.length] ?? 'shaky'
              counts[fault] = (counts[fault] ?? 0) + 1
            }
            yield {
              seed: number * 7919,
              episodes,
              ...rate,
              space,
              operator,
              gripper,
              noise,
              bad: counts,
              isQuantised: number % 3 === 0,
            }
          }
}

const nameGroups = ({ space, operator, fps, episodes, bad, gripper, noise }: SetOptions): string[] => [
  'all',
  { script: 'a script', person: 'a person' }[operator],
  { joints: 'joints', pose: 'pose of the hand', 'two-arms': 'two arms, one unused' }[space],
  `${fps} Hz`,
  `${episodes} episodes${Object.keys(bad).length === 0 ? ', none bad' : ''}`,
  `noise ${noise}`,
  { switch: 'gripper: switch', commanded: 'gripper: switched, read', opening: 'gripper: opening', none: 'no gripper' }[
    gripper
  ],
]

function listFound(scores: MotionScores, fps: number, framesOf: (position: number) => number) {
  const seconds = scores.motion.map((_, position) => framesOf(position) / fps)
  const { lowMotion, highVariance } = findStandouts({ ...scores, seconds })
  return {
    low: new Set(lowMotion.map(({ position }) => position)),
    high: new Set(highVariance.map(({ position }) => position)),
  }
}

/** Recordings with labels beside them, and one whose episodes are all alike. */
async function lookAtRecorded(): Promise<{ name: string; wrong: string[] }[]> {
  const folder = process.env.NMP_FIXTURES
  if (!folder) return []
  const looked: { name: string; wrong: string[] }[] = []
  for (const name of ['recorded-v3.0-can', 'recorded-v3.0-two-cameras']) {
    const path = join(folder, 'lerobot', name)
    const labels = new Map<number, string>()
    if (name.endsWith('-can'))
      for (const { episode_index, kind } of JSON.parse(await readFile(`${path}.labels.json`, 'utf8')))
        labels.set(episode_index, kind)
    await using dataset = await openDataset(await openFolder(path))
    const scores = await scoreMotion(dataset)
    if (!scores) throw new Error(`${name} has no signal`)
    const { low, high } = listFound(scores, dataset.fps, (position) => dataset.getEpisode(position).length)
    const wrong: string[] = []
    for (let position = 0; position < dataset.episodeCount; position++) {
      const kind = labels.get(position) ?? 'ok'
      const wanted = [['pause', 'mid'].includes(kind), kind === 'shaky']
      const is = [low.has(position), high.has(position)]
      if (is.join() !== wanted.join()) wrong.push(`episode ${position}, ${kind}: low ${is[0]}, high ${is[1]}`)
    }
    looked.push({ name, wrong })
  }
  return looked
}

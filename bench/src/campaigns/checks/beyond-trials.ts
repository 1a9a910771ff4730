import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tellBeyond } from '@nmp/formats/checks/beyond'
import type { Beyond, SetStatistics } from '@nmp/formats/checks/beyond-rule'
import { ElsewhereSearch } from '@nmp/formats/checks/elsewhere-search'
import type { CheckFinding } from '@nmp/formats/checks/report'
import { runChecks } from '@nmp/formats/checks/run'
import { write } from '@nmp/formats/lerobot/writer'
import {
  between,
  change,
  choosePositions,
  copyNearly,
  type Defect,
  findRange,
  type PlantedSet,
  pickJoint,
  type Random,
} from '../../../../formats/test/planted-defects.ts'
import { openSignalSet, type SignalEpisode, type SignalSet } from '../../../../formats/test/signal-set.ts'
import { readIdentities } from '../../../../server/src/checks/identities.ts'
import { readQuantiles } from '../../../../server/src/checks/quantiles.ts'
import type { Tally } from './tally.ts'

interface Ledger {
  readonly tally: (rule: string) => Tally
  readonly clean: { compared: number; readonly findings: Map<string, number> }
  readonly isWanted: (rule: string) => boolean
  readonly randomOf: (set: string, rule: string) => Random
  readonly perSet: number
}

interface TwoSets {
  readonly name: string
  readonly one: SignalSet
  readonly other: SignalSet
}

const elsewhere = { datasetId: 'one', slug: 'one' }
const nothing: Beyond = { copies: [], nearCopies: [], notCompared: 0 }
const { signal } = new AbortController()

/** What rules that look beyond a set find in the second of two, which are recordings of the same kind. */
export async function tryBeyond({ name, one, other }: TwoSets, ledger: Ledger): Promise<void> {
  const { tally, clean, isWanted, randomOf, perSet } = ledger
  const trials = { 'duplicate-elsewhere': findCopies, 'near-duplicate-elsewhere': findNear } as const
  clean.compared += isWanted('revision-shift') || Object.keys(trials).some(isWanted) ? other.episodes.length : 0
  for (const [rule, find] of Object.entries(trials)) {
    if (!isWanted(rule)) continue
    countFalse(clean, await find(one, other))
    const { set, defects } = plantCopies(one, other, perSet, {
      random: randomOf(name, rule),
      isExact: rule === 'duplicate-elsewhere',
    })
    tally(rule).add(name, defects, await find(one, set))
  }
  if (!isWanted('revision-shift')) return
  const before = await withFolder(one, readQuantiles)
  countFalse(clean, await findShift(before, other))
  const random = randomOf(name, 'revision-shift')
  for (let trial = 0; trial < perSet; trial++) {
    const { set, joint } = moveJoint(other, random)
    const told = await findShift(before, set)
    // Right is only what names the joint.
    const isRight = ({ sentence }: CheckFinding): boolean =>
      sentence.startsWith(`Dimension ${joint} of observation.state `)
    const placed = told.map((finding) => ({ ...finding, episodeIndex: isRight(finding) ? 0 : 1 }))
    tally('revision-shift').add(name, [{ position: 0 }], placed)
  }
}

function countFalse({ findings }: Ledger['clean'], told: readonly CheckFinding[]): void {
  for (const { rule, sentence } of told) {
    findings.set(rule, (findings.get(rule) ?? 0) + 1)
    console.log(`clean, and yet ${rule}: ${sentence}`)
  }
}

/** At another number, with another task. */
function plantCopies(
  one: SignalSet,
  other: SignalSet,
  count: number,
  { random, isExact }: { random: Random; isExact: boolean },
): PlantedSet {
  let set = other
  const defects: Defect[] = []
  const positions = choosePositions(other, count, random)
  const sources = choosePositions(one, positions.length, random)
  for (const [nth, position] of positions.entries()) {
    const source = one.episodes[sources[nth] as number] as SignalEpisode
    const copy = isExact ? source : copyNearly(one, source, random)
    set = change(set, position, { ...copy, task: 'Do it once more.' })
    defects.push({ position })
  }
  return { set, defects }
}

async function withFolder<T>(set: SignalSet, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-campaign-checks-'))
  try {
    await write(openSignalSet(set), folder)
    return await act(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const tell = (beyond: Partial<Beyond>): readonly CheckFinding[] =>
  tellBeyond({ ...nothing, ...beyond }, new Map()).findings

/** By the digests that a service keeps of stored datasets. */
async function findCopies(one: SignalSet, other: SignalSet): Promise<readonly CheckFinding[]> {
  const [known, own] = [one, other].map((set) => withFolder(set, (folder) => readIdentities(folder, signal)))
  const byDigest = new Map((await known)?.map(({ numbers, episodeIndex }) => [numbers?.toString('hex'), episodeIndex]))
  const copies = (await own)?.flatMap(({ episodeIndex, numbers }) => {
    const there = byDigest.get(numbers?.toString('hex'))
    return there === undefined ? [] : [{ episodeIndex, count: 1, elsewhere: { ...elsewhere, episodeIndex: there } }]
  })
  return tell({ copies: copies ?? [] })
}

async function findNear(one: SignalSet, other: SignalSet): Promise<readonly CheckFinding[]> {
  const [known, own] = [await runChecks(openSignalSet(one)), await runChecks(openSignalSet(other))]
  if (!known.paths || !own.paths) return []
  const search = new ElsewhereSearch(own.paths)
  search.compare(known.paths, elsewhere)
  return tell({ nearCopies: search.list() })
}

const findShift = async (before: SetStatistics, other: SignalSet): Promise<readonly CheckFinding[]> =>
  tell({ statistics: { before, now: await withFolder(other, readQuantiles), revision: 1 } })

/** Another zero of a joint, by 0.4 to 0.7 of its range, or degrees instead of radians. */
function moveJoint(set: SignalSet, random: Random): { set: SignalSet; joint: number } {
  const joint = pickJoint(set, random)
  const offset = between(random, 0.4, 0.7) * findRange(set, 'state', joint).range * (random() < 0.5 ? -1 : 1)
  const isTurned = random() < 0.3
  const move = (value: number): number => (isTurned ? (value * 180) / Math.PI : value + offset)
  const episodes = set.episodes.map((episode) => ({
    ...episode,
    state: episode.state.map((value, at) => (at % set.names.length === joint ? move(value) : value)),
  }))
  return { set: { ...set, episodes }, joint }
}

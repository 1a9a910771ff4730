import type { ParquetReader } from '../../containers/parquet/parquet.ts'
import { FormatError } from '../../errors.ts'
import type { FileTree } from '../../file-tree.ts'
import type { Findings } from '../../finding.ts'
import { isObject, type JsonValue } from '../../json.ts'
import { defaultSplits, type SplitRanges, SplitTally, spreadRanges } from '../../splits.ts'
import { sidecarPath } from './sidecar.ts'

/** `splits` of info.json: undefined where it names none. */
export interface DeclaredSplits {
  readonly ranges: readonly SplitRanges[]
  /** One split `train` of all episodes, as lerobot itself writes: it tells nothing, so nothing is said about it. */
  readonly isUsual: boolean
}

/** Which splits an episode is in, by the source's number. */
export type FindSplits = (episode: number) => readonly string[]

const maxSplits = 1000
const maxRanges = 2000
const maxNameLength = 200
const listed = 10

/** `{"train": "0:4", "val": "4:6"}`; a list of ranges ("0:4,6:8") and Python's open ends (":4") are read too. */
export function readDeclaredSplits(
  value: JsonValue | undefined,
  totalEpisodes: number,
  findings: Findings,
): DeclaredSplits | undefined {
  const entries = isObject(value) ? Object.entries(value) : []
  if (value !== undefined && value !== null && !isObject(value))
    findings.add('split-unreadable', 'splits in info.json is not an object of names and ranges; not used.')
  if (entries.length === 0) return undefined
  const ranges: SplitRanges[] = []
  let rangeCount = 0
  for (const [name, text] of entries) {
    const read = name.length <= maxNameLength && name !== '' ? parseRanges(text, totalEpisodes) : undefined
    rangeCount += read?.length ?? 0
    if (!read || ranges.length === maxSplits || rangeCount > maxRanges) {
      const shown = `${JSON.stringify(name.slice(0, 80))}: ${JSON.stringify(text).slice(0, 80)}`
      findings.add(
        'split-unreadable',
        `The split ${shown} of info.json is not a range of episodes "from:to"; not used.`,
      )
    } else if (read.length === 0) findings.add('split-empty', `The split ${name} has no episodes; not kept.`)
    else ranges.push({ name, ranges: read })
  }
  return { ranges, isUsual: isUsual(entries, ranges, totalEpisodes) }
}

function isUsual(entries: readonly unknown[], splits: readonly SplitRanges[], totalEpisodes: number): boolean {
  const [only] = splits
  if (entries.length !== 1 || only?.name !== defaultSplits[0] || only?.ranges.length !== 1) return false
  const [[from, to] = [-1, -1]] = only.ranges
  return from === 0 && to === totalEpisodes
}

/** Undefined when it cannot be read; empty ranges are left out. */
function parseRanges(value: JsonValue, totalEpisodes: number): [number, number][] | undefined {
  if (typeof value !== 'string') return undefined
  const parts = value.split(',')
  if (parts.length > maxRanges) return undefined
  const ranges: [number, number][] = []
  for (const part of parts) {
    const match = /^\s*(\d{0,15})\s*:\s*(\d{0,15})\s*$/.exec(part)
    if (!match) return undefined
    const [from, to] = [Number(match[1]), match[2] === '' ? totalEpisodes : Number(match[2])]
    if (to > from) ranges.push([from, to])
  }
  return ranges
}

/**
 * Per episode: from the sidecar of a dataset this library wrote, which knows splits that are no ranges, as long as it agrees with
 * info.json; else from info.json, which people edit.
 */
export async function readSplits(
  tree: FileTree,
  reader: ParquetReader,
  { splits }: { splits: DeclaredSplits | undefined },
  findings: Findings,
): Promise<FindSplits> {
  const kept = await readSidecarSplits(tree, reader)
  const declared = Object.fromEntries((splits?.ranges ?? []).map(({ name, ranges }) => [name, joinRanges(ranges)]))
  if (kept && sameEntries(kept.ranges, declared)) return kept.find
  if (kept)
    findings.add('splits-differ', `The splits in info.json differ from those in ${sidecarPath}; info.json is used.`)
  return splits ? spreadRanges(splits.ranges) : () => defaultSplits
}

/** Says which episodes a split names that are not among `numbers`, the source's numbers of the usable ones. */
export function reportSplits(
  { splits }: { splits: DeclaredSplits | undefined },
  numbers: Iterable<number>,
  findings: Findings,
): void {
  if (!splits || splits.isUsual) return
  const present = Float64Array.from(numbers).sort()
  for (const { name, ranges } of splits.ranges) {
    const missing: number[] = []
    let missingCount = 0
    for (const [from, to] of ranges) {
      let place = findPlace(present, from)
      missingCount += to - from - (findPlace(present, to) - place)
      for (let number = from; number < to && missing.length < Math.min(listed, missingCount); number++) {
        if (present[place] === number) place++
        else missing.push(number)
      }
    }
    if (missingCount === 0) continue
    const more = missingCount > missing.length ? ` and ${missingCount - missing.length} more` : ''
    findings.add(
      'split-episodes-missing',
      `The split ${name} (${joinRanges(ranges)}) names episodes that are missing or left out: ${missing.join(', ')}${more}.`,
    )
  }
}

/** How many numbers are below. */
function findPlace(numbers: Float64Array, limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}

const joinRanges = (ranges: SplitRanges['ranges']): string => ranges.map(([from, to]) => `${from}:${to}`).join(',')

const sameEntries = (one: Record<string, string>, other: Record<string, string>): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, text]) => other[key] === text)

/** Undefined where there is no such file, where it is older than splits are, and where it cannot be read: it is no part of LeRobot. */
async function readSidecarSplits(tree: FileTree, reader: ParquetReader) {
  if (!(await tree.find(sidecarPath))) return undefined
  try {
    return await readSplitColumn(reader, await tree.locate(sidecarPath))
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return undefined
  }
}

async function readSplitColumn(reader: ParquetReader, path: string) {
  const { columns } = await reader.readFooter(path)
  if (!columns.some(({ name }) => name === 'splits')) return undefined
  const tally = new SplitTally()
  const sets: (readonly string[])[] = []
  const known = new Map<string, readonly string[]>()
  for await (const record of reader.readRecords(path, ['episode_index', 'splits'])) {
    const names = Array.isArray(record.splits) ? record.splits.filter((name) => typeof name === 'string') : []
    const key = JSON.stringify(names)
    const set = known.get(key) ?? names
    known.set(key, set)
    if (Number(record.episode_index) !== sets.length) return undefined
    tally.add(sets.length, set)
    sets.push(set)
  }
  return { ranges: tally.describeRanges(), find: (episode: number) => sets[episode] ?? [] }
}

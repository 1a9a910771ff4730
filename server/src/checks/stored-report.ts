import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ruleFacts, ruleSetVersion } from '@nmp/formats/checks'
import { pickLooser } from '@nmp/formats/checks/cut-off'
import type { CheckFinding, CheckReport, RankReason, SetValue } from '@nmp/formats/checks/report'
import type { CheckPart } from './tables.ts'

/** What one part of a run found, as it is kept: numbers in columns, since a set may have very many episodes. */
export interface StoredReport {
  readonly ruleSetVersion: number
  readonly episodes: number
  readonly frames: number
  /** By rule: the cut-off that the run went by, and the looser one down to which it kept what it saw. */
  readonly cutOffs: Readonly<Record<string, { readonly asked: number; readonly kept: number }>>
  /** Down to the kept cut-off. */
  readonly findings: readonly CheckFinding[]
  readonly unlisted: Readonly<Record<string, number>>
  readonly unlistedNear: Readonly<Record<string, number>>
  readonly strictest: CheckReport['strictest']
  readonly rankings: Readonly<Record<string, RankingColumns>>
  /** Absent from reports of rule sets before 5. */
  readonly setValues?: readonly SetValue[]
  readonly reasons: readonly RankReason[]
  readonly failed: Readonly<Record<string, string>>
}

export interface RankingColumns {
  readonly episodes: readonly number[]
  readonly values: readonly number[]
  readonly percentiles: readonly number[]
  readonly confidences: readonly (number | null)[] | null
}

/** What reading pictures says, which is no rule's. */
const pictureFindings = new Set(['camera-not-measured', 'video-unreadable'])
const familyOf = new Map(ruleFacts.map(({ id, family }) => [id, family]))

const isOfPart = (rule: string, part: CheckPart): boolean =>
  (pictureFindings.has(rule) || familyOf.get(rule) === 'pictures') === (part === 'pictures')

/** The part of a report that is kept as one. */
export function takePart(
  report: CheckReport,
  part: CheckPart,
  cutOffs: Readonly<Record<string, number>>,
): StoredReport {
  const pick = <T>(byRule: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(byRule).filter(([rule]) => isOfPart(rule, part)))
  const rankings = Object.groupBy(
    report.rankings.filter(({ rule }) => isOfPart(rule, part)),
    ({ rule }) => rule,
  )
  const used = ruleFacts.flatMap((rule) => {
    const asked = cutOffs[rule.id] ?? rule.cutOff
    return asked === null ? [] : [[rule.id, { asked, kept: pickLooser(rule, asked) }] as const]
  })
  return {
    ruleSetVersion,
    episodes: report.episodes,
    frames: report.frames,
    cutOffs: pick(Object.fromEntries(used)),
    findings: [...report.findings, ...report.near].filter(({ rule }) => isOfPart(rule, part)),
    unlisted: pick(report.unlisted),
    unlistedNear: pick(report.unlistedNear),
    strictest: pick(report.strictest),
    rankings: Object.fromEntries(
      Object.entries(rankings).map(([rule, list = []]) => [
        rule,
        {
          episodes: list.map(({ episodeIndex }) => episodeIndex),
          values: list.map(({ value }) => value),
          percentiles: list.map(({ percentile }) => percentile),
          confidences: list.some(({ confidence }) => confidence !== undefined)
            ? list.map(({ confidence = null }) => confidence)
            : null,
        },
      ]),
    ),
    setValues: report.setValues.filter(({ rule }) => isOfPart(rule, part)),
    // Only rankings of numbers stand out so far.
    reasons: part === 'signals' ? report.reasons : [],
    failed: pick(report.failed),
  }
}

const [pack, unpack] = [promisify(gzip), promisify(gunzip)]
const mostBytes = 1 << 30

export const packReport = (report: StoredReport): Promise<Buffer> => pack(JSON.stringify(report))

export const unpackReport = async (bytes: Buffer): Promise<StoredReport> =>
  JSON.parse((await unpack(bytes, { maxOutputLength: mostBytes })).toString('utf8'))

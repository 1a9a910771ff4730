import { ruleFacts } from '@nmp/formats/checks'
import { isFound, isWithin } from '@nmp/formats/checks/cut-off'
import { orderEpisodes } from '@nmp/formats/checks/look-first'
import type { CheckFinding } from '@nmp/formats/checks/report'
import type { RuleFacts } from '@nmp/formats/checks/rule'
import type { StoredReport } from './stored-report.ts'

const rulesById = new Map(ruleFacts.map((rule, place) => [rule.id, { rule, place }]))
const severityOrder = ['error', 'warning', 'info']

export const findRule = (id: string): RuleFacts | undefined => rulesById.get(id)?.rule

/** A rule, as a report tells of it at a cut-off. */
export interface ViewedRule {
  rule: RuleFacts
  cutOff: number | null
  findings: CheckFinding[]
  /** In which something was found, listed or not. */
  episodes: number[]
  unlisted: number
  /** The cut-off in force cannot be told from what is kept: this is what the last run's own gave. */
  needsRun: boolean
  failed: string | null
}

/** What a rule found, at a cut-off that may be another than the run's. */
export function viewRule(report: StoredReport, rule: RuleFacts, wanted: number | undefined): ViewedRule {
  const { asked = null, kept = null } = report.cutOffs[rule.id] ?? {}
  const cutOff = wanted ?? rule.cutOff
  const all = report.findings.filter(({ rule: id }) => id === rule.id)
  const strictest = report.strictest[rule.id] ?? []
  const failed = report.failed[rule.id] ?? null
  const canMove = cutOff !== null && kept !== null && rule.loosest !== null && isWithin(rule, cutOff, kept)
  const limit = canMove ? cutOff : asked
  const isIn = (until: number | null): boolean => limit === null || until === null || isFound(rule, until, limit)
  // What a run kept of a rule that cannot be moved is what it found.
  const isKept = rule.loosest === null ? () => true : isIn
  const isLooser = canMove && asked !== null && !isWithin(rule, cutOff, asked)
  return {
    rule,
    cutOff,
    findings: all.filter(({ until }) => isKept(until)).map((finding) => ({ ...finding, cutOff: limit })),
    episodes: strictest.flatMap(([episode, until]) => (isKept(until) ? [episode] : [])),
    unlisted: (report.unlisted[rule.id] ?? 0) + (isLooser ? (report.unlistedNear[rule.id] ?? 0) : 0),
    needsRun: !canMove && cutOff !== asked,
    failed,
  }
}

/** Whether a report can tell what a rule finds at a cut-off without another run. */
export function canTell(report: StoredReport, rule: RuleFacts, cutOff: number): boolean {
  const known = report.cutOffs[rule.id]
  return (
    known !== undefined && (known.asked === cutOff || (rule.loosest !== null && isWithin(rule, cutOff, known.kept)))
  )
}

/** Findings of reading files, which have no rule. */
export const listRead = ({ findings }: StoredReport): CheckFinding[] =>
  findings.filter(({ rule }) => !rulesById.has(rule))

export const sortFindings = (findings: readonly CheckFinding[]): CheckFinding[] =>
  findings.toSorted(
    (a, b) =>
      severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) ||
      (rulesById.get(a.rule)?.place ?? -1) - (rulesById.get(b.rule)?.place ?? -1) ||
      (a.episodeIndex ?? -1) - (b.episodeIndex ?? -1) ||
      (a.frameFrom ?? -1) - (b.frameFrom ?? -1),
  )

export const orderLookFirst = (reports: readonly StoredReport[], findings: readonly CheckFinding[]) =>
  orderEpisodes(
    findings,
    reports.flatMap(({ reasons }) => reasons),
  )

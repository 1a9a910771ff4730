import { ruleFacts, ruleSetVersion } from '@nmp/formats/checks'
import { namesOthers } from '@nmp/formats/checks/beyond'
import type { CheckFinding } from '@nmp/formats/checks/report'
import type { Static } from 'typebox'
import type { Context } from '../context.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import { invalidValue } from '../errors.ts'
import { openReport } from './opened-report.ts'
import { canTell, findRule, listRead, orderLookFirst, sortFindings, type ViewedRule, viewRule } from './report-view.ts'
import * as repository from './repository.ts'
import type { checkSummary, FindingsQuery } from './schemas.ts'
import type { StoredReport } from './stored-report.ts'
import { subjectOf } from './subject.ts'
import type { CheckPart } from './tables.ts'

export const parts = ['signals', 'pictures'] as const

/** Everything that is known of the checks of a dataset or version. */
export interface OpenedChecks {
  seen: SeenDataset
  rows: Partial<Record<CheckPart, repository.PartRow>>
  reports: Partial<Record<CheckPart, StoredReport>>
  settings: repository.CheckSettings
}

export async function openChecks(context: Context, seen: SeenDataset): Promise<OpenedChecks> {
  const subject = subjectOf(seen)
  const rows: OpenedChecks['rows'] = {}
  const reports: OpenedChecks['reports'] = {}
  for (const row of await repository.listParts(context.db, subject.id)) {
    rows[row.part] = row
    const report = await openReport(context, subject.id, row)
    if (report) reports[row.part] = report
  }
  return { seen, rows, reports, settings: await repository.findSettings(context.db, subject.ownerId) }
}

export const isOpen = (row: repository.PartRow | undefined): boolean =>
  row?.jobState === 'queued' || row?.jobState === 'running'

/** Which part of the results a rule belongs to. */
export const partOf = (ruleId: string): CheckPart => (findRule(ruleId)?.family === 'pictures' ? 'pictures' : 'signals')

/** Every rule that has a result, at the cut-offs in force. */
function viewRules({ seen, reports, settings }: OpenedChecks): ViewedRule[] {
  return ruleFacts.flatMap((rule) => {
    if (isHidden(seen, rule.id)) return []
    const report = reports[partOf(rule.id)]
    return report ? [viewRule(report, rule, settings.cutOffs[rule.id])] : []
  })
}

/** Who sees a public dataset without being of its project is not told what else the project has. */
const isHidden = ({ role }: SeenDataset, rule: string): boolean => role === null && namesOthers.has(rule)

const listReadFindings = ({ seen, reports }: OpenedChecks): CheckFinding[] =>
  parts.flatMap((part) => (reports[part] ? listRead(reports[part]) : [])).filter(({ rule }) => !isHidden(seen, rule))

export function summarizeChecks(opened: OpenedChecks): Static<typeof checkSummary> {
  const { seen, reports, settings } = opened
  const subject = subjectOf(seen)
  const viewed = viewRules(opened)
  const read = listReadFindings(opened)
  const findings = [...read, ...viewed.flatMap((rule) => rule.findings)]
  const known = reports.signals ?? reports.pictures
  const ruleCutOffs = ruleFacts.flatMap(({ id, cutOff }) => (cutOff === null ? [] : [[id, cutOff] as const]))
  const count = (list: readonly CheckFinding[]) => ({
    findings: list.length,
    episodes: new Set(list.flatMap(({ episodeIndex }) => episodeIndex ?? [])).size,
  })
  const byFamily = Object.groupBy(findings, ({ rule }) => findRule(rule)?.family ?? 'files')
  const ofSeverity = (wanted: string) => count(findings.filter(({ severity }) => severity === wanted))
  return {
    dataset_id: seen.dataset.id,
    revision_id: subject.id,
    revision_number: seen.revision.number,
    rule_set_version: ruleSetVersion,
    signals: describePart(opened, 'signals'),
    pictures: describePart(opened, 'pictures'),
    episodes: known?.episodes ?? null,
    frames: known?.frames ?? null,
    cut_offs: { ...Object.fromEntries(ruleCutOffs), ...settings.cutOffs },
    settings: { cut_offs: settings.cutOffs, pictures: settings.pictures },
    rules: [...viewed.map(presentRule), ...countRead(read)],
    families: Object.fromEntries(Object.entries(byFamily).map(([family, list = []]) => [family, count(list)])),
    severities: { error: ofSeverity('error'), warning: ofSeverity('warning'), info: ofSeverity('info') },
    set_values: parts.flatMap((part) => [...(reports[part]?.setValues ?? [])]),
    look_first: orderLookFirst(Object.values(reports), findings).map(({ episodeIndex, score, reasons }) => ({
      episode_index: episodeIndex,
      score,
      reasons: [...reasons],
    })),
  }
}

function describePart({ seen, rows, reports }: OpenedChecks, part: CheckPart) {
  const row = rows[part]
  const total = row?.episodeCount ?? seen.revision.summary.total_episodes
  const jobId = row?.jobId ?? null
  const version = reports[part]?.ruleSetVersion ?? null
  if (!row) return { status: 'none' as const, done: 0, total, message: '', job_id: null, rule_set_version: null }
  if (!isOpen(row)) {
    const done = row.state === 'succeeded' ? total : 0
    return { status: row.state, done, total, message: row.message, job_id: jobId, rule_set_version: version }
  }
  return {
    ...describeProgress(row.jobState === 'running' ? 'running' : 'queued', row, total),
    total,
    job_id: jobId,
    rule_set_version: version,
  }
}

/** Of a run that is under way. */
export const describeProgress = (
  status: 'queued' | 'running',
  run: Pick<repository.PartRow, 'progressPct' | 'progressMessage' | 'cancelRequestedAt'>,
  total: number,
) => ({
  status,
  done: Math.round(((run.progressPct ?? 0) / 100) * total),
  message: run.cancelRequestedAt ? 'It is being canceled.' : (run.progressMessage ?? ''),
})

const presentRule = ({ rule, cutOff, findings, episodes, unlisted, needsRun, failed }: ViewedRule) => ({
  id: rule.id,
  family: rule.family,
  kind: rule.kind,
  severity: rule.severity,
  findings: findings.length,
  episodes: episodes.length,
  unlisted,
  worst: findWorst(rule, findings),
  cut_off: cutOff,
  needs_run: needsRun,
  failed,
})

function findWorst({ found }: ViewedRule['rule'], findings: readonly CheckFinding[]): number | null {
  const isDown = found === 'below' || found === 'up-to'
  let worst: CheckFinding | undefined
  for (const finding of findings) {
    const [a, b] = [finding.until ?? 0, worst?.until ?? 0]
    if (!worst || (isDown ? a < b : a > b)) worst = finding
  }
  return worst?.value ?? null
}

function countRead(read: readonly CheckFinding[]) {
  return Object.entries(Object.groupBy(read, ({ rule }) => rule)).map(([id, list = []]) => ({
    id,
    family: null,
    kind: 'flag' as const,
    severity: list[0]?.severity ?? 'info',
    findings: list.length,
    episodes: new Set(list.flatMap(({ episodeIndex }) => episodeIndex ?? [])).size,
    unlisted: 0,
    worst: null,
    cut_off: null,
    needs_run: false,
    failed: null,
  }))
}

export function listFindings(opened: OpenedChecks, query: FindingsQuery): { total: number; items: CheckFinding[] } {
  const all = query.cut_off === undefined ? listInForce(opened) : listAtCutOff(opened, query.rule, query.cut_off)
  const wanted = all.filter(
    ({ rule, severity, episodeIndex }) =>
      (query.rule === undefined || rule === query.rule) &&
      (query.family === undefined || findRule(rule)?.family === query.family) &&
      (query.severity === undefined || severity === query.severity) &&
      (query.episode_index === undefined || episodeIndex === query.episode_index),
  )
  return { total: wanted.length, items: sortFindings(wanted).slice(query.offset, query.offset + query.limit) }
}

function listInForce(opened: OpenedChecks): CheckFinding[] {
  return [...listReadFindings(opened), ...viewRules(opened).flatMap(({ findings }) => findings)]
}

function listAtCutOff({ seen, reports }: OpenedChecks, ruleId: string | undefined, cutOff: number): CheckFinding[] {
  const rule = ruleId === undefined ? undefined : findRule(ruleId)
  if (!rule || rule.cutOff === null)
    throw invalidValue(['query', 'cut_off'], 'name the rule it is of, one that has a cut-off', cutOff)
  const report = reports[partOf(rule.id)]
  if (!report || isHidden(seen, rule.id)) return []
  if (!canTell(report, rule, cutOff)) {
    const kept = report.cutOffs[rule.id]?.kept ?? rule.cutOff
    const sentence =
      rule.loosest === null
        ? `findings of ${rule.id} are those at ${kept}, and others need another run: set the cut-off and run the checks again`
        : `findings of ${rule.id} are kept from ${kept} on: set the cut-off and run the checks again for a looser one`
    throw invalidValue(['query', 'cut_off'], sentence, cutOff)
  }
  return viewRule(report, rule, cutOff).findings
}

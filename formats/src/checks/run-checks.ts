import type { Dataset } from '../dataset.ts'
import { FormatError } from '../errors.ts'
import { isColumn, isNumericDtype } from '../feature.ts'
import type { Finding, Severity } from '../finding.ts'
import type { CheckFinding, CheckReport } from './check-report.ts'
import { readSignals } from './episode-signals.ts'
import { checkRules, ruleSetVersion } from './index.ts'
import { orderEpisodes } from './look-first.ts'
import { RuleRecorder } from './rule-recorder.ts'
import { findUsable, type ReadOptions } from './usable-episodes.ts'

export interface CheckOptions extends ReadOptions {
  /** By rule; what is not named keeps its own. */
  readonly cutOffs?: ReadonlyMap<string, number>
}

const severityOrder: readonly Severity[] = ['error', 'warning', 'info']

/**
 * Every rule over every episode and every frame, one episode at a time: memory is that of the largest episode, and some hundred
 * bytes to two kilobytes for each of the others.
 */
export async function runChecks(dataset: Dataset, options: CheckOptions = {}): Promise<CheckReport> {
  const { signal, onProgress, cutOffs = new Map<string, number>() } = options
  requireKnown(cutOffs)
  const { usable, survey, findings } = await findUsable(dataset, options)
  const set = await survey.finish(usable, signal)
  const runs = checkRules.map((rule) => {
    const recorder = new RuleRecorder(rule, cutOffs.get(rule.id), set.sourceIndexOf)
    return { rule, recorder, run: rule.begin(set, recorder) }
  })
  const columns = dataset.features.filter(isColumn).filter(({ dtype }) => isNumericDtype(dtype))
  for (let position = 0; position < usable.episodeCount; position++) {
    const episode = usable.getEpisode(position)
    const signals = await readSignals({ episode, position, columns, set, signal })
    for (const { run } of runs) run.look?.(signals)
    onProgress?.({ phase: 'rules', done: position + 1, total: usable.episodeCount })
  }
  for (const { run } of runs) run.conclude?.()
  const found = [
    ...[...dataset.findings, ...findings.list].map(takeFinding),
    ...runs.flatMap(({ recorder }) => recorder.findings),
  ].sort((a, b) => severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity))
  const unlisted = runs.filter(({ recorder }) => recorder.unlisted > 0)
  return {
    ruleSetVersion,
    episodes: usable.episodeCount,
    frames: usable.frameCount,
    findings: found,
    unlisted: Object.fromEntries(unlisted.map(({ rule, recorder }) => [rule.id, recorder.unlisted])),
    rankings: runs.flatMap(({ recorder }) => recorder.listRankings()),
    lookFirst: orderEpisodes(
      found,
      runs.flatMap(({ recorder }) => recorder.reasons),
    ),
  }
}

function requireKnown(cutOffs: ReadonlyMap<string, number>): void {
  const known = checkRules.filter(({ cutOff }) => cutOff !== null)
  for (const [id, value] of cutOffs) {
    if (!known.some((rule) => rule.id === id))
      throw new FormatError(
        'unsupported',
        `There is no cut-off of ${JSON.stringify(id)}; rules with one: ${known.map((rule) => rule.id).join(', ')}.`,
      )
    if (!Number.isFinite(value)) throw new FormatError('unsupported', `The cut-off of ${id} must be a number.`)
  }
}

/** What was found while the files were read, in the same form. */
const takeFinding = ({ rule, severity, episode, sentence }: Finding): CheckFinding => ({
  rule,
  severity,
  episodeIndex: episode,
  frameFrom: null,
  frameTo: null,
  camera: null,
  feature: null,
  value: null,
  cutOff: null,
  sentence,
})

import { type CheckReport, presentReport } from '../checks/check-report.ts'
import { runChecks } from '../checks/run-checks.ts'
import { FormatError } from '../errors.ts'
import type { FileTree } from '../file-tree.ts'
import type { Severity } from '../finding.ts'
import { openDataset } from '../layouts/index.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import type { ProgressBar } from './progress-bar.ts'
import { countSeverity, formatCount, formatFindings } from './text.ts'

/** What a pipeline stops at: 1 is a failure of the command itself. */
const foundCode = 9

const severities = ['error', 'warning', 'info'] as const satisfies readonly Severity[]
const shownEpisodes = 10

export interface CheckFlags {
  readonly json: boolean
  /** Findings of this severity and above make the command fail. */
  readonly failOn: Severity
  readonly cutOffs: ReadonlyMap<string, number>
  readonly pictures: boolean
}

export interface TypedCheckFlags {
  readonly json: boolean
  readonly 'fail-on': string
  readonly 'cut-off'?: readonly string[]
  readonly 'without-pictures': boolean
}

/** As they were typed. */
export function readCheckFlags({ json, 'fail-on': failOn, ...values }: TypedCheckFlags): CheckFlags {
  const severity = severities.find((name) => name === failOn)
  if (!severity) throw new FormatError('unsupported', `--fail-on must be ${severities.join(', ')}.`)
  const pairs = (values['cut-off'] ?? []).map((text) => {
    const [, rule, value] = /^([\w-]+)=(.+)$/.exec(text) ?? []
    if (rule === undefined || !Number.isFinite(Number(value)))
      throw new FormatError('unsupported', '--cut-off must be RULE=NUMBER; see nmp-formats rules.')
    return [rule, Number(value)] as const
  })
  return { json, failOn: severity, cutOffs: new Map(pairs), pictures: !values['without-pictures'] }
}

/** Reads every number of every episode, opens every camera and holds all of it against the rules. */
export async function check(
  tree: FileTree,
  options: OpenOptions,
  { json, failOn, ...rules }: CheckFlags,
  bar: ProgressBar,
): Promise<number> {
  await using dataset = await openDataset(tree, options)
  const report = await runChecks(dataset, {
    signal: options.signal,
    onProgress: options.onProgress,
    comparesStated: true,
    ...rules,
  })
  bar.clear()
  if (json) console.log(JSON.stringify(presentReport(report), null, 2))
  else console.log(formatReport(report))
  const failing = severities.slice(0, severities.indexOf(failOn) + 1)
  return failing.some((severity) => countSeverity(report.findings, severity) > 0) ? foundCode : 0
}

function formatReport({ findings, setValues, lookFirst, episodes, frames }: CheckReport): string {
  const lines = [formatFindings(findings)]
  if (setValues.length > 0) lines.push('', 'The whole set:', ...setValues.map(({ sentence }) => `  ${sentence}`))
  if (lookFirst.length > 0) {
    lines.push('', 'Look at these first:')
    for (const { episodeIndex, reasons } of lookFirst.slice(0, shownEpisodes))
      lines.push(`  episode ${episodeIndex}`, ...reasons.map((reason) => `    ${reason}`))
    if (lookFirst.length > shownEpisodes) lines.push(`  … and ${lookFirst.length - shownEpisodes} more (--json)`)
  }
  const counts = severities.map((severity) => {
    const count = countSeverity(findings, severity)
    return severity === 'info' ? `${count} for information` : formatCount(count, severity)
  })
  const usable = `${formatCount(episodes, 'episode')} and ${formatCount(frames, 'frame')} are usable`
  lines.push('', `${usable}; ${counts.join(', ')}.`)
  return lines.join('\n')
}

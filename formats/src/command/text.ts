import type { Severity } from '../finding.ts'

/** What a list shows of a finding, whether of a file or of a rule. */
interface ShownFinding {
  readonly rule: string
  readonly severity: Severity
  readonly sentence: string
  readonly episodeIndex?: number | null
}

const shownPerRule = 5

/** Columns padded to their widest entry. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  return rows
    .map(
      (row) =>
        `  ${row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}`,
    )
    .join('\n')
}

/** Findings by severity and rule, the first few of each in words. */
export function formatFindings(findings: readonly ShownFinding[]): string {
  if (findings.length === 0) return 'Nothing to report.'
  const lines: string[] = []
  for (const severity of ['error', 'warning', 'info'] as const) {
    const byRule = Map.groupBy(
      findings.filter((finding) => finding.severity === severity),
      ({ rule }) => rule,
    )
    for (const [rule, list] of byRule) {
      lines.push(`${severity.padEnd(7)}  ${rule}${list.length > 1 ? ` (${list.length} times)` : ''}`)
      lines.push(...list.slice(0, shownPerRule).map((finding) => `         ${nameEpisode(finding)}${finding.sentence}`))
      if (list.length > shownPerRule) lines.push(`         … and ${list.length - shownPerRule} more`)
    }
  }
  return lines.join('\n')
}

/** Sentences of rules are about an episode and do not name it. */
function nameEpisode({ episodeIndex, sentence }: ShownFinding): string {
  if (episodeIndex === null || episodeIndex === undefined || /^Episode \d/.test(sentence)) return ''
  return `Episode ${episodeIndex}: `
}

export function countSeverity(findings: readonly Pick<ShownFinding, 'severity'>[], severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity).length
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1 episode`, `2 episodes`. */
export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

import type { FamilyResult } from './verdict.ts'

/** A row for each family: how many cases, how many held, and what must hold. */
export function renderTable(results: readonly FamilyResult[]): string {
  const rows = results.map(({ title, bar, verdicts, longestReadyMs }) => {
    const held = verdicts.filter((verdict) => verdict.held).length
    return `| ${title} | ${bar} | ${held} of ${verdicts.length} | ${longestReadyMs || '-'} |`
  })
  return [
    '| what | what must hold | held | longest `/readyz` of others, ms |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

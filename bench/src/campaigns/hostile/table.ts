import type { FamilyResult } from './verdict.ts'

/** A row for each family: how many cases, how many held, and what must hold. */
export function renderTable(results: readonly FamilyResult[]): string {
  const rows = results.map(({ title, bar, verdicts, leftOut, longestReadyMs, scale, date, commit }) => {
    const held = verdicts.filter((verdict) => verdict.held).length
    const share = scale === 1 ? '' : ` (${Math.round(scale * 100)} % of its files and connections)`
    const run = `${date.slice(0, 10)}, ${commit.slice(0, 7)}`
    return `| ${title}${share} | ${bar} | ${held} of ${verdicts.length}${leftOut ? `, ${leftOut} not run` : ''} | ${longestReadyMs || '-'} | ${run} |`
  })
  const head = [
    '| what | what must hold | held | longest `/readyz` of others, ms | run |',
    '| --- | --- | --- | --- | --- |',
  ]
  return [...head, ...rows].join('\n')
}

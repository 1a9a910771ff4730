import { type RuleId, rules } from '../finding.ts'

/** Every rule as the Markdown table of docs/formats.md. */
export function formatRules(): string {
  const rows = (Object.keys(rules) as RuleId[]).map((id) => `| \`${id}\` | ${rules[id][0]} | ${rules[id][1]} |`)
  return ['| rule | severity | what was found, and what is done |', '| --- | --- | --- |', ...rows].join('\n')
}

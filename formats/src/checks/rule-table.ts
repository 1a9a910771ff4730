import { ruleFacts } from './index.ts'

/** Every rule as the Markdown table of docs/checks.md. */
export function formatCheckRules(): string {
  const rows = ruleFacts.map(({ id, family, kind, severity, unit, cutOff, sentence, remedy }) => {
    const grade = kind === 'ranking' ? 'ranking' : severity
    return `| \`${id}\` | ${family} | ${grade} | ${cutOff ?? '–'} | ${unit} | ${sentence} ${remedy} |`
  })
  return [
    '| rule | family | grade | cut-off | unit | what is measured, and what to do |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

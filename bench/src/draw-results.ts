/** The newest rows of every bench, as docs/performance.md shows them: `npm run gen`. With --check it only says what is out of date, and fails. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readNewest } from './results.ts'
import { judgeRow } from './row.ts'

const page = join(import.meta.dirname, '../../docs/performance.md')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const drawn = [...readNewest()].flatMap(([name, { date, loadBefore, machine, rows }]) => [
  `### ${name}`,
  '',
  `${date}, ${machine.platform}, ${machine.cores} cores, Node ${machine.node}, load ${loadBefore.toFixed(1)} at its begin.`,
  '',
  '| row | ours | floor or peer | ratio | goal | |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows.map(
    (row) =>
      `| ${cell(row.name)} | ${cell(row.ours)} | ${cell(row.peer)} | ${row.ratio.toFixed(2)} | ${cell(row.goal)} | ${judgeRow(row)} |`,
  ),
  '',
])

const [begin, end] = ['<!-- results:begin -->', '<!-- results:end -->']
const present = readFileSync(page, 'utf8')
const [head, rest] = [present.indexOf(begin), present.indexOf(end)]
if (head === -1 || rest < head) throw new Error(`docs/performance.md lacks ${begin} and ${end}.`)
const wanted = `${present.slice(0, head + begin.length)}\n${drawn.join('\n')}${present.slice(rest)}`
if (wanted !== present) {
  if (process.argv.includes('--check')) {
    process.stderr.write('docs/performance.md is out of date. Run npm run gen and commit it.\n')
    process.exitCode = 1
  } else writeFileSync(page, wanted)
}

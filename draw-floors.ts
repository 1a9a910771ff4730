/** The floors of import-graph.ts, as ARCHITECTURE.md shows them: `npm run gen`. With --check it only says what is out of date, and fails. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { floors, listSteps } from './import-graph.ts'

const page = join(import.meta.dirname, 'ARCHITECTURE.md')

/** A room stands one floor above the highest that it imports from. */
function drawFloors(base: string, order: readonly string[]): string[] {
  const steps = listSteps(base).filter(({ from, to }) => from !== 'roof' && to !== 'ground')
  const level = new Map<string, number>()
  for (const room of order)
    level.set(room, Math.max(0, ...steps.filter(({ from }) => from === room).map(({ to }) => (level.get(to) ?? 0) + 1)))
  const top = Math.max(...level.values())
  const rows = Array.from({ length: top + 1 }, (_, from) => top - from).map((floor) => {
    const rooms = order.filter((room) => level.get(room) === floor)
    return `${String(floor + 1).padStart(3)}  ${rooms.join('  ')}`
  })
  return [base, ...rows, '']
}

const drawn = Object.entries(floors).flatMap(([base, order]) => drawFloors(base, order))
const [begin, end] = ['<!-- floors:begin -->', '<!-- floors:end -->']
const present = readFileSync(page, 'utf8')
const [head, rest] = [present.indexOf(begin), present.indexOf(end)]
if (head === -1 || rest < head) throw new Error(`ARCHITECTURE.md lacks ${begin} and ${end}.`)
const picture = ['```', ...drawn.slice(0, -1), '```'].join('\n')
const wanted = `${present.slice(0, head + begin.length)}\n${picture}\n${present.slice(rest)}`
if (wanted !== present) {
  if (process.argv.includes('--check')) {
    process.stderr.write('ARCHITECTURE.md is out of date. Run npm run gen and commit it.\n')
    process.exitCode = 1
  } else writeFileSync(page, wanted)
}

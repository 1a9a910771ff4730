/** For `python/steps_check.py`: one JSON line of settings and values in, one line of what the steps make of them out. */
import { createInterface } from 'node:readline'
import { planAction } from '../src/steps/action.ts'
import { planTransform } from '../src/steps/crop-resize.ts'

for await (const line of createInterface({ input: process.stdin })) {
  const { action, values, width, crop, size } = JSON.parse(line)
  if (crop) process.stdout.write(`${JSON.stringify(planTransform(size, { crop })?.crop ?? null)}\n`)
  else {
    const rows = Float64Array.from(values as number[])
    const changed = planAction(action)?.change(rows, width, 0, rows.length / width) ?? rows
    process.stdout.write(`${JSON.stringify([...changed])}\n`)
  }
}

/** Frame rates from clocks, whatever their unit. */
import type { StatedRate } from './plan.ts'

/** Seconds per unit of a clock, told by the size of its steps: robots record at 1 to 1000 Hz. */
export function findClockUnit(values: Float64Array): number | undefined {
  const step = findMedianStep(values)
  if (step === undefined || step <= 0) return undefined
  for (const unit of [1, 1e-3, 1e-6, 1e-9]) if (step * unit >= 0.9e-3 && step * unit <= 2) return unit
  return undefined
}

export function findRate(values: Float64Array, from: string): StatedRate | undefined {
  const unit = findClockUnit(values)
  const step = findMedianStep(values)
  if (unit === undefined || step === undefined) return undefined
  const measured = 1 / (findMeanStep(values, step) * unit)
  const whole = Math.round(measured)
  const value = whole > 0 && Math.abs(measured - whole) <= 0.1 * whole ? whole : measured
  return { value, from, isAssumed: false }
}

/** Whether the clock leaves the i/fps grid by more than a quarter of a frame anywhere. */
export function isIrregular(values: Float64Array, unit: number, fps: number): boolean {
  const start = values[0] ?? 0
  return values.some((value, index) => Math.abs((value - start) * unit - index / fps) > 0.25 / fps)
}

function findMedianStep(values: Float64Array): number | undefined {
  if (values.length < 2) return undefined
  const steps = new Float64Array(values.length - 1)
  for (let index = 0; index < steps.length; index++) steps[index] = (values[index + 1] ?? 0) - (values[index] ?? 0)
  steps.sort()
  const half = steps.length / 2
  return ((steps[Math.ceil(half) - 1] ?? 0) + (steps[Math.floor(half)] ?? 0)) / 2
}

/** Of the steps about as long as the median: pauses and lost frames say nothing of the rate, and one step says little of it. */
function findMeanStep(values: Float64Array, median: number): number {
  let sum = 0
  let count = 0
  for (let index = 1; index < values.length; index++) {
    const step = (values[index] ?? 0) - (values[index - 1] ?? 0)
    if (step <= 0.5 * median || step >= 1.5 * median) continue
    sum += step
    count++
  }
  return count > 0 ? sum / count : median
}
